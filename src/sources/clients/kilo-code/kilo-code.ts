import { basename } from 'node:path'
import { isObject, valueAt } from '../../../model/json.ts'
import { createSource } from '../../entries/client-dialect.ts'
import type { SettleContext } from '../../entries/client-dialect.ts'
import type { Draft } from '../../entries/server-draft.ts'
import type { Entry } from '../../entries/raw-entry.ts'
import { opencodeRules, opencodeWrites, settleOpencode } from '../opencode/opencode.ts'
import type { EntryRules } from '../../entries/entry-rules.ts'
import type { OpenFile } from '../../source.ts'
import { tablesOf, usableRoot } from '../../entries/server-tables.ts'
import { noKey } from '../../entries/write-rules.ts'
import type { NewServer, WrittenEntry } from '../../entries/write-rules.ts'

const rules: EntryRules = {
  ...opencodeRules,
  keys: { args: [], env: ['environment', 'env'], cwd: null },
  timeouts: [{ key: 'timeout', unit: 'ms', sets: 'callMs', min: 1, outside: 'refuse' }],
  finish(entry, draft) {
    if (draft.kind !== 'http') reportDropped(entry, ['cwd'])
    else if (entry.has('env'))
      entry.warn('unknown-key', '"env" has no meaning for a remote server.', { key: 'env' })
    opencodeRules.finish?.(entry, draft)
  },
}

/** Files of the older extension. Kilo migrates their entries and drops some keys. */
const legacyRules: EntryRules = {
  types: { stdio: 'stdio', 'streamable-http': 'http+sse', sse: 'http+sse' },
  untypedUrl: 'refused',
  untypedUrlNote: {
    code: 'url-missing-type',
    severity: 'error',
    message: 'A remote entry needs "type": "streamable-http" or "sse"; without it Kilo expects a command.',
  },
  both: 'command',
  keys: { cwd: null },
  flag: 'disabled',
  timeouts: [{ key: 'timeout', unit: 's', sets: 'callMs', min: 1, max: 3600, outside: 'clamp' }],
  denyKey: 'disabledTools',
  autoApproveKey: 'alwaysAllow',
  checkPins: true,
  finish(entry, draft) {
    reportDropped(entry, ['cwd', 'disabledTools', 'watchPaths'])
    if (hasAutoApprove(draft)) {
      entry.info('legacy-file', 'Kilo migrates this file when it loads; alwaysAllow is not carried over.', {
        key: 'alwaysAllow',
      })
    }
  },
}

export const kiloCode = createSource({
  id: 'kilo-code',
  title: 'Kilo Code',
  reads: 'jsonc',
  roots: [['mcp']],
  rules: (file) => (file.role === 'legacy' ? legacyRules : rules),
  values: (server) =>
    ['mcp.json', 'mcp_settings.json'].includes(basename(server.origin.file))
      ? { syntaxes: [], unset: 'keep', literalPlaceholders: 'report' }
      : { syntaxes: ['opencode'], unset: 'empty' },
  merge: 'deep',
  tables(files, _world, report) {
    return files.flatMap((file) => {
      const legacy = file.role === 'legacy'
      const root = usableRoot(file, legacy ? 'unsure' : 'jsonc', report)
      return root ? tablesOf(file, root, { roots: [[rootOf(file)]] }, report) : []
    })
  },
  settle(context) {
    settleOpencode(context)
    reportLegacyFiles(context)
  },
  writes: (file) => ({
    ...(file.role === 'legacy' ? { toEntry: withoutDenied } : opencodeWrites),
    root: () => [rootOf(file)],
  }),
})

/** Removes the denied tools, which Kilo would drop, and lists them as lost. */
function withoutDenied({ tools }: NewServer, { entry, lost }: WrittenEntry): WrittenEntry {
  const { disabledTools: _dropped, ...rest } = entry
  return tools?.deny?.length
    ? { entry: rest, lost: [...lost, { field: 'deniedTools', reason: noKey }] }
    : { entry, lost }
}

function rootOf({ role }: OpenFile): string {
  return role === 'legacy' ? 'mcpServers' : 'mcp'
}

function reportDropped(entry: Entry, keys: readonly string[]): void {
  for (const key of keys.filter((name) => entry.has(name))) {
    entry.warn('key-dropped-by-owner', `Kilo drops "${key}" when it loads the entry.`, { key })
  }
}

function hasAutoApprove({ autoApprove }: Draft): boolean {
  return autoApprove !== undefined && autoApprove.length > 0
}

/** Reports each legacy file once, also if the migration drops nothing. */
function reportLegacyFiles({ files, report }: SettleContext): void {
  for (const file of files.filter(({ role }) => role === 'legacy')) {
    if (!declaresServers(file)) continue
    const isReported = report.diagnostics.some(
      ({ code, origin }) => code === 'legacy-file' && origin?.file === file.path,
    )
    if (!isReported)
      report.add('legacy-file', 'info', 'Kilo migrates this file of an older version when it loads.', {
        file,
      })
  }
}

function declaresServers({ doc }: OpenFile): boolean {
  const servers = doc.errors.length === 0 ? valueAt(doc.value, ['mcpServers']) : undefined
  return isObject(servers) && Object.keys(servers).length > 0
}
