import { HostError } from '../../model/error.ts'
import { isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { EntryRules, TransportMeaning } from './entry-rules.ts'
import { meaningOfType } from './read-endpoint.ts'
import { noKey } from './write-rules.ts'
import type { LostField, NewTransport } from './write-rules.ts'

/** The rules for writing an endpoint, and the entry it replaces. */
interface EndpointContext {
  readonly rules: EntryRules
  /** The existing entry; its spellings are kept. */
  readonly like: JsonObject
  readonly lost: LostField[]
  readonly typed: boolean
  readonly urlKey: string | undefined
  readonly headersUnder: string | undefined
}

type TextTransport = NewTransport<string>
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

/** The meanings that fit each kind. A client without SSE of its own gets an SSE server as one with fallback. */
const kindMeanings: Readonly<Record<Kind, readonly TransportMeaning[]>> = {
  stdio: ['stdio'],
  http: ['http', 'http+sse'],
  sse: ['sse', 'http+sse'],
}

/** Writes the command or the address of a server with the client's keys. */
export function writeEndpoint(name: string, transport: TextTransport, context: EndpointContext): JsonObject {
  const { nestedUnder } = context.rules
  if (nestedUnder !== undefined && isObject(context.like[nestedUnder])) {
    const inner = { ...context, like: context.like[nestedUnder] }
    return { [nestedUnder]: writeTransport(name, transport, inner) }
  }
  return writeTransport(name, transport, context)
}

/** All keys of an endpoint, in all spellings. */
export function endpointKeys(rules: EntryRules): readonly string[] {
  const fields = Object.keys(usualKeys) as readonly Field[] // the keys of a literal
  return [...(rules.typeKeys ?? ['type']), ...fields.flatMap((field) => spellings(field, rules))]
}

/** The current url of an entry. */
export function urlIn(entry: JsonObject, rules: EntryRules): Json | undefined {
  const nested = rules.nestedUnder === undefined ? undefined : entry[rules.nestedUnder]
  const place = isObject(nested) ? nested : entry
  const key = spellings('url', rules).find((spelling) => Object.hasOwn(place, spelling))
  return key === undefined ? undefined : place[key]
}

export function invalidServer(
  name: string,
  why: string,
  options: { readonly hint?: string } = {},
): HostError<'config.invalid'> {
  return new HostError('config.invalid', { server: name }, `Invalid server config: ${why}`, options)
}

function writeTransport(name: string, transport: TextTransport, context: EndpointContext): JsonObject {
  if (transport.kind === 'stdio')
    return { ...writeType(name, 'stdio', context), ...writeProcess(transport, context) }
  const { kind, url, headers } = transport
  if (kind === 'sse' && !meaningsOf('sse', context.rules).includes('sse')) {
    context.lost.push({
      field: 'transport',
      reason: 'The client tries Streamable HTTP first and falls back to SSE.',
    })
  }
  const key = urlKey(kind, context)
  return {
    ...writeType(name, kind, context),
    ...(key === undefined ? recordLost('url', context) : { [key]: url }),
    ...writeHeaders(headers ?? {}, context),
  }
}

function writeHeaders(headers: Readonly<Record<string, string>>, context: EndpointContext): JsonObject {
  const { headersUnder: key, like } = context
  if (key === undefined || spelling('headers', context) !== undefined)
    return writeMap('headers', headers, context)
  const { headers: _before, ...others } = isObject(like[key]) ? like[key] : {}
  const options = { ...others, ...(Object.keys(headers).length > 0 && { headers }) }
  return Object.keys(options).length > 0 ? { [key]: options } : {}
}

/** The type of the entry; omitted if the entry had none and means the same without it. */
function writeType(name: string, kind: Kind, context: EndpointContext): JsonObject {
  const { rules, like } = context
  const matchesKind = (meaning: TransportMeaning | undefined) =>
    meaning !== undefined && meaningsOf(kind, rules).includes(meaning)
  const typeKeys = rules.typeKeys ?? ['type']
  const key = typeKeys.find((candidate) => Object.hasOwn(like, candidate)) ?? typeKeys[0] ?? 'type'
  const before = like[key]
  if (typeof before === 'string' && matchesKind(meaningOfType(before, rules))) return { [key]: before }
  const isDefault = kind === 'stdio' || matchesKind(rules.untypedUrl)
  const wanted = context.typed || (kind === 'stdio' ? rules.untypedCommandNote : rules.untypedUrlNote)
  if (before === undefined && isDefault && !wanted && isKindOf(like, kind, rules)) return {}
  if (kind !== 'stdio' && matchesKind(rules.meaningOfUrlKey?.[urlKey(kind, context) ?? ''])) return {}
  const words = Object.keys(rules.types).filter((candidate) => matchesKind(rules.types[candidate]))
  const word = words.find((candidate) => candidate === kind) ?? words[0]
  if (word !== undefined) return { [key]: word }
  if (!isDefault) throw invalidServer(name, `this file cannot hold a server over ${kind}.`)
  return {}
}

/** The meanings of a kind for a client: the exact one if it has it, else those that include it. */
function meaningsOf(
  kind: Kind,
  { types, untypedUrl, meaningOfUrlKey = {} }: EntryRules,
): readonly TransportMeaning[] {
  const known = [...Object.values(types), ...Object.values(meaningOfUrlKey), untypedUrl]
  return kind === 'sse' && known.includes('sse')
    ? ['sse']
    : kindMeanings[kind].filter((meaning) => known.includes(meaning))
}

function isKindOf(entry: JsonObject, kind: Kind, rules: EntryRules): boolean {
  const field = kind === 'stdio' ? 'command' : 'url'
  return spellings(field, rules).some((key) => Object.hasOwn(entry, key))
}

function writeProcess(transport: TextTransport & { kind: 'stdio' }, context: EndpointContext): JsonObject {
  const { command, args = [], env, cwd, envFile } = transport
  const key = spelling('command', context) ?? 'command'
  const shape = context.rules.commandShape ?? 'string'
  const asList = shape === 'list' || (shape === 'either' && Array.isArray(context.like[key]))
  return {
    [key]: asList ? [command, ...args] : command,
    ...(!asList && args.length > 0 && writeField('args', args, context)),
    ...writeMap('env', env, context),
    ...(cwd !== undefined && writeField('cwd', cwd, context)),
    ...(envFile !== undefined && writeField('envFile', envFile, context)),
  }
}

/** The key for the url: the existing one, the usual one, then one that implies the transport. */
function urlKey(kind: Kind, { rules, like, urlKey: usual }: EndpointContext): string | undefined {
  const { meaningOfUrlKey = {} } = rules
  const fitting = spellings('url', rules).filter((key) => {
    const meaning = meaningOfUrlKey[key]
    return meaning === undefined || meaningsOf(kind, rules).includes(meaning)
  })
  const specific = fitting.find((key) => meaningOfUrlKey[key] !== undefined)
  const present = fitting.find((key) => Object.hasOwn(like, key))
  return present ?? fitting.find((key) => key === usual) ?? specific ?? fitting[0]
}

function writeMap(
  field: Field,
  values: Readonly<Record<string, string>> | undefined,
  context: EndpointContext,
): JsonObject {
  return values === undefined || Object.keys(values).length === 0 ? {} : writeField(field, values, context)
}

function writeField(field: Field, value: Json, context: EndpointContext): JsonObject {
  const key = spelling(field, context)
  return key === undefined ? recordLost(field, context) : { [key]: value }
}

function recordLost(field: string, { lost }: EndpointContext): JsonObject {
  lost.push({ field, reason: noKey })
  return {}
}

function spelling(field: Field, { rules, like }: EndpointContext): string | undefined {
  const known = spellings(field, rules)
  return known.find((key) => Object.hasOwn(like, key)) ?? known[0]
}

function spellings(field: Field, { keys }: EntryRules): readonly string[] {
  const own = keys?.[field]
  return own === null ? [] : (own ?? usualKeys[field])
}
