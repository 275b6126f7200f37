import { isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { schemaLimits } from '../../model/schema/schema-limits.ts'
import { readPlainRules } from './plain-rules.ts'
import type { PlainRules } from './plain-rules.ts'

/** What one pass over a whole schema finds out. */
export interface SchemaFacts {
  /** Why arguments are not checked against the schema. */
  readonly refusal?: string
  readonly hasPatterns: boolean
  /** Whether keywords beside a `$ref` are ignored, as in draft-07 and older. */
  readonly ignoresRefSiblings: boolean
  /** Whether an inner `$id` changes what a `$ref` resolves to. */
  readonly hasInnerIds: boolean
  /** The rules of the schema, if it is simple. */
  readonly plain?: PlainRules | undefined
}

const factsBySchema = new WeakMap<JsonObject, SchemaFacts>()

/** The facts about a schema, cached: the schema is inspected once, however often its tool is called. */
export function factsOf(schema: JsonObject): SchemaFacts {
  const cached = factsBySchema.get(schema)
  if (cached) return cached
  const facts = inspectSchema(schema)
  factsBySchema.set(schema, facts)
  return facts
}

function inspectSchema(schema: JsonObject): SchemaFacts {
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
    // Refuse a long list before its items are queued.
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
