import { hashOf } from '../canonical.ts'
import { isObject } from '../json.ts'
import type { Json, JsonObject } from '../json.ts'

/**
 * What a person accepts: the definitions that a server lists, the documents of its apps, and its instructions. Resources come and
 * go, so they are accepted only where the scanner found something bad in one.
 */
export type OfferKind = 'tool' | 'prompt' | 'template' | 'app' | 'skill' | 'resource' | 'instructions'

/** A definition as its server sent it; of the instructions, their text. */
export type Definition = JsonObject | string

/**
 * The part of a definition that an acceptance covers: everything but pictures and the keys of `_meta` that differ from
 * answer to answer. A field of a later protocol is covered without a change here. The order of keys is the server's.
 */
export function canonicalDefinition(sent: Definition): Definition {
  if (typeof sent === 'string') return sent
  const { icons: _, _meta: meta, ...rest } = sent
  if (!isObject(meta)) return meta === undefined ? rest : { ...rest, _meta: meta }
  const lasting = withoutVolatile(meta)
  return Object.keys(lasting).length === 0 ? rest : { ...rest, _meta: lasting }
}

/** `sha256:` and the hash of the canonical definition in the form of RFC 8785. */
export function hashDefinition(sent: Definition): string {
  const definition = canonicalDefinition(sent)
  try {
    return hashOf(definition)
  } catch {
    // A number beyond the range of a double is read as infinite, and written to the cache file as null.
    return hashOf(JSON.parse(JSON.stringify(definition)))
  }
}

/** What a server calls an offer: of a resource template, its pattern; of an app or a skill, its address; the instructions have no name. */
export function offerName(kind: OfferKind, sent: Definition): string {
  if (typeof sent === 'string') return ''
  if (kind === 'app' || kind === 'skill' || kind === 'resource') return textOf(sent['uri'])
  return textOf(sent[kind === 'template' ? 'uriTemplate' : 'name'])
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

/** Keys of `_meta` that differ from answer to answer, in lower case, without their prefix and punctuation. */
const volatileKeys = new Set(
  (
    'timestamp time date now generatedat createdat updatedat fetchedat cachedat servedat expiresat ttl ttlms ' +
    'requestid responseid correlationid sessionid traceid spanid traceparent tracestate baggage progresstoken ' +
    'nonce etag'
  ).split(' '),
)

function withoutVolatile(meta: JsonObject): JsonObject {
  const lasting = Object.entries(meta).filter(([key, value]) => !isVolatile(key, value))
  return Object.fromEntries(
    lasting.map(([key, value]): [string, Json] => [key, isObject(value) ? withoutVolatile(value) : value]),
  )
}

/** Only a number or a short word may differ: a sentence under such a key is a text like any other. */
function isVolatile(key: string, value: Json): boolean {
  const plain = key
    .slice(key.lastIndexOf('/') + 1)
    .replaceAll(/[^a-z]/gi, '')
    .toLowerCase()
  if (!volatileKeys.has(plain)) return false
  return typeof value === 'number' || (typeof value === 'string' && /^\S{0,256}$/.test(value))
}
