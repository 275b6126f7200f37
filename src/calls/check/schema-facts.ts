import { isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { schemaLimits } from '../../model/schema/schema-limits.ts'
import { readPlainRules } from './plain-rules.ts'
import type { PlainRules } from './plain-rules.ts'

/** What one look at a whole schema tells. */
export interface SchemaFacts {
  /** Why nothing is checked against it. */
  readonly refusal?: string
  readonly hasPatterns: boolean
  /** A `$ref` stands alone, whatever is written beside it. */
  readonly ignoresRefSiblings: boolean
  /** Names inside it change what a `$ref` means. */
  readonly hasInnerIds: boolean
  /** All it asks for, where that is little. */
  readonly plain?: PlainRules | undefined
}

const known = new WeakMap<JsonObject, SchemaFacts>()

/** Looked at once, however often its tool is called. */
export function factsOf(schema: JsonObject): SchemaFacts {
  const found = known.get(schema)
  if (found) return found
  const facts = look(schema)
  known.set(schema, facts)
  return facts
}

function look(schema: JsonObject): SchemaFacts {
  const facts = { hasPatterns: false, hasInnerIds: false, ignoresRefSiblings: isOldDraft(schema['$schema']) }
  const left: { readonly value: Json; readonly depth: number }[] = [{ value: schema, depth: 1 }]
  let nodes = 0
  let bytes = 0
  for (let next = left.pop(); next; next = left.pop()) {
    const { value, depth } = next
    const own = typeof value === 'string' ? value.length : 8
    bytes += own
    if (++nodes > schemaLimits.nodes) return refuse(facts, `more than ${schemaLimits.nodes} parts`)
    if (own > schemaLimits.stringBytes) return refuse(facts, `a text of ${own} characters`)
    if (bytes > schemaLimits.bytes) return refuse(facts, `more than ${schemaLimits.bytes} bytes`)
    if (typeof value !== 'object' || value === null) continue
    if (depth > schemaLimits.depth) return refuse(facts, `more than ${schemaLimits.depth} levels`)
    if (isObject(value)) {
      facts.hasPatterns ||= 'pattern' in value || 'patternProperties' in value
      facts.hasInnerIds ||= depth > 1 && typeof value['$id'] === 'string'
    }
    // A list that is too long is not copied first.
    const inner = Object.keys(value)
    if (inner.length > schemaLimits.nodes) return refuse(facts, `more than ${schemaLimits.nodes} parts`)
    for (const key of inner) {
      bytes += key.length
      left.push({ value: (value as JsonObject)[key] ?? null, depth: depth + 1 }) // own keys, of a list as well
    }
  }
  return { ...facts, plain: readPlainRules(schema) }
}

function refuse(facts: SchemaFacts, has: string): SchemaFacts {
  return { ...facts, refusal: `its schema has ${has}` }
}

function isOldDraft(declared: Json | undefined): boolean {
  return typeof declared === 'string' && /draft-0[3-7]/.test(declared)
}
