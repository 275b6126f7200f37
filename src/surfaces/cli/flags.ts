import { presetNames, sourceIds } from '../../index.ts'
import { discoverFor } from './context.ts'
import type { Cli } from './context.ts'
import { parseDuration } from './duration.ts'
import { toRef } from './tool-ref.ts'

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

/** Completes the names of this folder's servers; it must answer at once and never complain. */
async function proposeServers(this: Cli, partial: string): Promise<readonly string[]> {
  try {
    const { servers } = await discoverFor(this.given ?? {})
    return servers.map(({ name }) => name).filter((name) => name.startsWith(partial))
  } catch {
    return []
  }
}

export const serverArgument = {
  brief: 'the server',
  parse: text,
  placeholder: 'NAME',
  proposeCompletions: proposeServers,
} as const

/** The servers, each with the slash behind which its tools stand. */
async function proposeRefs(this: Cli, partial: string): Promise<readonly string[]> {
  const names = await proposeServers.call(this, '')
  return names.map((name) => toRef(name, '')).filter((ref) => ref.startsWith(partial))
}

export const toolArgument = {
  brief: 'the tool, then its arguments: a JSON object, or key=value',
  parse: text,
  placeholder: 'SERVER/TOOL',
  proposeCompletions: proposeRefs,
} as const

export const textArgument = (placeholder: string, brief: string) =>
  ({ brief, parse: text, placeholder }) as const

export const sourceArgument = (placeholder: string, brief: string) =>
  ({
    brief,
    parse: text,
    placeholder,
    proposeCompletions: proposeClients,
  }) as const

export const shellArgument = {
  brief: 'bash, zsh or fish',
  parse: text,
  placeholder: 'SHELL',
  proposeCompletions: (partial: string) => ['bash', 'zsh', 'fish'].filter((name) => name.startsWith(partial)),
} as const
