import { isObject, toPointer } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Doc, Path } from '../formats/doc.ts'
import type { SourceId } from '../places.ts'

export interface RecognizedText {
  readonly source: SourceId
  /** The document in the shape that the source reads. */
  readonly doc: Doc
  /** Several clients use this shape, so the file's path is a better indication. */
  readonly shared: boolean
}

/** Recognizes the client of a text by its shape. `name` is the name for a single entry that has none. */
export function recognize(doc: Doc, options: { readonly name?: string } = {}): RecognizedText | undefined {
  const { value } = doc
  if (!isObject(value)) return undefined
  const named = ownShapes.find(({ fits }) => fits(value))
  if (named) return { source: named.source, doc, shared: false }
  if (isObject(value['mcpServers'])) return { source: 'plugboard', doc, shared: true }
  if (isObject(value['servers'])) return { source: 'vscode', doc, shared: true }
  if (isObject(value['mcp'])) return recognizeMcp(doc, value['mcp'])
  if (isEntry(value))
    return { source: 'plugboard', doc: asServerMap(doc, value, options.name), shared: false }
  return isMapOf(value, isEntry) ? { source: 'plugboard', doc, shared: true } : undefined
}

/** Shapes that only one client uses. */
const ownShapes: readonly { readonly source: SourceId; readonly fits: (value: JsonObject) => boolean }[] = [
  { source: 'mcpb', fits: isManifest },
  { source: 'registry-server-json', fits: isServerJson },
  { source: 'agent-plugins', fits: isAgentPlugin },
  { source: 'amp', fits: (value) => isObject(value['amp.mcpServers']) },
  { source: 'zed', fits: (value) => isObject(value['context_servers']) },
  { source: 'codex', fits: (value) => isObject(value['mcp_servers']) },
  { source: 'continue', fits: (value) => Array.isArray(value['mcpServers']) },
  { source: 'goose', fits: (value) => isMapOf(value['extensions'], isExtension) },
]

function isManifest(value: JsonObject): boolean {
  const server = value['server']
  if (!isObject(server)) return false
  return ['manifest_version', 'dxt_version'].some((key) => key in value) || 'mcp_config' in server
}

function isServerJson(value: JsonObject): boolean {
  if (typeof value['name'] !== 'string') return false
  if (schemaOf(value).endsWith('/server.schema.json')) return true
  return [value['packages'], value['remotes']].some((list) => Array.isArray(list) && list.some(isObject))
}

function isAgentPlugin(value: JsonObject): boolean {
  const servers = value['mcpServers']
  if (!isObject(servers)) return false
  return schemaOf(value).includes('agent-plugins') || /\$\{PLUGIN_(ROOT|DATA)\}/.test(JSON.stringify(servers))
}

function schemaOf({ $schema }: JsonObject): string {
  return typeof $schema === 'string' ? $schema : ''
}

function isExtension(value: JsonObject): boolean {
  return 'cmd' in value || 'uri' in value || ('type' in value && 'enabled' in value)
}

function isEntry(value: JsonObject): boolean {
  const isCommand = typeof value['command'] === 'string' || Array.isArray(value['command'])
  return isCommand || typeof value['url'] === 'string'
}

function isMapOf(value: Json | undefined, fits: (item: JsonObject) => boolean): boolean {
  if (!isObject(value)) return false
  const items = Object.entries(value).filter(([key]) => key !== '$schema')
  return items.length > 0 && items.every(([, item]) => isObject(item) && fits(item))
}

/** `mcp` is the root of opencode and Kilo (`local` and `remote` servers), of Crush, and formerly of VS Code. */
function recognizeMcp(doc: Doc, mcp: JsonObject): RecognizedText | undefined {
  const servers = isObject(mcp['servers']) && !isEntry(mcp['servers']) ? mcp['servers'] : undefined
  const entries = Object.values(servers ?? mcp).filter(isObject)
  if (entries.length === 0) return undefined
  if (entries.some(isOpencode)) return { source: 'opencode', doc, shared: true }
  if (servers) return { source: 'vscode', doc: docUnder(doc, 'mcp', mcp), shared: false }
  return entries.some(isEntry) ? { source: 'crush', doc, shared: true } : undefined
}

function isOpencode(entry: JsonObject): boolean {
  const { type, command } = entry as { type?: Json; command?: Json } // known keys of a JSON object
  return type === 'local' || type === 'remote' || Array.isArray(command)
}

/** Wraps a single entry in a map of servers. */
function asServerMap(doc: Doc, { name: own, ...entry }: JsonObject, given: string | undefined): Doc {
  const name = given ?? (typeof own === 'string' ? own : 'server')
  const above: Path = ['mcpServers', name]
  const prefix = toPointer(above)
  return {
    ...doc,
    value: { mcpServers: { [name]: entry } },
    duplicates: doc.duplicates.map((pointer) => prefix + pointer),
    forbidden: doc.forbidden.map((pointer) => prefix + pointer),
    position: (pointer) => doc.position(pointer.startsWith(prefix) ? pointer.slice(prefix.length) : ''),
  }
}

/** The value under one key, as a document of its own. */
function docUnder(doc: Doc, key: string, value: JsonObject): Doc {
  const prefix = toPointer([key])
  const within = (pointers: readonly string[]) =>
    pointers
      .filter((pointer) => pointer.startsWith(`${prefix}/`))
      .map((pointer) => pointer.slice(prefix.length))
  return {
    ...doc,
    value,
    duplicates: within(doc.duplicates),
    forbidden: within(doc.forbidden),
    position: (pointer) => doc.position(prefix + pointer),
  }
}
