import { allowAttribute, missingGrants, openAppSession } from '../../../apps.ts'
import type { AppSession } from '../../../apps.ts'
import { HostError } from '../../../index.ts'
import type { JsonObject, Tool } from '../../../index.ts'
import { isObject } from '../../../internal.ts'
import type { OpenedApp } from '../../api/app-routes.ts'
import { showFindings } from '../../facts/findings/shown-finding.ts'
import { clean } from '../../facts/result-facts.ts'
import type { Handlers } from '../handler.ts'
import { unknownCall } from '../offers/live-call.ts'
import type { LiveCall } from '../offers/live-call.ts'
import { offersOf } from '../offers/offer-state.ts'
import type { ServeContext } from '../serve-context.ts'
import { AppGrantStore } from './app-grants.ts'

interface OpenApp {
  readonly server: string
  readonly session: AppSession
}

interface AppState {
  readonly opened: Map<string, OpenApp>
  readonly grants: AppGrantStore
}

const states = new WeakMap<ServeContext, AppState>()

function appsOf(context: ServeContext): AppState {
  const known = states.get(context)
  if (known) return known
  const state = { opened: new Map<string, OpenApp>(), grants: new AppGrantStore(context.discover) }
  states.set(context, state)
  return state
}

export const appHandlers = {
  async 'POST /api/apps'(context, { body }, { signal }) {
    const { host, frames, origin } = context
    const call = offersOf(context).calls.get(body.call)
    if (!call) throw unknownCall(body.call)
    const { server, tool, app: uri } = toolOf(context, call)
    if (!frames || uri === undefined)
      throw new HostError('app.unusable', { server, uri: uri ?? '' }, 'No app can be shown for this call.')
    const document = await host.readApp(call.ref, { signal })
    const { opened, grants } = appsOf(context)
    const id = serverId(context, server)
    const granted = await grants.of({ id, uri }, document.wishes)
    const frame = await frames.add(document, granted, origin)
    const session = openAppSession(host, {
      server,
      call: (name, args, limits) => offersOf(context).calls.runForApp({ server, name, args, ...limits }),
    })
    opened.set(frame.id, { server, session })
    const app: OpenedApp = {
      ...frame,
      server,
      tool,
      uri,
      title: clean(titleOf(context, call.ref) ?? tool),
      allow: allowAttribute(granted),
      granted: granted,
      asked: missingGrants(document.wishes, granted),
      dropped: document.dropped.map(clean),
      findings: showFindings(document.findings),
      ...(document.prefersBorder !== undefined && { prefersBorder: document.prefersBorder }),
      definition: definitionOf(context, call),
      args: call.args,
      ...outcomeOf(call),
    }
    return { app }
  },

  async 'DELETE /api/apps/:app'(context, { params }) {
    const { opened } = appsOf(context)
    const app = opened.get(params.app)
    app?.session.close()
    opened.delete(params.app)
    context.frames?.remove(params.app)
    return { isClosed: app !== undefined }
  },

  async 'POST /api/apps/:app/call'(context, { params, body }) {
    const args = isObject(body.args) ? body.args : {}
    return { result: await sessionOf(context, params.app).call(body.name, args) }
  },

  async 'POST /api/apps/:app/read'(context, { params, body }) {
    return { result: await sessionOf(context, params.app).read(body.uri) }
  },

  async 'GET /api/app-grants'(context) {
    const grants = await appsOf(context).grants.list()
    return { grants: grants.map(({ server, uri, granted }) => ({ server, uri, granted: granted })) }
  },

  async 'PUT /api/app-grants'(context, { body: { server, uri, granted } }) {
    await appsOf(context).grants.set({ id: serverId(context, server), server, uri, granted })
    return { granted }
  },
} satisfies Partial<Handlers>

function sessionOf(context: ServeContext, id: string): AppSession {
  const app = appsOf(context).opened.get(id)
  if (app) return app.session
  throw new HostError('app.unusable', { server: '', uri: '' }, 'This app is closed.', {
    hint: 'Open it again.',
  })
}

/** The tool of a call, if it has an app. */
export function toolOf({ host }: Pick<ServeContext, 'host'>, { ref }: Pick<LiveCall, 'ref'>): Tool {
  const tool = host.tools().find((each) => each.ref === ref)
  if (tool) return tool
  throw new HostError('tool.unknown', { tool: ref, near: [] }, `There is no tool "${ref}" now.`)
}

function titleOf({ host }: ServeContext, ref: string): string | undefined {
  return host.tools().find((each) => each.ref === ref)?.title
}

/** By the server's own name, as the app calls it. */
function definitionOf(context: ServeContext, call: LiveCall): OpenedApp['definition'] {
  const { tool: name, description, inputSchema, title } = toolOf(context, call)
  return { name, description, inputSchema, ...(title !== undefined && { title }) }
}

function serverId({ host }: ServeContext, server: string): string {
  const found = host.servers().find(({ name }) => name === server)
  if (found) return found.id
  throw new HostError('server.unknown', { server }, `There is no server "${server}".`)
}

function outcomeOf({ result, error }: LiveCall): Pick<OpenedApp, 'result' | 'cancelled'> {
  if (result?.raw !== undefined) return { result: result.raw }
  if (result) return { result: { content: [...result.blocks], isError: result.failed } satisfies JsonObject }
  return error ? { cancelled: clean(error.message) } : {}
}
