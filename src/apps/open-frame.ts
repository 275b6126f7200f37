import type { AppGrants } from '../model/app/app-security.ts'
import { connectApp } from './connect-app.ts'
import type { AppConnection, AppConnectionOptions, AppMessageEvent, AppSurroundings } from './connect-app.ts'

/** The part of an `<iframe>` that is used: programs without the types of browsers compile this too. */
export interface AppFrameElement {
  src: string
  title: string
  readonly style: { width: string; height: string; border: string }
  readonly ownerDocument: { readonly defaultView: Omit<AppSurroundings, 'contentWindow'> | null }
  readonly contentWindow: ReturnType<AppSurroundings['contentWindow']>
  setAttribute(name: string, value: string): void
  remove(): void
}

interface OpenFrameOptions extends Omit<AppConnectionOptions, 'surroundings' | 'origin'> {
  readonly frame: AppFrameElement
  /** Puts the frame into the page. */
  readonly append: () => void
  readonly app: {
    readonly server: string
    readonly origin: string
    readonly address: string
    /** The `allow` attribute of the frame. */
    readonly allow: string
  }
}

/** Messages past the frame, straight to the page, before the app is removed: nothing of it is to come that way. */
const maxDirect = 200

/** Shows an app in this frame and speaks with it, until it is closed or cut off; the frame is removed then. */
export async function openFrame(options: OpenFrameOptions): Promise<AppConnection> {
  const { frame, append, app, onCut } = options
  const { origin, address, allow, server } = app
  const page = frame.ownerDocument.defaultView
  if (!page) throw new Error('The document of the frame is not shown in a window.')
  // Another origin than the page: its own scripts pass messages on, and the app is in a sandbox inside of it.
  frame.setAttribute('sandbox', 'allow-scripts allow-same-origin allow-forms')
  frame.setAttribute('allow', allow)
  frame.setAttribute('referrerpolicy', 'no-referrer')
  frame.title = `App of ${server}`
  let direct = 0
  const onDirect = ({ source }: AppMessageEvent) => {
    if (!isInside(source, frame.contentWindow)) return
    direct += 1
    if (direct > maxDirect) cut('too many messages')
  }
  const remove = () => {
    page.removeEventListener('message', onDirect)
    frame.remove()
  }
  const cut = (reason: string) => {
    remove()
    onCut?.(reason)
  }
  page.addEventListener('message', onDirect)
  const connection = await connectApp({
    ...options,
    origin,
    surroundings: {
      contentWindow: () => frame.contentWindow,
      addEventListener: (type, listener) => page.addEventListener(type, listener),
      removeEventListener: (type, listener) => page.removeEventListener(type, listener),
    },
    onCut: cut,
  })
  // Listening began before: the first message of the app is not lost.
  frame.src = address
  append()
  return {
    ...connection,
    async close() {
      // The frame stays for the app's last words, but not for longer than that.
      await connection.close()
      remove()
    },
  }
}

/** What was granted, as apps are told (`hostCapabilities.sandbox`). */
export function toSandbox({ connect, resources, frames, permissions }: AppGrants) {
  const names: Readonly<Record<string, string>> = { 'clipboard-write': 'clipboardWrite' }
  return {
    csp: { connectDomains: connect, resourceDomains: resources, frameDomains: frames },
    permissions: Object.fromEntries(permissions.map((name) => [names[name] ?? name, {}])),
  }
}

/** Whether a window is one inside of the frame: the app, or a frame that the app made. A page may read the parent of any window. */
function isInside(source: unknown, outer: unknown): boolean {
  let inner = source
  for (;;) {
    const { parent } = (inner ?? {}) as { readonly parent?: unknown } // a window, or what has no parent
    if (!parent || parent === inner) return false
    if (parent === outer) return true
    inner = parent
  }
}
