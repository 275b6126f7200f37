import { codexRules, codexWrites } from '../codex/codex.ts'
import { createSource } from '../../entries/client-dialect.ts'
import type { SettleContext } from '../../entries/client-dialect.ts'
import type { Draft } from '../../entries/server-draft.ts'
import type { Entry } from '../../entries/raw-entry.ts'
import { dropIdleSwitches } from '../../entries/combine.ts'
import type { EntryRules } from '../../entries/entry-rules.ts'
import type { OpenFile } from '../../source.ts'
import { tablesOf, usableRoot } from '../../entries/server-tables.ts'

const bare = { message: 'A map of servers without "mcpServers" around it; Warp takes it when it is pasted.' }

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

/** Files that other programs share: their entries may say a type, and have keys that mean nothing here. */
const sharedRules: EntryRules = {
  ...rules,
  types: { stdio: 'stdio', http: 'http', 'streamable-http': 'http', sse: 'sse' },
  typeKeys: ['type'],
  known: ['timeout', 'alwaysLoad', 'headersHelper', 'oauth', 'tools', 'toolPermissions', 'displayName'],
}

export const warp = createSource({
  id: 'warp',
  title: 'Warp',
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
    askForApproval(context)
  },
  writes: (file) => (file.role === 'codex' ? { ...codexWrites, root: () => [rootOf(file)] } : {}),
})

function rootOf({ role }: OpenFile): string {
  return role === 'codex' ? 'mcp_servers' : 'mcpServers'
}

/** Without a folder to start in, nobody knows what a relative command is relative to. */
function checkRelative(entry: Entry, { kind, command, cwd }: Draft): void {
  if (kind !== 'stdio' || command === undefined || cwd !== undefined || !isRelative(command)) return
  entry.warn('relative-path', 'A relative command without "working_directory".', {
    key: 'command',
    hint: 'Set "working_directory", or give the full path.',
  })
}

function isRelative(command: string): boolean {
  return /[\\/]/.test(command) && !/^([\\/~$%]|[A-Za-z]:)/.test(command)
}

/** Only the user's own file starts at once: a project's asks in every session, and so does another program's. */
function askForApproval({ drafts, report }: SettleContext): void {
  for (const draft of drafts.filter(({ refused }) => !refused)) {
    const { file, origin, name } = draft
    if (file.authority === 'project') {
      const message = 'Warp never starts a server of a project by itself; it asks in every session.'
      report.add('untrusted-project', 'warn', message, { file, pointer: origin.pointer, server: name })
    }
    if (file.authority === 'project' || file.role !== 'servers') draft.approval = 'pending'
  }
}
