/** A JSON Schema (2020-12). */
export type Schema = Readonly<Record<string, unknown>>

/** Schemas by field; a field whose name ends with `?` may be absent. */
export type Fields = Readonly<Record<string, Schema>>

export const text: Schema = { type: 'string' }
export const whole: Schema = { type: 'integer' }
export const number: Schema = { type: 'number' }
export const flag: Schema = { type: 'boolean' }
/** Any JSON value. */
export const anything: Schema = {}
/** An object whose fields a server, an author of a file or an error code decides. */
export const openObject: Schema = { type: 'object' }
export const texts = list(text)

/** An object with these fields and no others. */
export function object(fields: Fields): Schema {
  const names = Object.keys(fields)
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([name, each]) => [bare(name), each])),
    required: names.filter((name) => name === bare(name)),
    additionalProperties: false,
  }
}

/** An object with at least these fields. */
export function open(fields: Fields): Schema {
  const { additionalProperties: _closed, ...rest } = object(fields)
  return rest
}

export function list(items: Schema): Schema {
  return { type: 'array', items }
}

export function map(values: Schema): Schema {
  return { type: 'object', additionalProperties: values }
}

export function oneOf(...values: readonly (string | number | boolean | null)[]): Schema {
  return { enum: values }
}

export function either(...schemas: readonly Schema[]): Schema {
  return { anyOf: schemas }
}

export function orNull(schema: Schema): Schema {
  return either(schema, { type: 'null' })
}

/** A schema of `$defs`. */
export function ref(name: string): Schema {
  return { $ref: `#/$defs/${name}` }
}

export function described(description: string, schema: Schema): Schema {
  return { description, ...schema }
}

function bare(name: string): string {
  return name.endsWith('?') ? name.slice(0, -1) : name
}
