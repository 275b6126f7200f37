import { isList, isObject, listOf } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { itemSchemas, objectsOf, propertiesOf, requiredOf, valuesOf } from '../model/schema/parts.ts'
import { resolveRef } from '../model/schema/reference.ts'
import { isOfType, typesOf } from '../model/schema/value-type.ts'
import type { IdentifierPool } from './identifiers.ts'
import { toDocComment, toLiteral } from './source-text.ts'
import { arrayOf, atom, intersectionOf, neverType, unionOf, unknownType } from './type-text.ts'
import type { TypeText } from './type-text.ts'

/** Limits for a schema of an untrusted server; what is beyond them is `unknown`. */
const limits = { parts: 4000, depth: 20, members: 500, values: 300, text: 500, tuple: 50 } as const

export interface SchemaTypesOptions {
  /** The name of the type of the whole schema. */
  readonly name: string
  readonly names: IdentifierPool
  /** A value that is passed in may be readonly; a result belongs to its caller. */
  readonly isReadonly: boolean
}

interface Position {
  readonly depth: number
  readonly indent: string
  /**
   * The definitions that the type here is a part of without a property or an item in between. A reference to one of them
   * would make a type that refers to itself, which TypeScript refuses.
   */
  readonly within: readonly JsonObject[]
}

interface Definition {
  readonly name: string
  readonly schema: JsonObject
}

/** Writes the types of one schema. References become types with a name, so that recursive schemas have an end. */
export class SchemaTypes {
  readonly #root: JsonObject
  readonly #options: SchemaTypesOptions
  readonly #definitions: Definition[]
  #left: number = limits.parts

  constructor(root: JsonObject, options: SchemaTypesOptions) {
    this.#root = root
    this.#options = options
    this.#definitions = [{ name: options.name, schema: root }]
  }

  /** One declaration for the schema, and one for each schema that it refers to. */
  toDeclarations(doc: readonly string[]): readonly string[] {
    const lines: string[] = []
    // Writing a definition may add further ones.
    for (const { name, schema } of this.#definitions) {
      const type = this.#toType(schema, { depth: 0, indent: '', within: [schema] })
      const comment = schema === this.#root ? doc : toDocComment(describe(schema))
      lines.push(...comment, `export type ${name} = ${type.text}`, '')
    }
    return lines
  }

