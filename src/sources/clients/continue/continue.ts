import { basename } from 'node:path'
import { isObject, toPointer, valueAt } from '../../../model/json.ts'
import type { Json, JsonObject } from '../../../model/json.ts'
import { createSource } from '../../entries/client-dialect.ts'
import type { SettleContext } from '../../entries/client-dialect.ts'
import type { Draft } from '../../entries/server-draft.ts'
import type { Entry } from '../../entries/raw-entry.ts'
import { dropOtherTransport } from '../other-transport.ts'
import { readHeaders } from '../../entries/read-endpoint.ts'
import type { EntryRules } from '../../entries/entry-rules.ts'
import { checkLiteral } from '../../entries/check-literals.ts'
import { classifyLiteral } from '../../entries/literal-secrets.ts'
import type { OpenFile, Report } from '../../source.ts'
import { tableAt, tablesOf, usableRoot } from '../../entries/server-tables.ts'
import type { Table } from '../../entries/server-tables.ts'
import type { Auth } from '../../../model/server.ts'
import type { WriteRules } from '../../entries/write-rules.ts'

const yamlRules: EntryRules = {
  types: { stdio: 'stdio', sse: 'sse', 'streamable-http': 'http' },
  untypedUrl: 'http+sse',
  both: 'command',
  keys: { headers: [] },
  timeouts: [{ key: 'connectionTimeout', unit: 'ms', sets: 'startupMs', min: 1, outside: 'refuse' }],
  known: ['name', 'serverName', 'faviconUrl', 'sourceFile'],
  checkPins: true,
  finish(entry, draft) {
    readApiKey(entry, draft)
    readRequestOptions(entry, draft)
    checkAuth(entry, draft)
    dropOthers(entry, draft, ['apiKey', 'requestOptions'])
  },
}

/** Files in the form of Claude Desktop or Claude Code, or with one server. */
const jsonRules: EntryRules = {
  types: { stdio: 'stdio', http: 'http', sse: 'sse' },
  untypedUrl: 'http+sse',
  both: 'command',
  keys: { cwd: null },
  checkPins: true,
  finish(entry, draft) {
    dropOthers(entry, draft, ['headers'])
    if (!entry.has('envFile')) return
    entry.warn('unsupported-in-client', 'Continue does not support envFile.', { key: 'envFile' })
  },
}

/** YAML files have a list of servers and required top-level keys; JSON files have the form of other clients. */
const writes: WriteRules = {
  root: () => ['mcpServers'],
  list: ({ format }) => format === 'yaml',
  newFile: ({ format }) =>
    format === 'yaml' ? { name: 'Local Config', version: '1.0.0', schema: 'v1' } : {},
  auth: writeAuth,
  headersUnder: 'requestOptions',
  valueKeys: ['requestOptions'],
  boundKeys: ['apiKey', 'requestOptions'],
}

/** Names may repeat: every entry is a separate server. */
export const continueDev = createSource({
  id: 'continue',
  title: 'Continue',
  switchesElsewhere: 'tools',
  reads: 'jsonc',
  roots: [['mcpServers']],
  rules: ({ format }) => (format === 'yaml' ? yamlRules : jsonRules),
  values: { syntaxes: ['secrets'], unset: 'keep' },
  merge: 'keep-all',
  tables(files, _world, report) {
    return files.flatMap((file) => {
      const root = usableRoot(file, 'jsonc', report)
      if (!root) return []
      return file.format === 'yaml' ? listIn(file, root, report) : mapsIn(file, root, report)
    })
  },
  settle: reportTemplates,
  writes,
})

/** A YAML list: an entry's path is its index, and its name is one of its keys. */
function listIn(file: OpenFile, root: JsonObject, report: Report): readonly Table[] {
  const list = root['mcpServers'] ?? []
  if (!Array.isArray(list)) {
    report.add('wrong-type', 'error', '"mcpServers" must be a list of servers.', {
      file,
      pointer: '/mcpServers',
    })
    return []
  }
  const items = (list as readonly Json[]).map((item, index) => [String(index), item] as const)
  const value = Object.fromEntries(items.filter(([key, item]) => isNamed(file, key, item, report)))
  const entryAt = (key: string) => ({ name: nameOf(value[key]) ?? key, path: ['mcpServers', Number(key)] })
  return [{ file, path: ['mcpServers'], value, entryAt }]
}

function isNamed(file: OpenFile, key: string, item: Json, report: Report): boolean {
  if (!isObject(item) || nameOf(item) !== undefined) return true
  const where = { file, pointer: toPointer(['mcpServers', key]) }
  if (typeof item['uses'] === 'string') {
    report.add('not-launchable', 'info', `${item['uses']} is fetched from the Continue hub.`, where)
  } else {
    report.add('missing-key', 'error', 'The server needs a "name".', where)
  }
  return false
}

