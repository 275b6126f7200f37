import { HostError } from '../model/error.ts'
import { isObject } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { EntryRules, Means } from './rules.ts'
import type { Lost, NewServer, NewTransport } from './writing.ts'

/** What an entry is written by, and after which one. */
interface Pen {
  readonly rules: EntryRules
  /** The entry that stands there; its spellings are kept. */
  readonly like: JsonObject
  readonly lost: Lost[]
}

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

const meaning: Readonly<Record<Kind, readonly Means[]>> = {
  stdio: ['stdio'],
  http: ['http', 'http+sse'],
  sse: ['sse'],
}

export const noKey = 'There is no key for it.'

/** How a server starts or where it is, in an owner's words. */
export function writeEndpoint({ name, transport }: NewServer, pen: Pen): JsonObject {
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

export function invalidServer(name: string, why: string): HostError<'config.invalid'> {
  return new HostError('config.invalid', { server: name }, `Invalid server config: ${why}`)
}

function writeTransport(name: string, transport: NewTransport, pen: Pen): JsonObject {
  if (transport.kind === 'stdio') return { ...writeType(name, 'stdio', pen), ...writeProcess(transport, pen) }
  const { kind, url, headers } = transport
  const key = urlKey(kind, pen)
  return {
    ...writeType(name, kind, pen),
    ...(key === undefined ? lose('url', pen) : { [key]: url }),
    ...writeMap('headers', headers, pen),
  }
}

/** The owner's word for it; none where the entry did without one and still means the same. */
function writeType(name: string, kind: Kind, pen: Pen): JsonObject {
  const { rules, like } = pen
  const isMeant = (means: Means | undefined) => means !== undefined && meaning[kind].includes(means)
  const typeKeys = rules.typeKeys ?? ['type']
  const key = typeKeys.find((candidate) => Object.hasOwn(like, candidate)) ?? typeKeys[0] ?? 'type'
  const before = like[key]
  if (typeof before === 'string' && isMeant(rules.types[before])) return { [key]: before }
  const isDefault = kind === 'stdio' || isMeant(rules.untypedUrl)
  if (before === undefined && isDefault && isKindOf(like, kind, rules)) return {}
  if (kind !== 'stdio' && isMeant(rules.urlMeans?.[urlKey(kind, pen) ?? ''])) return {}
  const word = Object.keys(rules.types).find((candidate) => isMeant(rules.types[candidate]))
  if (word !== undefined) return { [key]: word }
  if (!isDefault) throw invalidServer(name, `this file cannot hold a server over ${kind}.`)
  return {}
}

function isKindOf(entry: JsonObject, kind: Kind, rules: EntryRules): boolean {
  const field = kind === 'stdio' ? 'command' : 'url'
  return spellings(field, rules).some((key) => Object.hasOwn(entry, key))
}

function writeProcess(transport: NewTransport & { kind: 'stdio' }, pen: Pen): JsonObject {
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
function urlKey(kind: Kind, { rules, like }: Pen): string | undefined {
  const { urlMeans = {} } = rules
  const fitting = spellings('url', rules).filter((key) => {
    const means = urlMeans[key]
    return means === undefined || meaning[kind].includes(means)
  })
  const telling = fitting.find((key) => urlMeans[key] !== undefined)
  return fitting.find((key) => Object.hasOwn(like, key)) ?? telling ?? fitting[0]
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
