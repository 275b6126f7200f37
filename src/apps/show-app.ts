import type { Json, JsonObject } from '../model/json.ts'
import type { AppBridgeClass, AppConnection, AppHandlers } from './connect-app.ts'
import { openFrame, toSandbox } from './open-frame.ts'
import type { AppFrameElement } from './open-frame.ts'
import type { AppAnswer, AppRequest, ServedApp } from './served-app.ts'

/** The part of an element of a page that is used. */
export interface AppBox {
  readonly ownerDocument: { createElement(name: 'iframe'): AppFrameElement }
  append(frame: never): void
}

/** `callTool` and `readResource` are those of `request`. */
export interface ShowAppOptions extends Omit<AppHandlers, 'callTool' | 'readResource'> {
  readonly AppBridge: AppBridgeClass
  /** The element that the frame is added to. It takes its width, and by default the height that the app wants. */
  readonly into: AppBox
  /** Sends a request to the program, which answers it with `ServedApps.answer`. */
  readonly request: (request: AppRequest) => Promise<AppAnswer>
  readonly info: { readonly name: string; readonly version: string }
  /** Theme, styles, locale and sizes, as `McpUiHostContext` has them. */
  readonly context?: object
}

/** Shows an app that the program has opened: a frame, the official bridge in it, the arguments and the result of its call. */
export async function showApp(app: ServedApp, options: ShowAppOptions): Promise<AppConnection> {
  const { into, request, context, onCut, ...others } = options
  const frame = into.ownerDocument.createElement('iframe')
  frame.style.width = '100%'
  frame.style.border = '0'
  const ask = async (method: AppRequest['method'], params: JsonObject): Promise<Json> => {
    const answer = await request({ app: app.id, method, params })
    if ('error' in answer) throw new Error(answer.error.message)
    return answer.result
  }
  const connection = await openFrame({
    onHeight: (height) => (frame.style.height = `${height}px`),
    ...others,
    app,
    frame,
    append: () => into.append(frame as never), // an element of the same document
    granted: toSandbox(app.granted),
    context: { toolInfo: { tool: app.definition }, ...context },
    callTool: (name, args) => ask('tools/call', { name, arguments: args }),
    readResource: (uri) => ask('resources/read', { uri }),
    onCut(reason) {
      // What it asked for before ends too.
      void ask('close', {}).catch(() => undefined)
      onCut?.(reason)
    },
  })
  if (app.args !== undefined) connection.sendInput(app.args)
  if (app.result !== undefined) connection.sendResult(app.result)
  return {
    ...connection,
    async close() {
      await connection.close()
      await ask('close', {})
    },
  }
}
