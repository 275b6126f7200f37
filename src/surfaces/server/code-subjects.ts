import type { Json } from '../../index.ts'

/** What a code is shown for. The same value is made from the request that uses it, and the two are compared. */
export interface CodeSubject {
  readonly for: 'trust' | 'add' | 'source' | 'import' | 'export' | 'model' | 'accept'
  /** The name of the server, source or endpoint. */
  readonly subject: string
  /** The hash, or the body without the code. */
  readonly about: Json
}

/** The part of a body that a code is bound to. A dry run and the code itself are left out. */
export function boundPart(body: Readonly<Record<string, unknown>>): Json {
  const { request: _request, code: _code, isDryRun: _isDryRun, ...rest } = body
  return rest as Json // the body of a request is JSON
}
