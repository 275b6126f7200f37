import type { Json, JsonObject } from '../model/json.ts'

/** The part of `AppBridge` of `@modelcontextprotocol/ext-apps` that is used: the class is passed in, so that it is loaded with the first app. */
export interface AppBridgeClass {
  new (
    client: null,
    info: { name: string; version: string },
    capabilities: object,
    options: object,
  ): AppBridge
}

export interface AppBridge {
  oncalltool: unknown
  onreadresource: unknown
  onopenlink: unknown
  onmessage: unknown
  onupdatemodelcontext: unknown
  onsizechange: unknown
  onrequestdisplaymode: unknown
  oninitialized: unknown
  connect(transport: unknown): Promise<void>
  close(): Promise<void>
  setHostContext(context: never): void
  sendToolInput(params: never): Promise<void>
  sendToolInputPartial(params: never): Promise<void>
  sendToolResult(params: never): Promise<void>
  sendToolCancelled(params: never): Promise<void>
  teardownResource(params: never, options?: { timeout?: number }): Promise<unknown>
}

/** A frame of the page, and the window that messages come to. */
export interface AppSurroundings {
  readonly contentWindow: () => { postMessage(message: unknown, origin: string): void } | null
  readonly addEventListener: (type: 'message', listener: (event: AppMessageEvent) => void) => void
  readonly removeEventListener: (type: 'message', listener: (event: AppMessageEvent) => void) => void
}

export interface AppMessageEvent {
  readonly source: unknown
  readonly origin: string
  readonly data: unknown
}

/** What an app may ask for. What is left out is not declared to it, and refused. */
export interface AppHandlers {
  readonly callTool?: (name: string, args: JsonObject) => Promise<Json>
  readonly readResource?: (uri: string) => Promise<Json>
  /** Of an http or https address, which a person has to see whole. Whether it was opened. */
  readonly openLink?: (url: string) => Promise<boolean>
  /** Text that would be sent in the name of the person, who has to see it. Whether it was. */
  readonly sendMessage?: (text: string) => Promise<boolean>
  /** Replaces what the app told the model before; empty to take it back. */
  readonly updateContext?: (text: string) => Promise<void>
  /** The height that the app wants, between 40 and 4000 pixels. */
  readonly onHeight?: (height: number) => void
  /** The mode that is in force then. */
  readonly onDisplayMode?: (mode: 'inline' | 'fullscreen') => 'inline' | 'fullscreen'
  readonly onReady?: () => void
  /** The frame has cut the app off: it sent too much. */
  readonly onCut?: (reason: string) => void
}

export interface AppConnectionOptions extends AppHandlers {
  readonly AppBridge: AppBridgeClass
  readonly surroundings: AppSurroundings
  /** The origin of the frame around the app. */
  readonly origin: string
  readonly info: { readonly name: string; readonly version: string }
  /** Theme, styles, locale, sizes and the tool, as `McpUiHostContext` has them. */
  readonly context: object
  /** What was really granted, for `hostCapabilities.sandbox`. */
  readonly granted?: { readonly csp?: object; readonly permissions?: object }
}

export interface AppConnection {
  /** The arguments of the call. Sent when the app is ready; once. */
  sendInput(args: Json): void
  /** The arguments so far, while a model writes them. */
  sendPartialInput(args: Json): void
  sendResult(result: Json): void
  sendCancelled(reason: string): void
  setContext(context: object): void
  /** Tells the app that it is removed, and waits for it for a short time. */
  close(): Promise<void>
}

/** The longest text that an app may tell a model or send in the name of a person. */
const maxAppText = 16_000
const [minHeight, maxHeight] = [40, 4000]
const teardownMs = 500

/** Connects the official bridge to a frame, with the checks that it leaves to its host. No client is given to it. */
export async function connectApp(options: AppConnectionOptions): Promise<AppConnection> {
  const { AppBridge, context, info, onReady } = options
  const bridge = new AppBridge(null, info, capabilitiesOf(options), { hostContext: context })
  answer(bridge, options)
  let isReady = false
  let hasInput = false
  const waiting: (() => void)[] = []
  const whenReady = (send: () => Promise<void>) => {
    const trySend = () => void send().catch(() => undefined)
    if (isReady) trySend()
    else waiting.push(trySend)
  }
  bridge.oninitialized = () => {
    isReady = true
    for (const send of waiting.splice(0)) send()
    onReady?.()
  }
  await bridge.connect(createTransport(options))
  return {
    sendPartialInput(args) {
      if (!hasInput) whenReady(() => bridge.sendToolInputPartial({ arguments: args } as never)) // JSON
    },
    sendInput(args) {
      if (hasInput) return
      hasInput = true
      whenReady(() => bridge.sendToolInput({ arguments: args } as never)) // JSON
    },
    sendResult: (result) => whenReady(() => bridge.sendToolResult(result as never)), // as its server sent it
    sendCancelled: (reason) => whenReady(() => bridge.sendToolCancelled({ reason } as never)), // text
    setContext: (next) => bridge.setHostContext(next as never), // the caller's own
    async close() {
      if (isReady) await bridge.teardownResource({} as never, { timeout: teardownMs }).catch(() => undefined) // no parameters
      await bridge.close().catch(() => undefined)
    },
  }
}

