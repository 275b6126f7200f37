import { HostError } from '../../model/error.ts'
import { isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { EntryRules, Means } from './entry-rules.ts'
import { noKey } from './write-rules.ts'
import type { Lost, NewTransport } from './write-rules.ts'

/** What an entry is written by, and after which one. */
interface Pen {
  readonly rules: EntryRules
  /** The entry that stands there; its spellings are kept. */
  readonly like: JsonObject
  readonly lost: Lost[]
  readonly typed: boolean
  readonly urlKey: string | undefined
  readonly headersUnder: string | undefined
}

type Text = NewTransport<string>
type Kind = NewTransport['kind']
type Field = keyof NonNullable<EntryRules['keys']>

const usualKeys: Readonly<Record<Field, readonly string[]>> = {
  command: ['command'],
  args: ['args'],
  env: ['env'],
  cwd: ['cwd'],
  envFile: [],
  url: ['url'],
  headers: ['headers'],
}

/** SSE goes to an owner that only falls back to it, if it has no way to ask for it. */
const meaning: Readonly<Record<Kind, readonly Means[]>> = {
  stdio: ['stdio'],
  http: ['http', 'http+sse'],
  sse: ['sse', 'http+sse'],
}

/** How a server starts or where it is, in an owner's words. */
export function writeEndpoint(name: string, transport: Text, pen: Pen): JsonObject {
  const { nestedUnder } = pen.rules
  if (nestedUnder !== undefined && isObject(pen.like[nestedUnder])) {
    const inner = { ...pen, like: pen.like[nestedUnder] }
    return { [nestedUnder]: writeTransport(name, transport, inner) }
  }
  return writeTransport(name, transport, pen)
}

/** Every key of an endpoint, in all its spellings. */
export function endpointKeys(rules: EntryRules): readonly string[] {
  const fields = Object.keys(usualKeys) as readonly Field[] // the keys of a literal
  return [...(rules.typeKeys ?? ['type']), ...fields.flatMap((field) => spellings(field, rules))]
}

/** The address an entry has now. */
export function urlIn(entry: JsonObject, rules: EntryRules): Json | undefined {
  const nested = rules.nestedUnder === undefined ? undefined : entry[rules.nestedUnder]
  const place = isObject(nested) ? nested : entry
  const key = spellings('url', rules).find((spelling) => Object.hasOwn(place, spelling))
  return key === undefined ? undefined : place[key]
}

export function invalidServer(name: string, why: string): HostError<'config.invalid'> {
  return new HostError('config.invalid', { server: name }, `Invalid server config: ${why}`)
}

function writeTransport(name: string, transport: Text, pen: Pen): JsonObject {
  if (transport.kind === 'stdio') return { ...writeType(name, 'stdio', pen), ...writeProcess(transport, pen) }
  const { kind, url, headers } = transport
  if (kind === 'sse' && !meant('sse', pen.rules).includes('sse')) {
    pen.lost.push({ field: 'transport', reason: 'It tries Streamable HTTP first and falls back to SSE.' })
  }
  const key = urlKey(kind, pen)
  return {
    ...writeType(name, kind, pen),
    ...(key === undefined ? lose('url', pen) : { [key]: url }),
    ...writeHeaders(headers ?? {}, pen),
  }
}

function writeHeaders(headers: Readonly<Record<string, string>>, pen: Pen): JsonObject {
  const { headersUnder: key, like } = pen
  if (key === undefined || spelling('headers', pen) !== undefined) return writeMap('headers', headers, pen)
  const { headers: _before, ...others } = isObject(like[key]) ? like[key] : {}
  const options = { ...others, ...(Object.keys(headers).length > 0 && { headers }) }
  return Object.keys(options).length > 0 ? { [key]: options } : {}
}

/** The owner's word for it; none where the entry did without one and still means the same. */
function writeType(name: string, kind: Kind, pen: Pen): JsonObject {
  const { rules, like } = pen
  const isMeant = (means: Means | undefined) => means !== undefined && meant(kind, rules).includes(means)
  const typeKeys = rules.typeKeys ?? ['type']
  const key = typeKeys.find((candidate) => Object.hasOwn(like, candidate)) ?? typeKeys[0] ?? 'type'
  const before = like[key]
  if (typeof before === 'string' && isMeant(rules.types[before])) return { [key]: before }
  const isDefault = kind === 'stdio' || isMeant(rules.untypedUrl)
  const wanted = pen.typed || (kind === 'stdio' ? rules.untypedCommandNote : rules.untypedUrlNote)
  if (before === undefined && isDefault && !wanted && isKindOf(like, kind, rules)) return {}
  if (kind !== 'stdio' && isMeant(rules.urlMeans?.[urlKey(kind, pen) ?? ''])) return {}
  const words = Object.keys(rules.types).filter((candidate) => isMeant(rules.types[candidate]))
  const word = words.find((candidate) => candidate === kind) ?? words[0]
  if (word !== undefined) return { [key]: word }
  if (!isDefault) throw invalidServer(name, `this file cannot hold a server over ${kind}.`)
  return {}
}

/** What counts as this kind for an owner: the exact meaning, where it has one. */
function meant(kind: Kind, { types, untypedUrl, urlMeans = {} }: EntryRules): readonly Means[] {
  const known = [...Object.values(types), ...Object.values(urlMeans), untypedUrl]
  return kind === 'sse' && known.includes('sse')
    ? ['sse']
    : meaning[kind].filter((means) => known.includes(means))
}

function isKindOf(entry: JsonObject, kind: Kind, rules: EntryRules): boolean {
  const field = kind === 'stdio' ? 'command' : 'url'
  return spellings(field, rules).some((key) => Object.hasOwn(entry, key))
}

function writeProcess(transport: Text & { kind: 'stdio' }, pen: Pen): JsonObject {
  const { command, args = [], env, cwd, envFile } = transport
  const key = spelling('command', pen) ?? 'command'
  const shape = pen.rules.commandShape ?? 'string'
  const asList = shape === 'list' || (shape === 'either' && Array.isArray(pen.like[key]))
  return {
    [key]: asList ? [command, ...args] : command,
    ...(!asList && args.length > 0 && write('args', args, pen)),
    ...writeMap('env', env, pen),
    ...(cwd !== undefined && write('cwd', cwd, pen)),
    ...(envFile !== undefined && write('envFile', envFile, pen)),
  }
}

/** A key that says the transport by itself comes before one that leaves it open. */
function urlKey(kind: Kind, { rules, like, urlKey: usual }: Pen): string | undefined {
  const { urlMeans = {} } = rules
  const fitting = spellings('url', rules).filter((key) => {
    const means = urlMeans[key]
    return means === undefined || meant(kind, rules).includes(means)
  })
  const telling = fitting.find((key) => urlMeans[key] !== undefined)
  const present = fitting.find((key) => Object.hasOwn(like, key))
  return present ?? fitting.find((key) => key === usual) ?? telling ?? fitting[0]
}

function writeMap(field: Field, values: Readonly<Record<string, string>> | undefined, pen: Pen): JsonObject {
  return values === undefined || Object.keys(values).length === 0 ? {} : write(field, values, pen)
}

function write(field: Field, value: Json, pen: Pen): JsonObject {
  const key = spelling(field, pen)
  return key === undefined ? lose(field, pen) : { [key]: value }
}

function lose(field: string, { lost }: Pen): JsonObject {
  lost.push({ field, reason: noKey })
  return {}
}

function spelling(field: Field, { rules, like }: Pen): string | undefined {
  const known = spellings(field, rules)
  return known.find((key) => Object.hasOwn(like, key)) ?? known[0]
}

function spellings(field: Field, { keys }: EntryRules): readonly string[] {
  const own = keys?.[field]
  return own === null ? [] : (own ?? usualKeys[field])
}
