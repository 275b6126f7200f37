/** Messages of the app that are passed on in a second, and at once. */
const messagesPerSecond = 100
const burst = 400
/** The characters of one message, as JSON. */
const maxMessage = 4_000_000

interface FrameScriptOptions {
  readonly hostOrigin: string
  readonly appPath: string
  readonly allow: string
}

/**
 * The script of the frame around an app. It passes messages on between the page and the app, each only from the window and the
 * origin that it has to come from, and asks nothing of anyone itself. An app that floods it is cut off there, before the page has
 * to read anything.
 */
export function frameScript({ hostOrigin, appPath, allow }: FrameScriptOptions): string {
  const given = JSON.stringify({ hostOrigin, appPath, allow, messagesPerSecond, burst, maxMessage })
  return `(${runFrame.toString()})(${given.replaceAll('<', '\\u003c')})`
}

interface FrameRun extends FrameScriptOptions {
  readonly messagesPerSecond: number
  readonly burst: number
  readonly maxMessage: number
}

/** The parts of a browser that the script uses: it is compiled here, and runs there. */
declare const window: {
  readonly parent: FrameWindow
  addEventListener(type: 'message', listener: (event: FrameMessage) => void): void
}
declare const document: {
  readonly body: { append(element: unknown): void }
  createElement(name: 'iframe'): FrameElement
}
interface FrameWindow {
  postMessage(message: unknown, origin: string): void
}
interface FrameElement {
  setAttribute(name: string, value: string): void
  readonly contentWindow: FrameWindow | null
}
interface FrameMessage {
  readonly source: unknown
  readonly origin: string
  readonly data: { readonly jsonrpc?: unknown; readonly method?: unknown } | null
}

function runFrame(options: FrameRun): void {
  const { hostOrigin, appPath, allow, messagesPerSecond: rate, burst: most, maxMessage: longest } = options
  const { parent } = window
  // Opened as a page of its own there is nothing to pass messages to.
  if ((parent as unknown) === window) return
  const frame = document.createElement('iframe')
  let left = most
  let at = Date.now()
  let isCut = false
  const isMessage = ({ data }: FrameMessage) =>
    typeof data === 'object' && data !== null && data.jsonrpc === '2.0'
  // Only the page and this frame speak about the sandbox.
  const isAboutSandbox = ({ data }: FrameMessage) =>
    String(data?.method).startsWith('ui/notifications/sandbox-')
  const cut = (reason: string) => {
    isCut = true
    const notice = { jsonrpc: '2.0', method: 'ui/notifications/sandbox-cut', params: { reason } }
    parent.postMessage(notice, hostOrigin)
  }
  window.addEventListener('message', (event) => {
    if (event.source === parent) {
      if (event.origin === hostOrigin && isMessage(event) && !isAboutSandbox(event))
        frame.contentWindow?.postMessage(event.data, '*')
      return
    }
    if (isCut || event.source !== frame.contentWindow || event.origin !== 'null') return
    const now = Date.now()
    left = Math.min(most, left + ((now - at) / 1000) * rate)
    at = now
    if (left < 1) {
      cut('too many messages')
      return
    }
    left -= 1
    if (!isMessage(event) || isAboutSandbox(event)) return
    let length = 0
    try {
      length = JSON.stringify(event.data).length
    } catch {
      return
    }
    if (length > longest) cut('a message that is too large')
    else parent.postMessage(event.data, hostOrigin)
  })
  frame.setAttribute('sandbox', 'allow-scripts allow-forms')
  frame.setAttribute('allow', allow)
  frame.setAttribute('referrerpolicy', 'no-referrer')
  frame.setAttribute('title', 'App')
  frame.setAttribute('src', appPath)
  document.body.append(frame)
}