  #toType(schema: Json | undefined, position: Position): TypeText {
    if (schema === false) return neverType
    if (!isObject(schema) || position.depth > limits.depth || this.#left-- <= 0) return unknownType
    const { $ref: ref, allOf, anyOf, oneOf } = schema
    const all = [
      this.#toOwnType(schema, position),
      ...(ref === undefined ? [] : [this.#toReferred(ref, position)]),
      ...listOf(allOf).map((part) => this.#toType(part, deeper(position))),
      ...[anyOf, oneOf]
        .filter((options) => listOf(options).length > 0)
        .map((options) => this.#toUnion(options, position)),
    ]
    const type = intersectionOf(all)
    return schema['nullable'] === true ? unionOf([type, atom('null')]) : type
  }

  #toUnion(options: Json | undefined, position: Position): TypeText {
    return unionOf(listOf(options).map((option) => this.#toType(option, deeper(position))))
  }

  #toReferred(ref: Json, position: Position): TypeText {
    const target = resolveRef(ref, this.#root)
    if (!isObject(target)) return target === false ? neverType : unknownType
    if (position.within.length === 0) return atom(this.#nameOf(target, ref as string)) // only a string resolves
    if (position.within.includes(target)) return unknownType
    return this.#toType(target, { ...deeper(position), within: [...position.within, target] })
  }

  #nameOf(schema: JsonObject, ref: string): string {
    const known = this.#definitions.find((definition) => definition.schema === schema)
    if (known) return known.name
    const name = this.#options.names.pascal(this.#options.name, ref.split('/').at(-1) ?? '')
    this.#definitions.push({ name, schema })
    return name
  }

  /** The type without references and combinations. */
  #toOwnType(schema: JsonObject, position: Position): TypeText {
    const values = this.#toValues(schema)
    if (values) return values
    const types = typesOf(schema)
    if (types.length > 0) return unionOf(types.map((type) => this.#toOneType(type, schema, position)))
    if (
      ['properties', 'required', 'additionalProperties', 'patternProperties'].some((key) =>
        Object.hasOwn(schema, key),
      )
    )
      return this.#toObject(schema, position)
    return Object.hasOwn(schema, 'items') || Object.hasOwn(schema, 'prefixItems')
      ? this.#toArray(schema, position)
      : unknownType
  }

  /** The union of the listed values that have the declared type; `undefined` if there are none, or too many. */
  #toValues(schema: JsonObject): TypeText | undefined {
    const { type } = schema
    const values = valuesOf(schema).filter((value) => isOfType(value, type) !== false)
    if (values.length === 0 || values.length > limits.values) return undefined
    const isMissing = schema['nullable'] === true ? [atom('null')] : []
    return unionOf([...values.map((value) => this.#toLiteralType(value, 0)), ...isMissing])
  }

  #toLiteralType(value: Json, depth: number): TypeText {
    if (depth > limits.depth || this.#left-- <= 0) return unknownType
    if (typeof value === 'string') return atom(value.length > limits.text ? 'string' : toLiteral(value))
    if (typeof value === 'number') return atom(Number.isFinite(value) ? String(value) : 'number')
    if (typeof value !== 'object' || value === null) return atom(String(value))
    const inner = (item: Json | undefined) =>
      (item === undefined ? unknownType : this.#toLiteralType(item, depth + 1)).text
    if (isList(value)) return this.#tuple(value.slice(0, limits.tuple).map(inner))
    const fields = Object.keys(value).sort().slice(0, limits.members)
    return atom(`{ ${fields.map((key) => `${this.#key(key)}: ${inner(value[key])}`).join('; ')} }`)
  }

  #toOneType(type: string, schema: JsonObject, position: Position): TypeText {
    switch (type) {
      case 'string':
      case 'number':
      case 'boolean':
      case 'null':
        return atom(type)
      case 'integer':
        return atom('number')
      case 'array':
        return this.#toArray(schema, position)
      case 'object':
        return this.#toObject(schema, position)
      default:
        return unknownType
    }
  }

  #toArray(schema: JsonObject, position: Position): TypeText {
    const { first, others } = itemSchemas(schema)
    const inner = { ...deeper(position), within: [] }
    const isReadonly = this.#options.isReadonly
    if (first.length === 0) return arrayOf(this.#toType(others, inner), { isReadonly })
    if (first.length > limits.tuple) return arrayOf(unknownType, { isReadonly })
    const { minItems } = schema
    const needed = typeof minItems === 'number' ? minItems : 0
    const items = first.map((item, at) => {
      const { text } = this.#toType(item, inner)
      return at < needed ? text : `(${text})?`
    })
    // Only what is declared, as with properties.
    const rest =
      others === undefined || others === false
        ? []
        : [`...${arrayOf(this.#toType(others, inner), { isReadonly: false }).text}`]
    return this.#tuple([...items, ...rest])
  }

  #tuple(items: readonly string[]): TypeText {
    return {
      text: `${this.#options.isReadonly ? 'readonly ' : ''}[${items.join(', ')}]`,
      kind: 'array',
      size: 1,
    }
  }

  #toObject(schema: JsonObject, position: Position): TypeText {
    const properties = propertiesOf(schema)
    const required = new Set(requiredOf(schema))
    const names = [...new Set([...Object.keys(properties), ...required])].sort()
    const ordered = [
      ...names.filter((name) => required.has(name)),
      ...names.filter((name) => !required.has(name)),
    ]
    const index = this.#toIndex(schema, ordered.length, position)
    if (ordered.length === 0) return isCombined(schema) ? unknownType : atom(`{ ${index} }`)
    const indent = `${position.indent}  `
    const inner = { depth: position.depth + 1, indent, within: [] }
    const members = ordered.slice(0, limits.members).flatMap((name) => {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined
      const mark = required.has(name) ? '' : '?'
      // Every object has such a member, of another type: no object without the property would be accepted.
      const isInherited = mark === '?' && name in Object.prototype
      const doc = isObject(property) ? toDocComment(describe(property), isDeprecated(property)) : []
      return [
        ...doc,
        `${this.#key(name)}${mark}: ${isInherited ? 'unknown' : this.#toType(property, inner).text}`,
      ]
    })
    const lines = [...members, ...(index === '' ? [] : [index])].map((line) => `${indent}${line}`)
    return atom(['{', ...lines, `${position.indent}}`].join('\n'))
  }

  /** The index signature. Beside properties it admits everything, because TypeScript applies it to them too. */
  #toIndex(schema: JsonObject, known: number, position: Position): string {
    const { additionalProperties: others, patternProperties: patterns } = schema
    const schemas = [
      ...(isObject(patterns) ? Object.values(patterns) : []),
      ...(isObject(others) ? [others] : []),
    ]
    const isOpen = others === true || schemas.length > 0
    if (known > 0) return isOpen || known > limits.members ? this.#index('unknown') : ''
    if (!isOpen) return this.#index(others === false ? 'never' : 'unknown')
    const inner = { ...deeper(position), within: [] }
    const types = others === true ? [unknownType] : schemas.map((each) => this.#toType(each, inner))
    return this.#index(unionOf(types).text)
  }

  #index(type: string): string {
    return `${this.#options.isReadonly ? 'readonly ' : ''}[key: string]: ${type}`
  }

  #key(name: string): string {
    return `${this.#options.isReadonly ? 'readonly ' : ''}${/^[A-Za-z_$][\w$]*$/.test(name) ? name : toLiteral(name)}`
  }
}

function deeper(position: Position): Position {
  return { ...position, depth: position.depth + 1 }
}

function isCombined({ $ref: ref, allOf, anyOf, oneOf }: JsonObject): boolean {
  return ref !== undefined || [allOf, anyOf, oneOf].some((list) => objectsOf(list).length > 0)
}

/** The description, the format and the default value of a schema. */
function describe({ title, description, format, default: fallback }: JsonObject): readonly string[] {
  const text = [description, title].find((each) => typeof each === 'string' && each.trim() !== '')
  const facts = [
    typeof format === 'string' ? `Format: ${format}` : '',
    fallback === undefined ? '' : `Default: ${short(JSON.stringify(fallback))}`,
  ].filter((fact) => fact !== '')
  return [typeof text === 'string' ? text : '', ...facts]
}

function isDeprecated({ deprecated }: JsonObject): readonly string[] {
  return deprecated === true ? ['@deprecated'] : []
}

function short(text: string): string {
  return text.length > 200 ? `${text.slice(0, 199)}…` : text
}
