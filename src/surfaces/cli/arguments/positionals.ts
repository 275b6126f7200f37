import { presetNames, sourceIds } from '../../../index.ts'
import type { PresetName } from '../../../index.ts'
import type { Cli } from '../command-context.ts'
import type * as Proposals from './proposals.ts'

const text = (value: string): string => value
/** Sources that cannot be turned on: our own files are always used, the others are read by name (`add --from`, `--config`). */
export const notClients: readonly string[] = ['plugboard', 'registry-server-json', 'mcpb', 'agent-plugins']

const proposeClients = (partial: string) =>
  sourceIds.filter((id) => id.startsWith(partial) && !notClients.includes(id))
type Propose = (this: Cli, partial: string) => Promise<readonly string[]>

/** Loads the completion code on demand. A failure proposes nothing: completion must be quick and silent. */
export const propose = (
  choose: (proposals: typeof Proposals) => (cli: Cli, partial: string) => Promise<readonly string[]>,
): Propose =>
  async function proposed(partial) {
    try {
      return await choose(await import('./proposals.ts'))(this, partial)
    } catch {
      return []
    }
  }

export const serverArgument = {
  brief: 'the server',
  parse: text,
  placeholder: 'NAME',
  proposeCompletions: propose(({ servers }) => servers),
} as const

export const serverOrToolArgument = {
  brief: 'a server, or a tool by name or ref',
  parse: text,
  placeholder: 'NAME',
  proposeCompletions: propose(({ serversAndTools }) => serversAndTools),
} as const

export const toolNameArgument = {
  brief: 'the tool: its name, SERVER/TOOL, SERVER.TOOL, or its own name if no other server has it',
  parse: text,
  placeholder: 'TOOL',
  proposeCompletions: propose(({ tools }) => tools),
} as const

export const ownToolArgument = {
  brief: 'its tool, if the first word is a server',
  parse: text,
  placeholder: 'NAME',
  proposeCompletions: propose(({ toolsOfServer }) => toolsOfServer),
} as const

export const toolArgument = {
  brief: 'the tool as for plugboard tool, then its arguments: key=value, a JSON object, or - for stdin',
  parse: text,
  placeholder: 'TOOL',
  proposeCompletions: propose(({ toolsAndArguments }) => toolsAndArguments),
} as const

export const resourceArgument = {
  brief: 'the URI of the resource',
  parse: text,
  placeholder: 'URI',
  proposeCompletions: propose(({ resources }) => resources),
} as const

export const promptArgument = {
  brief: 'the prompt, then its arguments: key=value',
  parse: text,
  placeholder: 'SERVER/NAME',
  proposeCompletions: propose(({ promptsAndArguments }) => promptsAndArguments),
} as const

export const skillArgument = {
  brief: 'the skill: SERVER/NAME, its name alone if no other server has it, or the URI of its SKILL.md',
  parse: text,
  placeholder: 'SKILL',
  proposeCompletions: propose(({ skills }) => skills),
} as const

export const endpointArgument = {
  brief: 'the endpoint',
  parse: text,
  placeholder: 'ENDPOINT',
  proposeCompletions: propose(({ endpoints }) => endpoints),
} as const

export const modelArgument = {
  brief: 'the model, as plugboard models writes it',
  parse: text,
  placeholder: 'ENDPOINT/MODEL',
  proposeCompletions: propose(({ models }) => models),
} as const

export const commandArgument = {
  brief: 'the command to explain',
  parse: text,
  placeholder: 'COMMAND',
  proposeCompletions: propose(({ commandNames }) => commandNames),
} as const

export const optional = <Parameter extends object>(parameter: Parameter) =>
  ({ ...parameter, optional: true }) as const

export const textArgument = (placeholder: string, brief: string) =>
  ({ brief, parse: text, placeholder }) as const

export const sourceArgument = (placeholder: string, brief: string) =>
  ({
    brief,
    parse: text,
    placeholder,
    proposeCompletions: proposeClients,
  }) as const

export const presetArgument = {
  brief: presetNames.join(', '),
  parse: parsePreset,
  placeholder: 'NAME',
  proposeCompletions: (partial: string) => presetNames.filter((name) => name.startsWith(partial)),
} as const

function parsePreset(given: string): PresetName {
  const name = presetNames.find((each) => each === given)
  if (name) return name
  throw new Error(`unknown preset; use one of ${presetNames.join(', ')}`)
}

export const shellArgument = {
  brief: 'bash, zsh or fish',
  parse: text,
  placeholder: 'SHELL',
  proposeCompletions: (partial: string) => ['bash', 'zsh', 'fish'].filter((name) => name.startsWith(partial)),
} as const
