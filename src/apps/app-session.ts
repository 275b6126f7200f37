import { HostError } from '../model/error.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { CallResult } from '../model/result.ts'
import { fromRef } from '../model/tool.ts'
import type { View } from '../calls/view/view.ts'

export interface AppSessionOptions {
  /** The ref of the tool whose app it is. */
  readonly tool: string
  /** Makes the call in place of the view, which gives the same result: for hosts that keep a list of calls. */
  readonly call?: (
    tool: string,
    args: JsonObject,
    options: { readonly signal: AbortSignal },
  ) => Promise<CallResult>
  /** Requests a second, on the average; 5 by default. Up to four times as many may come at once. */
  readonly perSecond?: number
  /** Requests at the same time; 8 by default. */
  readonly atOnce?: number
  readonly now?: () => number
}

/** What one open app may ask of its server. */
export interface AppSession {
  /** A call of a tool of the app's own server, by the server's name for it; the result as the server sent it. */
  call(tool: string, args?: JsonObject): Promise<Json>
  /** Reads a resource of the app's own server; the answer as the server sent it. */
  read(uri: string): Promise<Json>
  /** Ends what runs; nothing is sent after it. */
  close(): void
}

/** The longest name of a tool that an app may call. */
const maxName = 1024

/**
 * The requests of one app: `tools/call` and `resources/read`, to its own server, by the rules, approvals and audit trail of the
 * view, and only so many in a time.
 */
export function openAppSession(view: Pick<View, 'call' | 'forward'>, options: AppSessionOptions): AppSession {
  const { tool: app, perSecond = 5, atOnce = 8, now = Date.now } = options
  const server = fromRef(app)?.server ?? app
  const ending = new AbortController()
  const { signal } = ending
  const call = options.call ?? ((tool, args, limits) => view.call(tool, args, { app, ...limits }))
  let left = perSecond * 4
  let at = now()
  let running = 0
  const run = async <T>(request: () => Promise<T>): Promise<T> => {
    const time = now()
    left = Math.min(perSecond * 4, left + ((time - at) / 1000) * perSecond)
    at = time
    if (signal.aborted) throw new HostError('host.closed', { server }, `The app of "${server}" is closed.`)
    if (left < 1 || running >= atOnce)
      throw new HostError('call.busy', { server }, `The app of "${server}" asks too much at once.`)
    left -= 1
    running += 1
    try {
      return await request()
    } finally {
      running -= 1
    }
  }
  return {
    call: (tool, args = {}) =>
      run(async () => {
        // It would be written into the timeline and the audit trail.
        if (tool.length > maxName)
          throw new HostError('tool.unknown', { tool: '', near: [] }, 'No tool has a name as long as this.')
        return toToolResult(await call(tool, args, { signal }))
      }),
    read: (uri) => run(() => view.forward(server, 'resources/read', { uri }, { signal })),
    close: () => ending.abort(new Error('The app was closed.')),
  }
}

/** An error that the server answered with is a failed result, as a model sees it. */
function toToolResult({ raw, rpcError, text }: CallResult): Json {
  if (raw !== undefined) return raw
  return { content: [{ type: 'text', text: rpcError?.message ?? text }], isError: true }
}
