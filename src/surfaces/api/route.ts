import type { Schema, TypeOf } from './schema-builder.ts'

/** One operation of the HTTP API, as data: the server handles it, the client calls it, the OpenAPI document describes it. */
export interface Route {
  /** One sentence. */
  readonly summary: string
  /** The command that does the same, with words in capitals for what is chosen. */
  readonly command?: string
  /** Values of the query, as text. */
  readonly query?: Schema
  readonly body?: Schema
  readonly answer: Schema
  /** Refused without a code that the terminal of `serve` shows, because it would let a page run a program (T37). */
  readonly isGuarded?: true
}

/** The names after `:` in a path. */
export type PathParameter<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathParameter<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

export type RoutePart<R, Name extends string> =
  R extends Readonly<Record<Name, infer S>> ? TypeOf<S> : undefined

/** What a request to a route has: the values of its path, and query and body where it takes them. */
export type InputOf<Key extends string, R> = (PathParameter<Key> extends never
  ? { readonly params?: undefined }
  : { readonly params: Readonly<Record<PathParameter<Key>, string>> }) &
  (RoutePart<R, 'query'> extends undefined
    ? { readonly query?: undefined }
    : { readonly query?: RoutePart<R, 'query'> }) &
  (RoutePart<R, 'body'> extends undefined
    ? { readonly body?: undefined }
    : { readonly body: RoutePart<R, 'body'> })

export type AnswerOf<R> = R extends { readonly answer: infer S } ? TypeOf<S> : never
