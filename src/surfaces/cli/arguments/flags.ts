import { presetNames, sourceIds } from '../../../index.ts'
import type { PresetName } from '../../../index.ts'
import type { Cli } from '../command-context.ts'
import { parseDuration } from '../duration.ts'
import { formats, messageFormats } from '../format.ts'
import type * as Proposals from './proposals.ts'

const text = (value: string): string => value
/** Our own files are always in use; the others are read where a person names a file (`add --from`, `--config`). */
export const notClients: readonly string[] = ['plugboard', 'registry-server-json', 'mcpb', 'agent-plugins']

const proposeClients = (partial: string) =>
  sourceIds.filter((id) => id.startsWith(partial) && !notClients.includes(id))
const proposeSources = (partial: string) => sourceIds.filter((id) => id.startsWith(partial))

/** The flags of every command, in one place so that they mean the same everywhere. */
export const commonFlags = {
  json: { kind: 'boolean', optional: true, withNegated: false, brief: 'Print the result as JSON' },
  quiet: { kind: 'boolean', optional: true, withNegated: false, brief: 'Print the result only' },
  preset: { kind: 'enum', values: presetNames, optional: true, brief: 'Use the rules of this system' },
  cwd: {
    kind: 'parsed',
    parse: text,
    optional: true,
    placeholder: 'DIR',
    brief: 'Work as if in this folder',
  },
  config: { kind: 'parsed', parse: text, optional: true, placeholder: 'FILE', brief: 'Read this file first' },
  source: {
    kind: 'parsed',
    parse: text,
    variadic: true,
    optional: true,
    placeholder: 'ID',
    brief: 'Use exactly this source; may be repeated',
    proposeCompletions: proposeSources,
  },
  trust: {
    kind: 'boolean',
    optional: true,
    withNegated: false,
    brief: 'Trust what the project declares, for this command only',
  },
  scope: {
    kind: 'enum',
    values: ['user', 'project'],
    optional: true,
    brief: 'Whose files are meant: your own or the project’s',
  },
} as const

export const waitFlags = {
  timeout: {
    kind: 'parsed',
    parse: parseDuration,
    optional: true,
    placeholder: 'TIME',
    brief: 'Wait no longer than this, such as 500ms, 10s or 1m',
  },
  input: {
    kind: 'parsed',
    parse: text,
    optional: true,
    variadic: true,
    placeholder: 'ID=VALUE',
    brief: 'An answer to what an entry asks for; may be repeated',
  },
} as const

export const dryRunFlag = {
  dryRun: {
    kind: 'boolean',
    optional: true,
    withNegated: false,
    brief: 'Show what would be written, and write nothing',
  },
} as const

export const textFlag = (placeholder: string, brief: string) =>
  ({ kind: 'parsed', parse: text, optional: true, placeholder, brief }) as const

export const textsFlag = (placeholder: string, brief: string) =>
  ({ kind: 'parsed', parse: text, optional: true, variadic: true, placeholder, brief }) as const

export const switchFlag = (brief: string) =>
  ({ kind: 'boolean', optional: true, withNegated: false, brief }) as const

export const noStartFlag = { noStart: switchFlag('Start nothing; say what is known without it') } as const

type Propose = (this: Cli, partial: string) => Promise<readonly string[]>

/** Loads what completes names when one is completed. It must answer at once and never complain. */
const propose = (
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
  brief: 'the server, or a tool by its name or ref',
  parse: text,
  placeholder: 'NAME',
  proposeCompletions: propose(({ serversAndTools }) => serversAndTools),
} as const

export const toolNameArgument = {
  brief: 'the tool, by its name or as SERVER/TOOL',
  parse: text,
  placeholder: 'TOOL',
  proposeCompletions: propose(({ tools }) => tools),
} as const

export const toolArgument = {
  brief: 'the tool, then its arguments: key=value, a JSON object, or - for stdin',
  parse: text,
  placeholder: 'TOOL',
  proposeCompletions: propose(({ toolsAndArguments }) => toolsAndArguments),
} as const

export const resourceArgument = {
  brief: 'the address of the resource',
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

export const agentFlag = {
  agent: {
    ...textFlag('NAME', 'As this agent sees it'),
    proposeCompletions: propose(({ agents }) => agents),
  },
} as const

export const serverFlag = {
  server: {
    ...textFlag('NAME', 'Whose it is'),
    proposeCompletions: propose(({ servers }) => servers),
  },
} as const

export const formatFlag = {
  format: {
    kind: 'enum',
    values: formats,
    optional: true,
    brief: 'How the result is printed; raw is its bytes alone',
  },
} as const

export const messageFormatFlag = {
  format: {
    kind: 'enum',
    values: messageFormats,
    optional: true,
    brief: 'How the messages are printed',
  },
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
  throw new Error(`there is no preset of that name; there are ${presetNames.join(', ')}`)
}

export const shellArgument = {
  brief: 'bash, zsh or fish',
  parse: text,
  placeholder: 'SHELL',
  proposeCompletions: (partial: string) => ['bash', 'zsh', 'fish'].filter((name) => name.startsWith(partial)),
} as const
