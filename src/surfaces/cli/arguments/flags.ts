import { presetNames, sourceIds } from '../../../index.ts'
import { usage } from '../errors.ts'
import { propose } from './positionals.ts'

const text = (value: string): string => value
const proposeSources = (partial: string) => sourceIds.filter((id) => id.startsWith(partial))

/** The flags that every command has, with the same meaning everywhere. */
export const commonFlags = {
  json: { kind: 'boolean', optional: true, withNegated: false, brief: 'Print the result as JSON' },
  quiet: { kind: 'boolean', optional: true, withNegated: false, brief: 'Print only the result' },
  preset: { kind: 'enum', values: presetNames, optional: true, brief: 'Use the rules of this system' },
  cwd: {
    kind: 'parsed',
    parse: text,
    optional: true,
    placeholder: 'DIR',
    brief: 'Run as if started in this folder',
  },
  config: { kind: 'parsed', parse: text, optional: true, placeholder: 'FILE', brief: 'Read this file first' },
  source: {
    kind: 'parsed',
    parse: text,
    variadic: true,
    optional: true,
    placeholder: 'ID',
    brief: 'Use only this source; may be repeated',
    proposeCompletions: proposeSources,
  },
  trust: {
    kind: 'boolean',
    optional: true,
    withNegated: false,
    brief: 'Trust the project’s servers, for this command only',
  },
  scope: {
    kind: 'enum',
    values: ['user', 'project'],
    optional: true,
    brief: 'Use your own files or the project’s',
  },
} as const

export const waitFlags = {
  timeout: {
    kind: 'parsed',
    parse: parseDuration,
    optional: true,
    placeholder: 'TIME',
    brief: 'Wait at most this long, such as 500ms, 10s or 1m',
  },
  input: {
    kind: 'parsed',
    parse: text,
    optional: true,
    variadic: true,
    placeholder: 'ID=VALUE',
    brief: 'Value for an input of an entry; may be repeated',
  },
} as const

export const dryRunFlag = {
  dryRun: {
    kind: 'boolean',
    optional: true,
    withNegated: false,
    brief: 'Show what would be written without writing it',
  },
} as const

export const textFlag = (placeholder: string, brief: string) =>
  ({ kind: 'parsed', parse: text, optional: true, placeholder, brief }) as const

export const textsFlag = (placeholder: string, brief: string) =>
  ({ kind: 'parsed', parse: text, optional: true, variadic: true, placeholder, brief }) as const

export const switchFlag = (brief: string) =>
  ({ kind: 'boolean', optional: true, withNegated: false, brief }) as const

export const limitFlag = {
  limit: {
    kind: 'parsed',
    parse: parseLimit,
    optional: true,
    placeholder: 'N',
    brief: 'Maximum number of results (default 20)',
  },
} as const

function parseLimit(given: string): number {
  if (/^[1-9]\d{0,5}$/.test(given)) return Number(given)
  throw new Error('expected a number of at least 1')
}

export const noStartFlag = {
  noStart: switchFlag('Start no server; show only what is already known'),
} as const

export const noTextsFlag = {
  noTexts: switchFlag('Print no texts of servers; usual where an agent runs the command'),
} as const

export const agentFlag = {
  agent: {
    ...textFlag('NAME', 'Use the view of this agent'),
    proposeCompletions: propose(({ agents }) => agents),
  },
} as const

export const modelFlag = {
  model: {
    ...textFlag('ENDPOINT/MODEL', 'The model to use; see plugboard models'),
    proposeCompletions: propose(({ models }) => models),
  },
} as const

/** Flags of commands that give prompts to a model. */
export const promptFlags = {
  ...modelFlag,
  continue: {
    kind: 'parsed',
    parse: text,
    inferEmpty: true,
    optional: true,
    placeholder: 'ID',
    brief: 'Go on with a conversation; without an ID, the last one of this folder',
  },
  demo: switchFlag('Use a small sample server and a demo model, without a key'),
} as const

export const serverFlag = {
  server: {
    ...textFlag('NAME', 'The server that offers it'),
    proposeCompletions: propose(({ servers }) => servers),
  },
} as const

/** Flags of commands that talk to servers. */
export const connectFlags = { ...commonFlags, ...waitFlags } as const

/** Flags of commands that use what servers offer. */
export const viewFlags = { ...connectFlags, ...agentFlag } as const

/** Flags of commands that only show offers. */
export const offerFlags = { ...viewFlags, ...noStartFlag } as const

/** A server that the command line itself names (D-17). */
const givenServerFlags = {
  stdio: textFlag('COMMAND', 'Use the server that this command starts, without any config'),
  url: textFlag('URL', 'Use the server at this URL, without any config'),
  env: textsFlag('K=V', 'Environment variable for --stdio; may be repeated'),
  header: textsFlag('K=V', 'HTTP header for --url; may be repeated'),
  keep: textFlag('NAME', 'Add the server of --stdio or --url to your own config'),
} as const

/** The same for commands that also work without a config. */
export const connectGivenFlags = { ...connectFlags, ...givenServerFlags } as const
export const viewGivenFlags = { ...viewFlags, ...givenServerFlags } as const
export const offerGivenFlags = { ...offerFlags, ...givenServerFlags } as const

export const argsFlag = (what: string) =>
  ({ args: textFlag('JSON', `${what}; same as --json '{…}'`) }) as const

const formats = ['text', 'json', 'raw', 'markdown'] as const
export type Format = (typeof formats)[number]

/** Without `raw`: prompt messages have no raw bytes. */
const messageFormats = ['text', 'json', 'markdown'] as const
export type MessageFormat = (typeof messageFormats)[number]

export interface FormatFlags<Taken extends Format = Format> {
  readonly json?: boolean
  readonly format?: Taken
}

export const formatFlag = {
  format: {
    kind: 'enum',
    values: formats,
    optional: true,
    brief: 'Output format; raw prints only the bytes',
  },
} as const

export const messageFormatFlag = {
  format: {
    kind: 'enum',
    values: messageFormats,
    optional: true,
    brief: 'Output format',
  },
} as const

/** `--json` is short for `--format json`. */
export function formatOf({ json = false, format }: FormatFlags): Format {
  if (json && format !== undefined && format !== 'json')
    throw usage(`--json and --format ${format} exclude each other.`)
  return format ?? (json ? 'json' : 'text')
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** Parses `500ms`, `10s`, `1.5m` or `1h` to milliseconds. The unit is required: a bare number would be ambiguous. */
export function parseDuration(text: string): number {
  const [, digits = '', unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? []
  const ms = Math.round(Number(digits) * (units[unit] ?? 0))
  if (ms > 0 && ms <= longestMs) return ms
  throw new Error('expected a number and a unit, such as 500ms, 10s or 1m')
}

/** The maximum delay of a Node timer. */
const longestMs = 2 ** 31 - 1
