import type { CallFlags } from './commands/offers/call.ts'
import type { PromptFlags } from './commands/offers/prompt.ts'
import type { ReadFlags } from './commands/offers/read.ts'
import type { SearchFlags } from './commands/offers/tools.ts'
import type { Cli, CommonFlags } from './command-context.ts'
import {
  agentFlag,
  commonFlags,
  formatFlag,
  messageFormatFlag,
  noStartFlag,
  optional,
  promptArgument,
  resourceArgument,
  serverArgument,
  serverFlag,
  textArgument,
  textFlag,
  toolArgument,
  toolNameArgument,
  waitFlags,
} from './arguments/flags.ts'
import { buildCommand } from './arguments/define-command.ts'
import type { OfferFlags } from './commands/offers/find-offers.ts'
import { lazily } from './lazily.ts'

const flags = { ...commonFlags, ...waitFlags, ...agentFlag } as const
const listFlags = { ...flags, ...noStartFlag } as const
const argsFlag = (what: string) => ({ args: textFlag('JSON', `${what}; --json '{…}' is the same`) }) as const

/** The commands for what servers offer: tools, resources and prompts. */
export const toolCommands = {
  tools: buildCommand<OfferFlags, [string?], Cli>({
    loader: lazily(async () => (await import('./commands/offers/tools.ts')).tools),
    parameters: {
      flags: listFlags,
      positional: {
        kind: 'tuple',
        parameters: [optional(textArgument('PATTERN', 'a glob such as github_*, or a part of the name'))],
      },
    },
    docs: { brief: 'Show the tools that servers offer, or that an agent sees' },
  }),
  tool: buildCommand<OfferFlags, [string], Cli>({
    loader: lazily(async () => (await import('./commands/offers/tool.ts')).tool),
    parameters: { flags: listFlags, positional: { kind: 'tuple', parameters: [toolNameArgument] } },
    docs: { brief: 'Show what a tool takes, what it is for, and how to call it' },
  }),
  search: buildCommand<SearchFlags, [string, ...string[]], Cli>({
    loader: lazily(async () => (await import('./commands/offers/tools.ts')).search),
    parameters: {
      flags: {
        ...listFlags,
        limit: {
          kind: 'parsed',
          parse: parseLimit,
          optional: true,
          placeholder: 'N',
          brief: 'How many; 20 unless given',
        },
      },
      positional: { kind: 'array', parameter: textArgument('WORDS', 'what the tool should do'), minimum: 1 },
    },
    docs: { brief: 'Find tools by words in their names, descriptions and parameters' },
  }),
  call: buildCommand<CallFlags, [string, ...string[]], Cli>({
    loader: lazily(async () => (await import('./commands/offers/call.ts')).call),
    parameters: {
      flags: {
        ...flags,
        ...formatFlag,
        ...argsFlag('The arguments as a JSON object, - for stdin'),
        output: textFlag('DIR', 'Save images and other files of the result in this folder'),
      },
      positional: { kind: 'array', parameter: toolArgument, minimum: 1 },
    },
    docs: {
      brief: 'Call a tool',
      customUsage: ['TOOL key=value… [key=@file]', "TOOL --json '{…}'", 'TOOL - < arguments.json'],
    },
  }),
  resources: buildCommand<OfferFlags, [string?], Cli>({
    loader: lazily(async () => (await import('./commands/offers/read.ts')).resources),
    parameters: { flags: listFlags, positional: { kind: 'tuple', parameters: [optional(serverArgument)] } },
    docs: { brief: 'Show the resources that servers offer' },
  }),
  read: buildCommand<ReadFlags, [string], Cli>({
    loader: lazily(async () => (await import('./commands/offers/read.ts')).read),
    parameters: {
      flags: {
        ...flags,
        ...formatFlag,
        ...serverFlag,
        output: textFlag('FILE', 'Put it into this new file'),
      },
      positional: { kind: 'tuple', parameters: [resourceArgument] },
    },
    docs: { brief: 'Read a resource' },
  }),
  prompts: buildCommand<OfferFlags, [string?], Cli>({
    loader: lazily(async () => (await import('./commands/offers/prompt.ts')).prompts),
    parameters: { flags: listFlags, positional: { kind: 'tuple', parameters: [optional(serverArgument)] } },
    docs: { brief: 'Show the prompts that servers offer' },
  }),
  prompt: buildCommand<PromptFlags, [string, ...string[]], Cli>({
    loader: lazily(async () => (await import('./commands/offers/prompt.ts')).prompt),
    parameters: {
      flags: { ...flags, ...messageFormatFlag, ...argsFlag('The arguments as a JSON object') },
      positional: { kind: 'array', parameter: promptArgument, minimum: 1 },
    },
    docs: {
      brief: 'Fill in a prompt, and print its messages',
      customUsage: ['SERVER/NAME key=value…', "SERVER/NAME --json '{…}'"],
    },
  }),
  agents: buildCommand<CommonFlags, [], Cli>({
    loader: lazily(async () => (await import('./commands/offers/agents.ts')).agents),
    parameters: { flags: commonFlags },
    docs: { brief: 'Show the agents described here, and which tools each may see' },
  }),
}

function parseLimit(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text)
  throw new Error('it is a number from 1 on')
}
