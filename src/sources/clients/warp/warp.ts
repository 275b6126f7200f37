import { codexRules, codexWrites } from '../codex/codex.ts'
import { createSource } from '../../entries/client-dialect.ts'
import type { SettleContext } from '../../entries/client-dialect.ts'
import type { Draft } from '../../entries/server-draft.ts'
import type { Entry } from '../../entries/raw-entry.ts'
import { dropIdleSwitches } from '../../entries/combine.ts'
import type { EntryRules } from '../../entries/entry-rules.ts'
import type { OpenFile } from '../../source.ts'
import { tablesOf, usableRoot } from '../../entries/server-tables.ts'

const bare = { message: 'A map of servers without "mcpServers"; Warp accepts it only when pasted.' }

const rules: EntryRules = {
  types: {},
  typeKeys: [],
  untypedUrl: 'http+sse',
  both: 'command',
  keys: { cwd: ['working_directory'] },
  known: ['start_on_launch'],
  checkPins: true,
  finish: checkRelative,
}

/** Files shared with other programs: entries may have a type, and keys that Warp ignores. */
const sharedRules: EntryRules = {
  ...rules,
  types: { stdio: 'stdio', http: 'http', 'streamable-http': 'http', sse: 'sse' },
  typeKeys: ['type'],
  known: ['timeout', 'alwaysLoad', 'headersHelper', 'oauth', 'tools', 'toolPermissions', 'displayName'],
}

export const warp = createSource({
  id: 'warp',
  title: 'Warp',
  switchesElsewhere: 'servers and tools',
  reads: 'unsure',
  roots: [['mcpServers']],
  rules: ({ role }) => ({ codex: codexRules, shared: sharedRules })[role] ?? rules,
  values: { syntaxes: [], unset: 'keep' },
  tables(files, _world, report) {
    return files.flatMap((file) => {
      const root = usableRoot(file, 'unsure', report)
      return root ? tablesOf(file, root, { roots: [[rootOf(file)]], bare }, report) : []
    })
  },
  settle(context) {
    dropIdleSwitches(context.drafts)
    markPending(context)
  },
  writes: (file) => (file.role === 'codex' ? { ...codexWrites, root: () => [rootOf(file)] } : {}),
})

function rootOf({ role }: OpenFile): string {
  return role === 'codex' ? 'mcp_servers' : 'mcpServers'
}

/** Warns about a relative command without a working directory: the folder it is relative to is not defined. */
function checkRelative(entry: Entry, { kind, command, cwd }: Draft): void {
  if (kind !== 'stdio' || command === undefined || cwd !== undefined || !isRelative(command)) return
  entry.warn('relative-path', 'The command is relative, but there is no "working_directory".', {
    key: 'command',
    hint: 'Set "working_directory", or use the full path.',
  })
}

function isRelative(command: string): boolean {
  return /[\\/]/.test(command) && !/^([\\/~$%]|[A-Za-z]:)/.test(command)
}

/** Warp starts only servers of the user's own file; it asks in every session for those of projects and other programs. */
function markPending({ drafts, report }: SettleContext): void {
  for (const draft of drafts.filter(({ refused }) => !refused)) {
    const { file, origin, name } = draft
    if (file.authority === 'project') {
      const message = 'Warp never starts a project server by itself; it asks in every session.'
      report.add('untrusted-project', 'warn', message, { file, pointer: origin.pointer, server: name })
    }
    if (file.authority === 'project' || file.role !== 'servers') draft.approval = 'pending'
  }
}
