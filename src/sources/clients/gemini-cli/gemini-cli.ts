import { basename, dirname, sep } from 'node:path'
import { isObject, toPointer } from '../../../model/json.ts'
import type { Server } from '../../../model/server.ts'
import { createSource } from '../../entries/client-dialect.ts'
import type { SettleContext } from '../../entries/client-dialect.ts'
import type { Draft } from '../../entries/server-draft.ts'
import {
  checkTcp,
  checkTrust,
  geminiEntry,
  geminiValues,
  geminiWrites,
  nameLists,
  switchOff,
} from './gemini-settings.ts'
import type { NameList } from './gemini-settings.ts'
import { checkTwoLogins } from '../oauth-fields.ts'
import type { EntryRules } from '../../entries/entry-rules.ts'
import type { OpenFile, Report, World } from '../../source.ts'
import { tablesOf, usableRoot, valueIn } from '../../entries/server-tables.ts'
import type { RootRules, Table } from '../../entries/server-tables.ts'
import type { ValueRules } from '../../entries/template.ts'

const roots: RootRules = { roots: [['mcpServers']] }

const rules: EntryRules = {
  ...geminiEntry,
  types: { stdio: 'stdio', http: 'http', sse: 'sse' },
  untypedUrl: 'http+sse',
  timeouts: [{ key: 'timeout', unit: 'ms', sets: 'callMs' }],
  finish(entry, draft) {
    checkTwoLogins(entry, draft)
    if (entry.has('httpUrl')) {
      entry.info('deprecated-key', '"httpUrl" is deprecated; use "url" with type "http".', { key: 'httpUrl' })
    }
    checkTcp(entry)
    if (entry.file.role !== 'extension') checkTrust(entry)
    else if (entry.has('trust')) {
      entry.warn('key-dropped-by-owner', 'An extension cannot set "trust" for its servers.', { key: 'trust' })
    }
  },
}

/** Settings files shadow one another by name, extensions rank last; lists and the enablement file switch servers. */
export const geminiCli = createSource({
  id: 'gemini-cli',
  title: 'Gemini CLI',
  reads: 'jsonc',
  ...roots,
  rules,
  values: valuesOf,
  tables(files, _world, report) {
    const declaring = files.filter(({ role }) => role === 'servers' || role === 'extension')
    const tables = declaring.flatMap((file) => {
      const root = usableRoot(file, file.role === 'extension' ? 'strict' : 'jsonc', report)
      return root ? tablesOf(file, root, roots, report) : []
    })
    return [...serverCommand(files), ...tables]
  },
  settle(context) {
    applyLists(context)
    applyEnablement(context)
  },
  writes: { ...geminiWrites, urlKey: 'url' },
})

function valuesOf({ origin }: Server, world: World): ValueRules {
  const values = geminiValues(world)
  if (origin.scope !== 'extension') return values
  const names = {
    extensionPath: dirname(origin.file),
    workspacePath: world.dirs[0] ?? world.cwd,
    '/': sep,
    pathSeparator: sep,
  }
  return { ...values, syntaxes: [...values.syntaxes, 'plugin'], names }
}

/** `mcp.serverCommand` declares one more server, which Gemini CLI calls "mcp". */
function serverCommand(files: readonly OpenFile[]): readonly Table[] {
  const path = ['mcp', 'serverCommand']
  for (const file of files.filter(({ role }) => role === 'servers')) {
    const line = valueIn(file, path)
    if (typeof line !== 'string' || line.trim() === '') continue
    const [command = '', ...args] = toWords(line)
    return [{ file, path, value: { mcp: { command, args } }, entryAt: () => ({ name: 'mcp', path }) }]
  }
  return []
}

function toWords(line: string): readonly string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '')
}

/** Applies each list from the highest file that has it. An empty list of allowed servers restricts nothing. */
function applyLists({ drafts, files, report }: SettleContext): void {
  const allowed = effectiveLists(nameLists(files, 'allowed', report)).filter(({ names }) => names.length > 0)
  const excluded = effectiveLists(nameLists(files, 'excluded', report))
  for (const draft of drafts) {
    const off =
      allowed.find(({ names }) => !isNamed(draft, names)) ??
      excluded.find(({ names }) => isNamed(draft, names))
    if (off) switchOff(draft, off.place)
  }
}

/** T01: a project's list does not replace the user's list; both apply. */
function effectiveLists(lists: readonly NameList[]): readonly NameList[] {
  const userList = lists.find(({ authority }) => authority !== 'project')
  return [...new Set([...lists.slice(0, 1), ...(userList ? [userList] : [])])]
}

/** Compares names case-insensitively. A server of an extension may be listed with the extension's name. */
function isNamed(draft: Draft, names: readonly string[]): boolean {
  const wanted = names.map((name) => name.toLowerCase().trim())
  return idsOf(draft).some((id) => wanted.includes(id))
}

function idsOf({ name, file }: Draft): readonly string[] {
  const id = name.toLowerCase().trim()
  return file.role === 'extension' ? [id, `ext:${basename(dirname(file.path)).toLowerCase()}:${id}`] : [id]
}

/** Applies the state that `gemini mcp disable` saves. */
function applyEnablement({ drafts, files, report }: SettleContext): void {
  for (const [file, states] of enablementFiles(files, report)) {
    for (const draft of drafts) {
      const id = idsOf(draft).find((candidate) => isOff(states[candidate]))
      if (id !== undefined && draft.enabled !== false) {
        switchOff(draft, `${file.path}#${toPointer([id, 'enabled'])}`)
      }
    }
  }
}

function enablementFiles(files: readonly OpenFile[], report: Report) {
  return files
    .filter(({ role }) => role === 'enablement')
    .flatMap((file) => {
      const states = usableRoot(file, 'unsure', report)
      return states ? [[file, states] as const] : []
    })
}

function isOff(state: unknown): boolean {
  return isObject(state) && state['enabled'] === false
}