/** Only what has a handler is declared. */
function capabilitiesOf(options: AppConnectionOptions): object {
  const { callTool, readResource, openLink, sendMessage, updateContext, granted } = options
  return {
    sandbox: granted ?? {},
    ...(callTool && { serverTools: {} }),
    ...(readResource && { serverResources: {} }),
    ...(openLink && { openLinks: {} }),
    ...(sendMessage && { message: { text: {} } }),
    ...(updateContext && { updateModelContext: { text: {}, structuredContent: {} } }),
  }
}

function answer(bridge: AppBridge, options: AppConnectionOptions): void {
  const { callTool, readResource, openLink, sendMessage, updateContext, onHeight, onDisplayMode } = options
  if (callTool)
    bridge.oncalltool = async ({ name, arguments: args = {} }: { name: string; arguments?: JsonObject }) =>
      callTool(name, args)
  if (readResource) bridge.onreadresource = async ({ uri }: { uri: string }) => readResource(uri)
  if (openLink)
    bridge.onopenlink = async ({ url }: { url: string }) => {
      const address = toWebAddress(url)
      return address !== undefined && (await openLink(address)) ? {} : { isError: true }
    }
  if (sendMessage)
    Object.assign(bridge, {
      onmessage: async ({ content }: { content: unknown }) => {
        const text = textOf(content)
        return text !== undefined && (await sendMessage(text)) ? {} : { isError: true }
      },
    })
  if (updateContext)
    bridge.onupdatemodelcontext = async (params: { content?: unknown; structuredContent?: unknown }) => {
      const { content = [], structuredContent } = params
      const structured = structuredContent === undefined ? '' : JSON.stringify(structuredContent)
      await updateContext([textOf(content) ?? '', structured].join('\n').trim().slice(0, maxAppText))
      return {}
    }
  bridge.onsizechange = ({ height }: { height?: number }) => {
    if (typeof height === 'number' && Number.isFinite(height))
      onHeight?.(Math.min(maxHeight, Math.max(minHeight, Math.ceil(height))))
  }
  bridge.onrequestdisplaymode = async ({ mode }: { mode: string }) => {
    const isKnown = mode === 'inline' || mode === 'fullscreen'
    return { mode: (isKnown ? onDisplayMode?.(mode) : undefined) ?? 'inline' }
  }
}

/** An http or https address without a name and password in it. */
function toWebAddress(url: string): string | undefined {
  try {
    const { protocol, username, password, href } = new URL(url)
    const isWeb = protocol === 'https:' || protocol === 'http:'
    return isWeb && username === '' && password === '' && href.length <= 2048 ? href : undefined
  } catch {
    return undefined
  }
}

/** The texts of one block or of several; nothing if there is none, or too much. */
function textOf(content: unknown): string | undefined {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content]
  const texts = blocks.flatMap((block) => {
    const { type, text } = (block ?? {}) as { readonly type?: unknown; readonly text?: unknown } // checked next
    return type === 'text' && typeof text === 'string' ? text : []
  })
  const whole = texts.join('\n').trim()
  return whole === '' || whole.length > maxAppText ? undefined : whole
}

/** Messages of the frame alone, by its window and its origin; messages to it at that origin alone. */
function createTransport({ surroundings, origin, onCut }: AppConnectionOptions) {
  const { contentWindow, addEventListener, removeEventListener } = surroundings
  const onEvent = (event: AppMessageEvent) => {
    const { source, origin: from } = event
    if (from !== origin || source === null || source !== contentWindow()) return
    // Not before: a browser builds the data when it is read, and what others send may be large.
    const { data } = event
    const { jsonrpc, method, params } = (data ?? {}) as JsonObject // checked next, and by the bridge
    if (jsonrpc !== '2.0') return
    if (method === 'ui/notifications/sandbox-cut') {
      const { reason } = (params ?? {}) as JsonObject // of our own frame
      onCut?.(typeof reason === 'string' ? reason : 'too much')
      return
    }
    transport.onmessage?.(data)
  }
  const transport = {
    onmessage: undefined as ((message: unknown) => void) | undefined,
    onclose: undefined as (() => void) | undefined,
    onerror: undefined as ((error: Error) => void) | undefined,
    start: async () => addEventListener('message', onEvent),
    send: async (message: unknown) => contentWindow()?.postMessage(message, origin),
    close: async () => {
      removeEventListener('message', onEvent)
      transport.onclose?.()
    },
  }
  return transport
}