function nameOf(item: Json | undefined): string | undefined {
  return isObject(item) && typeof item['name'] === 'string' ? item['name'] : undefined
}

/** Maps of servers as in Claude's files, including those of its projects; or one server that is named after the file. */
function mapsIn(file: OpenFile, root: JsonObject, report: Report): readonly Table[] {
  const projects = isObject(root['projects']) ? Object.keys(root['projects']) : []
  const tables = [
    ...tablesOf(file, root, { roots: [['mcpServers']] }, report),
    ...projects.flatMap((name) => tableAt(file, root, ['projects', name, 'mcpServers'], report) ?? []),
  ]
  if (tables.length > 0 || 'mcpServers' in root || 'projects' in root) return tables
  if ('command' in root || 'url' in root) {
    const entryAt = () => ({ name: basename(file.path, '.json'), path: [] })
    return [{ file, path: [], value: { server: root }, entryAt }]
  }
  report.add('missing-key', 'error', 'The file has no "mcpServers" and is not a server itself.', { file })
  return []
}

function dropOthers(entry: Entry, draft: Draft, remote: readonly string[]): void {
  dropOtherTransport(entry, draft, { stdio: ['args', 'env', 'cwd'], remote }, (key) => {
    entry.warn('unknown-key', `"${key}" has no meaning for this type of server; it is ignored.`, { key })
  })
}

function readApiKey(entry: Entry, draft: Draft): void {
  const value = entry.string('apiKey')
  if (value === undefined) return
  draft.auth = { type: 'apiKey', value }
  checkLiteral(entry, ['apiKey'])
}

function readRequestOptions(entry: Entry, draft: Draft): void {
  const options = entry.object('requestOptions')
  if (!options) return
  draft.extra['requestOptions'] = options
  const inside = entry.entryUnder('requestOptions', options)
  draft.headers = readHeaders(inside, 'headers')
  for (const [name, value] of Object.entries(draft.headers ?? {})) {
    if (typeof value === 'string' && classifyLiteral(name, value)) checkLiteral(inside, ['headers', name])
  }
  const caFile = options['caBundlePath']
  if (inside.boolean('verifySsl') === false) {
    draft.tls = { verify: false }
    inside.warn(
      'tls-verify-off',
      'verifySsl is false: anyone on the network path can read and change the traffic.',
      {
        key: 'verifySsl',
      },
    )
  }
  if (typeof caFile === 'string') draft.tls = { ...draft.tls, caFile }
  if (inside.refused) entry.refused = true
}

function checkAuth(entry: Entry, draft: Draft): void {
  const header = Object.keys(draft.headers ?? {}).find((name) => name.toLowerCase() === 'authorization')
  if (draft.auth === undefined || header === undefined) return
  entry.warn('auth-conflict', `apiKey and the header ${header} both authenticate; keep one.`)
}

const template = /\$\{\{\s*(secrets|inputs)\.([^\s}]+)\s*\}\}/g

/** Reports secrets once per file, and inputs once per value. */
function reportTemplates({ drafts, files, report }: SettleContext): void {
  for (const file of files) {
    const found = drafts
      .filter((draft) => draft.file.path === file.path)
      .flatMap(({ name, declared }) =>
        declared.flatMap(({ origin, entry }) =>
          templatesIn(entry).map((each) => ({ name, origin, ...each })),
        ),
      )
    const secrets = [...new Set(found.filter(({ kind }) => kind === 'secrets').map(({ id }) => id))]
    if (secrets.length > 0) {
      const message = `${secrets.join(', ')}: from Continue's secret store or .continue/.env.`
      report.add('secret-store', 'info', message, { file })
    }
    for (const { name, origin, path, id } of found.filter(({ kind }) => kind === 'inputs')) {
      const pointer = origin.pointer + toPointer(path)
      report.add('needs-input', 'warn', `"${id}" must be entered by a person.`, {
        file,
        pointer,
        server: name,
      })
    }
  }
}

interface Template {
  readonly kind: string
  readonly id: string
  readonly path: readonly (string | number)[]
}

function templatesIn(value: Json, path: Template['path'] = []): readonly Template[] {
  if (typeof value === 'string') {
    return [...value.matchAll(template)].map(([, kind = '', id = '']) => ({ kind, id, path }))
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.keys(value).flatMap((key) => templatesIn(valueAt(value, [key]) ?? null, [...path, key]))
}

function writeAuth({ type, value }: Auth): JsonObject | undefined {
  return type === 'apiKey' && value !== undefined ? { apiKey: value } : undefined
}
