import { allowAttribute, missingGrants, openAppSession } from '../../../apps.ts'
import type { AppSession } from '../../../apps.ts'
import { HostError } from '../../../index.ts'
import type { Host, Tool } from '../../../index.ts'
import { isObject } from '../../../internal.ts'
import type { OpenedApp } from '../../api/app-routes.ts'
import { showFindings } from '../../facts/findings/shown-finding.ts'
import { clean } from '../../facts/result-facts.ts'
import type { Handlers } from '../handler.ts'
import { unknownCall } from '../offers/live-call.ts'
import { offersOf } from '../offers/offer-state.ts'
import type { ServeContext } from '../serve-context.ts'
import { AppGrantStore } from './app-grants.ts'
import { placeOf, shownCall } from './shown-call.ts'
import type { AppPlace, ShownCall } from './shown-call.ts'

interface OpenApp {
  readonly ref: string
  /** The id of its server, among those of the folder that it was opened for. */
  readonly serverId: string
  readonly session: AppSession
  readonly release: () => void
}

interface AppState {
  readonly opened: Map<string, OpenApp>
  readonly grants: AppGrantStore
}

const states = new WeakMap<ServeContext, AppState>()

/** A page that is gone has closed none of its apps. */
const maxOpened = 100

function appsOf(context: ServeContext): AppState {
  const known = states.get(context)
  if (known) return known
  const state = { opened: new Map<string, OpenApp>(), grants: new AppGrantStore(context.discover) }
  states.set(context, state)
  return state
}

export const appHandlers = {
  async 'POST /api/apps'(context, { body }, { signal }) {
    const call = body.call === undefined ? unwritten(body) : await shownCall(context, body.call)
    const place = await placeOf(context, call.conversation)
    try {
      return { app: await openApp(context, call, place, signal) }
    } catch (error) {
      place.release()
      throw error
    }
  },

  async 'DELETE /api/apps/:app'(context, { params }) {
    return { isClosed: closeApp(context, params.app) }
  },

  async 'GET /api/apps/:app/outcome'(context, { params, query }) {
    const { ref } = openedApp(context, params.app)
    const id = query?.call ?? ''
    const call = await shownCall(context, id)
    if (call.ref !== ref) throw unknownCall(id)
    const { args, result, cancelled } = call
    return { args, ...(result !== undefined && { result }), ...(cancelled !== undefined && { cancelled }) }
  },

  async 'POST /api/apps/:app/call'(context, { params, body }) {
    const args = isObject(body.args) ? body.args : {}
    return { result: await openedApp(context, params.app).session.call(body.name, args) }
  },

  async 'POST /api/apps/:app/read'(context, { params, body }) {
    return { result: await openedApp(context, params.app).session.read(body.uri) }
  },

  async 'GET /api/app-grants'(context) {
    const grants = await appsOf(context).grants.list()
    return { grants: grants.map(({ server, uri, granted }) => ({ server, uri, granted: granted })) }
  },

  async 'PUT /api/app-grants'(context, { body: { server, uri, granted, app } }) {
    const id = app === undefined ? serverId(context.host, server) : openedApp(context, app).serverId
    await appsOf(context).grants.set({ id, server, uri, granted })
    return { granted }
  },
} satisfies Partial<Handlers>

/** A call that a model has begun to write: only its tool is known. */
function unwritten({ ref, conversation }: { readonly ref?: string; readonly conversation?: string }) {
  if (ref === undefined) throw new HostError('usage', {}, '"call" is the id of a call.')
  return { ref, ...(conversation !== undefined && { conversation }) }
}

async function openApp(
  context: ServeContext,
  call: Pick<ShownCall, 'ref'> & Partial<ShownCall>,
  place: AppPlace,
  signal: AbortSignal,
): Promise<OpenedApp> {
  const { ref, args, conversation, result, cancelled } = call
  const { host, view, release } = place
  await host.ready({ tool: ref, signal })
  const found = toolOf(host, ref)
  const { server, tool, app: uri, title, description, inputSchema } = found
  if (!context.frames || uri === undefined)
    throw new HostError('app.unusable', { server, uri: uri ?? '' }, 'No app can be shown for this call.')
  const document = await host.readApp(ref, { signal })
  const { opened, grants } = appsOf(context)
  const id = serverId(host, server)
  const granted = await grants.of({ id, uri }, document.wishes)
  const frame = await context.frames.add(document, granted, context.origin)
  const session = openAppSession(view, {
    tool: ref,
    call: (name, values, limits) =>
      offersOf(context).calls.runForApp({ app: found, name, args: values, view, conversation, ...limits }),
  })
  opened.set(frame.id, { ref, serverId: id, session, release })
  const [oldest] = opened.keys()
  if (opened.size > maxOpened && oldest !== undefined) closeApp(context, oldest)
  return {
    ...frame,
    server,
    tool,
    uri,
    title: clean(title ?? tool),
    allow: allowAttribute(granted),
    granted,
    asked: missingGrants(document.wishes, granted),
    dropped: document.dropped.map(clean),
    findings: showFindings(document.findings),
    ...(document.prefersBorder !== undefined && { prefersBorder: document.prefersBorder }),
    // By the server's own name, as the app calls it.
    definition: { name: tool, description, inputSchema, ...(title !== undefined && { title }) },
    ...(args !== undefined && { args }),
    ...(result !== undefined && { result }),
    ...(cancelled !== undefined && { cancelled }),
  }
}

/** Whether it was open. */
function closeApp(context: ServeContext, id: string): boolean {
  const { opened } = appsOf(context)
  const app = opened.get(id)
  opened.delete(id)
  app?.session.close()
  app?.release()
  context.frames?.remove(id)
  return app !== undefined
}

function openedApp(context: ServeContext, id: string): OpenApp {
  const app = appsOf(context).opened.get(id)
  if (app) return app
  throw new HostError('app.unusable', { server: '', uri: '' }, 'This app is closed.', {
    hint: 'Open it again.',
  })
}

function toolOf(host: Host, ref: string): Tool {
  const tool = host.tools().find((each) => each.ref === ref)
  if (tool) return tool
  throw new HostError('tool.unknown', { tool: ref, near: [] }, `There is no tool "${ref}" now.`)
}

function serverId(host: Host, server: string): string {
  const found = host.servers().find(({ name }) => name === server)
  if (found) return found.id
  throw new HostError('server.unknown', { server }, `There is no server "${server}".`)
}
