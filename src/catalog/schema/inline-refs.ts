import { isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { resolveRef } from '../../model/schema/reference.ts'
import { schemaLimits as limits } from '../../model/schema/schema-limits.ts'
import { mapSchemas } from '../../model/schema/subschemas.ts'

/** Thrown for a schema that cannot be converted, with the reason (T23). */
export class SchemaError extends Error {}

const tooLarge = `it is larger than ${limits.bytes / 1024} kB`
const tooDeep = `it is nested more than ${limits.depth} levels deep`

/** Keywords that have no effect once all references are inlined. */
const bookkeeping = new Set([
  '$schema',
  '$id',
  'id',
  '$anchor',
  '$dynamicAnchor',
  '$recursiveAnchor',
  '$vocabulary',
  '$comment',
  '$defs',
  'definitions',
])

/**
 * Replaces every reference by its target. In a recursive schema the inner reference accepts any value. References to
 * other documents are never followed.
 */
export function inlineRefs(root: JsonObject): JsonObject {
  if (JSON.stringify(root).length > limits.bytes) throw new SchemaError(tooLarge)
  return new RefInliner(root).inline(root, { depth: 0, within: [] })
}

interface SchemaPosition {
  readonly depth: number
  /** The references that were followed to get here. */
  readonly within: readonly string[]
}

class RefInliner {
  readonly #root: JsonObject
  #anchors: ReadonlyMap<string, JsonObject> | undefined
  #nodes = 0
  #bytes = 0

  constructor(root: JsonObject) {
    this.#root = root
  }

  inline(schema: JsonObject, where: SchemaPosition): JsonObject {
    this.#count(schema, where)
    const { $ref, $dynamicRef, $recursiveRef, ...rest } = schema
    const target = [$ref, $dynamicRef, $recursiveRef].find((reference) => typeof reference === 'string')
    const beside = this.#inlineSubschemas(rest, where)
    if (target === undefined || where.within.includes(target)) return beside
    if (where.within.length === limits.refs) throw new SchemaError(tooDeep)
    const found = this.inline(this.#find(target), { ...where, within: [...where.within, target] })
    return combine(found, beside)
  }

  #inlineSubschemas(schema: JsonObject, where: SchemaPosition): JsonObject {
    const deeper = { ...where, depth: where.depth + 1 }
    const kept = Object.fromEntries(Object.entries(schema).filter(([key]) => !bookkeeping.has(key)))
    return mapSchemas(kept, (held) => (isObject(held) ? this.inline(held, deeper) : held))
  }

  #count(schema: JsonObject, { depth }: SchemaPosition): void {
    if (depth > limits.depth) throw new SchemaError(tooDeep)
    if (++this.#nodes > limits.nodes) throw new SchemaError(`it contains more than ${limits.nodes} schemas`)
    this.#bytes += ownBytes(schema)
    if (this.#bytes > limits.bytes) throw new SchemaError(tooLarge)
  }

  #find(target: string): JsonObject {
    const { $id } = this.#root
    const local =
      typeof $id === 'string' && $id !== '' && target.startsWith($id)
        ? target.slice($id.length) || '#'
        : target
    if (!local.startsWith('#'))
      throw new SchemaError(`it refers to ${JSON.stringify(target)}, which it does not contain`)
    const found =
      local === '#' || local.startsWith('#/')
        ? resolveRef(local, this.#root)
        : this.#findAnchor(local.slice(1))
    if (found === true) return {}
    if (!isObject(found))
      throw new SchemaError(`it refers to ${JSON.stringify(target)}, which it does not contain`)
    return found
  }

  #findAnchor(name: string): Json | undefined {
    this.#anchors ??= readAnchors(this.#root)
    return this.#anchors.get(name)
  }
}

/** Reads anchors of the root and of its definitions. */
function readAnchors(root: JsonObject): ReadonlyMap<string, JsonObject> {
  const definitions = [root['$defs'], root['definitions']]
    .filter(isObject)
    .flatMap((map) => Object.values(map))
  const anchors = new Map<string, JsonObject>()
  for (const schema of [root, ...definitions].filter(isObject)) {
    for (const anchor of [schema['$anchor'], schema['$dynamicAnchor']]) {
      if (typeof anchor === 'string') anchors.set(anchor, schema)
    }
  }
  return anchors
}

/** Keywords beside a reference apply too; annotations beside it win over those of the target. */
function combine(found: JsonObject, beside: JsonObject): JsonObject {
  const words = ['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly']
  const isFree = Object.keys(beside).every((key) => words.includes(key) || !Object.hasOwn(found, key))
  return isFree ? { ...found, ...beside } : { allOf: [found, beside] }
}

/** The size of a schema without its subschemas. */
function ownBytes(schema: JsonObject): number {
  let bytes = 2
  for (const [key, value] of Object.entries(mapSchemas(schema, () => null))) {
    if (!bookkeeping.has(key)) bytes += key.length + 4 + (JSON.stringify(value)?.length ?? 0)
  }
  return bytes
}
