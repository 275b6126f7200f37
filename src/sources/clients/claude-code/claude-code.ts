import { isObject, toPointer } from '../../../model/json.ts'
import type { JsonObject } from '../../../model/json.ts'
import type { Auth } from '../../../model/server.ts'
import {
  claudePluginValues,
  claudePluginTables,
  byPluginVersion,
  settleBundles,
} from './claude-code-plugins.ts'
import { applyPolicy } from './claude-code-policy.ts'
import { applySwitches, projectRecord } from './claude-code-settings.ts'
import { createSource } from '../../entries/client-dialect.ts'
import type { SettleContext } from '../../entries/client-dialect.ts'
import type { Entry } from '../../entries/raw-entry.ts'
import { readOAuth, sameNames, writeOAuth } from '../oauth-fields.ts'
import { dropOtherTransport } from '../other-transport.ts'
import type { EntryRules } from '../../entries/entry-rules.ts'
import type { OpenFile, Report, World } from '../../source.ts'
import { tableAt, tablesOf, usableRoot } from '../../entries/server-tables.ts'
import type { Table } from '../../entries/server-tables.ts'
import type { ValueRules } from '../../entries/template.ts'
import { noKey } from '../../entries/write-rules.ts'
import type { NewServer, WrittenEntry } from '../../entries/write-rules.ts'

const rules: EntryRules = {
  types: { stdio: 'stdio', http: 'http', 'streamable-http': 'http', sse: 'sse', ws: 'refused' },
  untypedUrl: 'refused',
  untypedUrlNote: {
    code: 'url-missing-type',
    severity: 'error',
    message: 'Without a "type" the entry is treated as stdio and skipped. Set "type" to "http" or "sse".',
  },
  both: 'command',
  keys: { cwd: null },
  timeouts: [{ key: 'timeout', unit: 'ms', sets: 'callMs', ignoredBelow: 1000 }],
  titleKey: 'displayName',
  known: ['alwaysLoad', 'tools', 'toolPermissions'],
  sseDeprecated: true,
  checkPins: true,
  auth: readLogin,
  finish(entry, draft) {
    draft.headersCommand = entry.string('headersHelper')
    dropOtherTransport(entry, draft, keysByTransport, (key) =>
      entry.warn('unknown-key', `"${key}" is not a key of this transport; it is ignored.`, { key }),
    )
    if (draft.headersCommand === undefined) return
    entry.warn('runs-command', 'headersHelper runs a shell command to build headers.', {
      key: 'headersHelper',
    })
  },
}

const keysByTransport = {
  stdio: ['args', 'env'],
  remote: ['headers', 'headersHelper', 'oauth', 'tools', 'toolPermissions', 'displayName'],
}

const values: ValueRules = {
  syntaxes: ['braces'],
  unset: 'keep',
  fields: ['command', 'args', 'env', 'url', 'headers'],
  emptyCounts: true,
  literalPlaceholders: 'report',
}

/** Local ranks above project, user and plugins, in four kinds of files. A managed file excludes all others. */
export const claudeCode = createSource({
  id: 'claude-code',
  title: 'Claude Code',
  reads: 'strict',
  roots: [['mcpServers']],
  rules,
  values: (server, world) =>
    server.origin.scope === 'plugin' ? claudePluginValues(server, world, values) : values,
  exclusive: managedFile,
  tables(files, world, report) {
    const tables = byPluginVersion(files).flatMap((file) => {
      const root = usableRoot(file, 'strict', report)
      return root ? tablesIn(file, root, world, report) : []
    })
    return byRank(tables).map((table) => withoutInternal(table, report))
  },
  settle(context) {
    applySwitches(context)
    settleBundles(context)
    applyPolicy(context)
    reportExclusive(context)
  },
  writes: {
    root: ({ role }) => [role === 'managed-settings' ? 'managedMcpServers' : 'mcpServers'],
    auth: writeOAuth('oauth', {
      fields: sameNames('clientId', 'callbackPort', 'authServerMetadataUrl', 'scopes', 'xaa'),
      scopes: 'text',
    }),
    boundKeys: keysByTransport.remote,
    toEntry: withoutDisplayName,
  },
})

/** Removes the title of a local server: `displayName` is a key of remote servers only. */
function withoutDisplayName({ transport, title }: NewServer, { entry, lost }: WrittenEntry): WrittenEntry {
  if (transport.kind !== 'stdio' || title === undefined) return { entry, lost }
  const { displayName: _name, ...rest } = entry
  return { entry: rest, lost: [...lost, { field: 'title', reason: noKey }] }
}

function managedFile(files: readonly OpenFile[]): OpenFile | undefined {
  return files.find(({ role, scope }) => role === 'servers' && scope === 'managed')
}

function tablesIn(file: OpenFile, root: JsonObject, world: World, report: Report): readonly Table[] {
  switch (file.role) {
    case 'settings':
      return []
    case 'managed-settings':
      return [tableAt(file, root, ['managedMcpServers'], report) ?? []].flat()
    case 'main':
      return mainTables(file, root, world, report)
    case 'plugin':
      return claudePluginTables(file, root, world, report)
    default:
      return tablesOf(file, root, { roots: [['mcpServers']] }, report)
  }
}

/** One file holds the user's servers and, by path, those of single projects. */
function mainTables(file: OpenFile, root: JsonObject, world: World, report: Report): readonly Table[] {
  const record = projectRecord(root, world)
  const local = record && tableAt({ ...file, scope: 'local' }, root, [...record.path, 'mcpServers'], report)
  return [local ?? [], tableAt(file, root, ['mcpServers'], report) ?? []].flat()
}

const ranks = ['managed', 'explicit', 'local', 'project', 'user', 'plugin']

function byRank(tables: readonly Table[]): readonly Table[] {
  return tables.toSorted((a, b) => ranks.indexOf(a.file.scope) - ranks.indexOf(b.file.scope))
}

const internalTypes = ['sdk', 'sse-ide', 'ws-ide', 'claudeai-proxy']

/** Removes entries that Claude Code writes for its own use. */
function withoutInternal(table: Table, report: Report): Table {
  const kept = Object.entries(table.value).filter(([name, entry]) => {
    const type = isObject(entry) ? entry['type'] : undefined
    if (typeof type !== 'string' || !internalTypes.includes(type)) return true
    report.add('not-launchable', 'info', `"${type}" servers run only inside Claude Code.`, {
      file: table.file,
      pointer: toPointer([...table.path, name]),
      server: name,
    })
    return false
  })
  return { ...table, value: Object.fromEntries(kept) }
}

function readLogin(entry: Entry): Auth | undefined {
  const login = readOAuth(entry, 'oauth')
  const given = entry.get('oauth')
  if (!login || !isObject(given)) return login
  const metadata = given['authServerMetadataUrl']
  if (typeof metadata === 'string' && !metadata.startsWith('https://')) {
    entry.refuse('insecure-url', 'authServerMetadataUrl must start with https://.', {
      key: ['oauth', 'authServerMetadataUrl'],
    })
  }
  const scopes = given['scopes']
  if (scopes !== undefined && scopes !== null && typeof scopes !== 'string') {
    entry.warn('wrong-type', 'scopes must be one string, separated by spaces.', { key: ['oauth', 'scopes'] })
  }
  return login
}

function reportExclusive({ files, hidden, report }: SettleContext): void {
  const file = managedFile(files)
  if (!file || hidden.length === 0) return
  report.add(
    'managed-exclusive',
    'warn',
    'managed-mcp.json has exclusive control: local, project, user and plugin servers are not loaded.',
    { file },
  )
}
