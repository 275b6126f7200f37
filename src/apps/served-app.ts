import type { AppGrants } from '../model/app/app-security.ts'
import type { Json, JsonObject } from '../model/json.ts'

/** What a page needs to show an app: plain JSON, from `ServedApps.open` to `showApp`. */
export interface ServedApp {
  readonly id: string
  readonly server: string
  /** The tool whose app it is, by the server's own name. */
  readonly definition: {
    readonly name: string
    readonly title?: string
    readonly description: string
    readonly inputSchema: JsonObject
  }
  /** The origin and the address of the frame around the app. */
  readonly origin: string
  readonly address: string
  /** The `allow` attribute of the frame. */
  readonly allow: string
  readonly granted: AppGrants
  /** What it asks for beyond that. */
  readonly asked: AppGrants
  readonly args?: Json
  /** As its server sent it. */
  readonly result?: Json
}

/** A request of an app, from `showApp` to `ServedApps.answer`: plain JSON. */
export interface AppRequest {
  /** The id of the app. */
  readonly app: string
  readonly method: 'tools/call' | 'resources/read' | 'close'
  readonly params: JsonObject
}

/** The answer to it: plain JSON. */
export type AppAnswer = { readonly result: Json } | { readonly error: { readonly message: string } }
