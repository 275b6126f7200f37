/** Carries the type of the values that a schema describes; never set. */
declare const shape: unique symbol

/** A JSON Schema (2020-12) of values of the type `T`. */
export interface Schema<out T = unknown> {
  readonly [shape]?: T
  readonly [keyword: string]: unknown
}

/** The type that a schema describes, so that a shape is written once. */
export type TypeOf<S> = S extends Schema<infer T> ? T : never

/** Schemas by field; a field whose name ends with `?` may be absent. */
export type Fields = Readonly<Record<string, Schema>>

type ObjectOf<F extends Fields> = {
  readonly [K in keyof F as K extends `${string}?` ? never : K]: TypeOf<F[K]>
} & { readonly [K in keyof F as K extends `${infer Name}?` ? Name : never]?: TypeOf<F[K]> }

/** Shows an intersection as one object in messages of the compiler. */
type Flat<T> = { readonly [K in keyof T]: T[K] }

export const text: Schema<string> = { type: 'string' }
export const whole: Schema<number> = { type: 'integer' }
export const number: Schema<number> = { type: 'number' }
export const flag: Schema<boolean> = { type: 'boolean' }
/** Any JSON value. */
export const anything: Schema = {}
/** An object whose fields a server, an author of a file or an error code decides. */
export const openObject: Schema<Readonly<Record<string, unknown>>> = { type: 'object' }
export const texts = list(text)

/** An object with these fields and no others. */
export function object<const F extends Fields>(fields: F): Schema<Flat<ObjectOf<F>>> {
  const names = Object.keys(fields)
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([name, each]) => [bare(name), each])),
    required: names.filter((name) => name === bare(name)),
    additionalProperties: false,
  }
}

/** An object with at least these fields. */
export function open<const F extends Fields>(fields: F): Schema<Flat<ObjectOf<F>>> {
  const { additionalProperties: _closed, ...rest } = object(fields)
  return rest
}

export function list<T>(items: Schema<T>): Schema<readonly T[]> {
  return { type: 'array', items }
}

export function map<T>(values: Schema<T>): Schema<Readonly<Record<string, T>>> {
  return { type: 'object', additionalProperties: values }
}

export function oneOf<const V extends readonly (string | number | boolean | null)[]>(
  ...values: V
): Schema<V[number]> {
  return { enum: values }
}

export function either<const S extends readonly Schema[]>(...schemas: S): Schema<TypeOf<S[number]>> {
  return { anyOf: schemas }
}

export function orNull<T>(schema: Schema<T>): Schema<T | null> {
  return either(schema, nothing)
}

const nothing: Schema<null> = { type: 'null' }

/** A schema of `$defs`, for values of the type `T`. */
export function ref<T = unknown>(name: string): Schema<T> {
  return { $ref: `#/$defs/${name}` }
}

/** A schema for values of a type that is declared elsewhere. */
export function typed<T>(schema: Schema): Schema<T> {
  return schema as Schema<T> // the caller knows the type; tests compare real values with the schema
}

export function described<T>(description: string, schema: Schema<T>): Schema<T> {
  return { description, ...schema }
}

function bare(name: string): string {
  return name.endsWith('?') ? name.slice(0, -1) : name
}
