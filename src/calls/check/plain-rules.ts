import { isObject, isStringArray } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { isOfType } from '../../model/schema/value-type.ts'

/** What a schema asks of arguments, where that is little: most tools take a few values of a certain kind. */
export interface PlainRules {
  readonly kinds: ReadonlyMap<string, Kind>
  readonly required: readonly string[]
  /** Others may be given as well. */
  readonly isOpen: boolean
}

/** `other` is looked at properly. */
type Kind = 'string' | 'number' | 'integer' | 'boolean' | 'other'

const plainKinds: readonly Json[] = ['string', 'number', 'integer', 'boolean']
/** They ask for nothing. */
const words = ['$schema', 'title', 'description', 'default', 'examples']
const ofArguments = new Set([...words, 'type', 'properties', 'required', 'additionalProperties'])
const ofArgument = new Set([...words, 'type'])

/** `undefined` for a schema that asks for more than this can say. */
export function readPlainRules(schema: JsonObject): PlainRules | undefined {
  const { type, properties = {}, required = [], additionalProperties = true } = schema
  const isPlain = hasOnly(schema, ofArguments) && (type === undefined || type === 'object')
  if (!isPlain || !isObject(properties) || !isStringArray(required)) return undefined
  if (typeof additionalProperties !== 'boolean') return undefined
  const kinds = new Map(Object.entries(properties).map(([name, each]) => [name, kindOf(each)]))
  return { kinds, required, isOpen: additionalProperties }
}

function kindOf(schema: Json): Kind {
  if (!isObject(schema) || !hasOnly(schema, ofArgument)) return 'other'
  return plainKinds.includes(schema['type'] ?? null) ? (schema['type'] as Kind) : 'other' // it is one of them
}

function hasOnly(schema: JsonObject, known: ReadonlySet<string>): boolean {
  return Object.keys(schema).every((key) => known.has(key))
}

/** One quick look, which is all that most arguments need; where it says no, a proper one says why, or that all is well. */
export function matchesPlainRules(args: JsonObject, { kinds, required, isOpen }: PlainRules): boolean {
  for (const key in args) {
    const value = args[key]
    // What is undefined is never sent.
    if (value === undefined) continue
    const kind = kinds.get(key)
    if (kind === undefined ? !isOpen : !isOfType(value, kind)) return false
  }
  for (const key of required) if (!Object.hasOwn(args, key) || args[key] === undefined) return false
  return true
}
