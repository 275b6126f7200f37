import { fileURLToPath } from 'node:url'
import type { Json, JsonObject } from '../model/json.ts'

/** The behaviour of the faulty server as data. Everything has a default: `{}` is a correct server of the legacy era. */
export interface FaultyScript {
  readonly era?: 'legacy' | 'modern' | 'both'
  /** The protocol versions it supports. */
  readonly versions?: readonly string[]
  readonly info?: JsonObject
  readonly instructions?: string
  readonly capabilities?: JsonObject
  /** The number of tools, or their definitions, valid or not. */
  readonly tools?: number | FaultyTools | readonly Json[]
  /** The number of pages of `tools/list`, or an endless list with the same or a new cursor. */
  readonly pages?: number | 'same-cursor' | 'new-cursor'
  readonly prompts?: readonly Json[]
  readonly resources?: readonly Json[]
  readonly templates?: readonly Json[]
  /** Results by method, in place of the default ones. */
  readonly results?: JsonObject
  readonly ttlMs?: number
  readonly cacheScope?: 'public' | 'private'
  readonly framing?: 'ndjson' | 'content-length'
  /** Runs before the step of each request. */
  readonly before?: Step
  /**
   * Steps by method, `method:name`, `*` for any other request, or event: `start`, `eof`, `sigterm`, `abort`, `GET`,
   * `DELETE`.
   */
  readonly on?: Readonly<Record<string, Step>>
  /** A file to which every received message is appended as a line of JSON. */
  readonly journal?: string
  /** A file that counts the starts of the server, for `eachStart`. */
  readonly starts?: string
  /** The format of an HTTP response that holds a single message. */
  readonly respond?: 'json' | 'sse'
  readonly sessions?: boolean
  /** The session becomes unknown after this many requests. */
  readonly sessionLostAfter?: number
  /** Events have ids, and a GET with `Last-Event-ID` resumes after that event. */
  readonly eventIds?: boolean
  /** `false` refuses the GET stream. */
  readonly get?: boolean
  readonly path?: string
  /** The address in the `endpoint` event of HTTP+SSE; `never` sends none, `twice` sends two. */
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
  /** The descriptions differ in every list. */
  readonly changing?: boolean
}

/** The name of an action, or an object of names and arguments. The guide on testing lists the actions. */
export type Action = string | JsonObject
export type Step =
  | Action
  | readonly Action[]
  /** The first step the first time, the second one the second time, and the last one from then on. */
  | { readonly each: readonly Step[] }
  /** Like `each`, counted by starts of the server; needs `starts`. */
  | { readonly eachStart: readonly Step[] }

/** The path of the program; it runs with Node 20 and later. */
export const faultyServerFile = fileURLToPath(new URL('./faulty-server/main.mjs', import.meta.url))

/** The command for a stdio server that follows the script. */
export function faultyServer(script: FaultyScript = {}): {
  readonly command: string
  readonly args: readonly string[]
} {
  return { command: process.execPath, args: [faultyServerFile, '--script', JSON.stringify(script)] }
}
