import { fileURLToPath } from 'node:url'
import type { Json, JsonObject } from '../model/json.ts'

/** What the faulty server does, as data. Everything has a default: `{}` is a good server of the older era. */
export interface FaultyScript {
  readonly era?: 'legacy' | 'modern' | 'both'
  /** The revisions it offers. */
  readonly versions?: readonly string[]
  readonly info?: JsonObject
  readonly instructions?: string
  readonly capabilities?: JsonObject
  /** How many, or the definitions as they are, good or bad. */
  readonly tools?: number | FaultyTools | readonly Json[]
  /** Into how many pages `tools/list` is cut, or a list without end. */
  readonly pages?: number | 'same-cursor' | 'new-cursor'
  readonly prompts?: readonly Json[]
  readonly resources?: readonly Json[]
  readonly templates?: readonly Json[]
  /** The result of any other method. */
  readonly results?: JsonObject
  readonly ttlMs?: number
  readonly cacheScope?: 'public' | 'private'
  readonly framing?: 'ndjson' | 'content-length'
  /** Runs before the step of every request. */
  readonly before?: Step
  /** By method, `method:name`, `*` for any other request, or an event: `start`, `eof`, `sigterm`, `abort`, `GET`, `DELETE`. */
  readonly on?: Readonly<Record<string, Step>>
  /** A file to which everything that arrives is appended as a line of JSON. */
  readonly journal?: string
  /** A file that counts the starts, for `eachStart`. */
  readonly starts?: string
  /** How an HTTP answer goes out that comes alone. */
  readonly respond?: 'json' | 'sse'
  readonly sessions?: boolean
  /** A session is unknown after so many requests. */
  readonly sessionLostAfter?: number
  /** Events have ids, and a GET with `Last-Event-ID` goes on behind that one. */
  readonly eventIds?: boolean
  /** `false` refuses the GET stream. */
  readonly get?: boolean
  readonly path?: string
  /** What the `endpoint` event of HTTP+SSE says: an address, nothing, or it twice. */
  readonly endpoint?: string
  readonly port?: number
  readonly tls?: { readonly key: string; readonly cert: string }
  /** `false` accepts headers that do not match the body. */
  readonly checkHeaders?: boolean
}

export interface FaultyTools {
  readonly count: number
  /** The length of each description. */
  readonly bytes?: number
  /** Every list has other descriptions than the one before. */
  readonly changing?: boolean
}

/** The name of an action, `{ name: argument }`, or several of them. The page on testing lists them. */
export type Action = string | JsonObject
export type Step =
  | Action
  | readonly Action[]
  /** The first time the first, the second time the second, from then on the last. */
  | { readonly each: readonly Step[] }
  /** The same by how often the server was started; needs `starts`. */
  | { readonly eachStart: readonly Step[] }

/** The program, for any Node from 20 on. */
export const faultyServerFile = fileURLToPath(new URL('./faulty-server/main.mjs', import.meta.url))

/** The command of a server on stdio that follows the script. */
export function faultyServer(script: FaultyScript = {}): {
  readonly command: string
  readonly args: readonly string[]
} {
  return { command: process.execPath, args: [faultyServerFile, '--script', JSON.stringify(script)] }
}
