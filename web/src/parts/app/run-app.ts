import { AppBridge } from '@modelcontextprotocol/ext-apps/app-bridge'
import { effect } from '@preact/signals'
import { readPartialInput } from '../../../../src/apps/partial-input.ts'
import { openFrame, toSandbox } from '../../../../src/apps/open-frame.ts'
import type { AppConnection } from '../../../../src/apps/connect-app.ts'
import type { OpenedApp } from '../../../../src/client.ts'
import type { Json, JsonObject } from '../../../../src/model/json.ts'
import { about } from '../../state/page-state.ts'
import { theme } from '../../state/settings.ts'
import { appContext } from './app-context.ts'

export interface RunOptions {
  readonly box: HTMLElement
  readonly app: OpenedApp
  readonly call: string
  readonly onFull: (isFull: boolean) => void
  readonly onCut: (reason: string) => void
  /** Whether a person lets it open this address, or send this message. */
  readonly ask: (kind: 'link' | 'message', text: string) => Promise<boolean>
  /** What it tells the model; absent where there is no conversation, and no messages are sent then. */
  readonly onContext?: (text: string) => void
  readonly request: (
    kind: 'call' | 'read',
    value: { readonly name: string; readonly args?: JsonObject },
  ) => Promise<Json>
}

/** What is known of the call by now. */
export interface Told {
  /** The arguments as far as a model has written them. */
  readonly draft?: string
  readonly args?: unknown
  readonly result?: unknown
  readonly cancelled?: string
}

export interface RunningApp {
  tell(told: Told): void
  resize(isFull: boolean): void
  close(): void
}

/** Shows an app in a frame and speaks with it, until it is closed. */
export function runApp({ box, app, call, onFull, onCut, ask, onContext, request }: RunOptions): RunningApp {
  const frame = document.createElement('iframe')
  frame.className = 'app-document'
  let isFull = false
  let isWide = false
  let connection: AppConnection | undefined
  let isClosed = false
  const context = () => appContext({ app, call, width: box.clientWidth, isFull })
  const opening = openFrame({
    AppBridge,
    frame,
    append: () => box.append(frame),
    app,
    info: { name: 'plugboard', version: about.peek()?.version ?? '0' },
    context: context(),
    granted: toSandbox(app.granted),
    callTool: (name, args) => request('call', { name, args }),
    readResource: (name) => request('read', { name }),
    openLink: (url) => ask('link', url),
    ...(onContext && {
      sendMessage: (text: string) => ask('message', text),
      updateContext: async (text: string) => onContext(text),
    }),
    onHeight: (height) => {
      frame.style.setProperty('--app-height', `${height}px`)
    },
    onDisplayMode: (mode) => {
      // It fills the page only after a click or a key.
      if (mode === 'inline' || navigator.userActivation.isActive) isWide = mode === 'fullscreen'
      onFull(isWide)
      return isWide ? 'fullscreen' : 'inline'
    },
    onReady: () => (box.dataset['state'] = 'ready'),
    onCut: (reason) => onCut(`it sent ${reason}`),
  })
  void opening.then((opened) => {
    connection = opened
    if (isClosed) void opened.close()
  })
  const tell = ({ draft, args, result, cancelled }: Told) =>
    void opening.then((opened) => {
      const written = draft === undefined ? undefined : readPartialInput(draft)
      if (written) opened.sendPartialInput(written)
      if (args !== undefined) opened.sendInput(args as Json) // of an answer
      if (result !== undefined) opened.sendResult(result as Json) // as its server sent it
      else if (cancelled !== undefined) opened.sendCancelled(cancelled)
    })
  tell(app)
  const update = () => connection?.setContext(context())
  const offTheme = effect(() => {
    void theme.value
    queueMicrotask(update)
  })
  const media = matchMedia('(prefers-color-scheme: dark)')
  media.addEventListener('change', update)
  const observer = new ResizeObserver(update)
  observer.observe(box)
  return {
    tell,
    resize(next) {
      if (next === isFull) return
      isFull = isWide = next
      update()
    },
    close() {
      offTheme()
      media.removeEventListener('change', update)
      observer.disconnect()
      isClosed = true
      void connection?.close()
    },
  }
}
