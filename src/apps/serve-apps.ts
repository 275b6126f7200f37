import type { View } from '../calls/view/view.ts'
import type { AppDocument } from '../model/app/app-document.ts'
import { allowAttribute, missingGrants, noGrants, usableGrants } from '../model/app/app-security.ts'
import type { AppGrants } from '../model/app/app-security.ts'
import { HostError, isHostError } from '../model/error.ts'
import { isObject } from '../model/json.ts'
import type { Json } from '../model/json.ts'
import type { Tool } from '../model/tool.ts'
import { AppFrames } from './app-frames.ts'
import { openAppSession } from './app-session.ts'
import type { AppSession } from './app-session.ts'
import type { AppAnswer, ServedApp } from './served-app.ts'

export interface ServeAppsOptions {
  /** The origin of the page that shows the apps: only it may, and only it is believed. At a loopback address, as the apps are. */
  readonly origin: string
  /** What a person granted an app; nothing by default. What it does not ask for is left out. */
  readonly grantsOf?: (app: AppDocument) => AppGrants | Promise<AppGrants>
}

/** A call of a tool that has an app. */
export interface AppCall {
  readonly tool: Tool
  readonly args?: Json
  /** `raw` of its result. Without one the page sends it later (`AppConnection.sendResult`). */
  readonly result?: Json | undefined
}

export interface ServedApps {
  /** Where frames of apps come from, for the content security policy of the page (`frame-src`). */
  readonly frameSource: string
  /** Reads the document of a tool's app and opens a session for it. The answer is for the page, whose `showApp` shows it. */
  open(call: AppCall): Promise<ServedApp>
  /** Answers a request of `showApp`. The page that sent it is not checked here: that is for the login of your own program. */
  answer(request: unknown): Promise<AppAnswer>
  /** Closes the port and ends what runs for apps. */
  close(): void
}

/** A page that is gone has closed none of its apps. */
const maxOpened = 100

/**
 * Serves the apps of a host's tools to a page of one's own at this machine: their documents at a port of their own, as
 * `plugboard serve` does, and their requests by the rules, approvals and audit trail of the view.
 */
export async function serveApps(
  view: Pick<View, 'call' | 'forward' | 'readApp'>,
  { origin: hostOrigin, grantsOf = () => noGrants }: ServeAppsOptions,
): Promise<ServedApps> {
  if (!isOrigin(hostOrigin))
    throw new HostError('usage', {}, `"origin" is the origin of the page, as "http://127.0.0.1:8080".`)
  const frames = await AppFrames.open()
  if (!frames)
    throw new HostError('app.unusable', { server: '', uri: '' }, 'No port is free for documents of apps.')
  const sessions = new Map<string, AppSession>()
  const end = (id: string) => {
    sessions.get(id)?.close()
    sessions.delete(id)
    frames.remove(id)
  }
  return {
    frameSource: frames.source,

    async open({ tool, args, result }) {
      const { ref, server, tool: name, title, description, inputSchema } = tool
      const document = await view.readApp(ref)
      const granted = usableGrants(document.wishes, await grantsOf(document))
      const { id, origin, address } = await frames.add(document, granted, hostOrigin)
      sessions.set(id, openAppSession(view, { tool: ref }))
      const [oldest] = sessions.keys()
      if (sessions.size > maxOpened && oldest !== undefined) end(oldest)
      return {
        id,
        server,
        definition: { name, ...(title !== undefined && { title }), description, inputSchema },
        origin,
        address,
        allow: allowAttribute(granted),
        granted,
        asked: missingGrants(document.wishes, granted),
        ...(args !== undefined && { args }),
        ...(result !== undefined && { result }),
      }
    },

    async answer(request) {
      const { app, method, params } = isObject(request) ? request : {}
      const { name, uri, arguments: args = {} } = isObject(params) ? params : {}
      const id = typeof app === 'string' ? app : ''
      const session = sessions.get(id)
      if (!session) return refusal('The app is not open.')
      try {
        if (method === 'tools/call' && typeof name === 'string' && isObject(args))
          return { result: await session.call(name, args) }
        if (method === 'resources/read' && typeof uri === 'string') return { result: await session.read(uri) }
      } catch (error) {
        if (isHostError(error)) return refusal(error.message)
        throw error
      }
      if (method !== 'close') return refusal('The request is none that an app may make.')
      end(id)
      return { result: {} }
    },

    close() {
      for (const id of sessions.keys()) end(id)
      frames.close()
    },
  }
}

/** As browsers send it: with anything more, such as a slash at its end, no message of the page would be believed. */
function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text
}

function refusal(message: string): AppAnswer {
  return { error: { message } }
}
