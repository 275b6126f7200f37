import type { Json, JsonObject } from './json.ts'

/** One piece of a result as the server sent it: text, image, audio, resource, resource link, or what comes later. */
export interface Block extends JsonObject {
  readonly type: string
}

/** What a call came to. The blocks are kept as they came; the text is a rendering of them for a model (D-10). */
export interface CallResult {
  readonly text: string
  readonly blocks: readonly Block[]
  readonly structured?: Json
  /** The tool's own failure, or an error the server answered with. */
  readonly failed: boolean
  readonly rpcError?: { readonly code: number; readonly message: string }
  /** The whole of a result that is too large for a model. */
  readonly spilled?: { readonly path: string; readonly bytes: number }
  readonly ref: string
  readonly ms: number
}
