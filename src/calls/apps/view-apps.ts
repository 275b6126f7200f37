import type { AppDocument } from '../../model/app/app-document.ts'
import { HostError } from '../../model/error.ts'
import type { Json } from '../../model/json.ts'
import { fromRef, toRef } from '../../model/tool.ts'
import type { Tool } from '../../model/tool.ts'
import type { CallResult } from '../../model/result.ts'
import type { CallByName } from '../view/view-calls.ts'
import type { ViewContext } from '../view/view-context.ts'
import type { CallOptions, View } from '../view/view.ts'
import type { Visibility } from '../view/visibility.ts'
import { beforeSending } from '../view/wait-for-servers.ts'
import type { ServerWaits } from '../view/wait-for-servers.ts'

interface AppsScope {
  readonly visibility: () => Visibility
  readonly waits: ServerWaits
  /** Finds a visible tool, or throws. */
  readonly find: (nameOrRef: string) => Tool
  /** The calls of one app, which finds other tools than a model does. */
  readonly callsOf: (find: (nameOrRef: string) => Tool | undefined) => CallByName
}

export interface ViewApps extends Pick<View, 'readApp'> {
  /** A call of the app of the tool with the ref `app`, by the server's own name for the tool that it calls. */
  call(app: string, tool: string, args: Json | undefined, options: CallOptions): Promise<CallResult>
}

/** The apps of the tools that are visible in a scope, and what they call (MCP Apps). */
export function createApps(context: ViewContext, scope: AppsScope): ViewApps {
  const { visibility, waits } = scope
  const callers = new Map<string, CallByName>()
  /** The approver looks a tool up by its ref again, an app names it as its server does. */
  const findFor = (server: string) => (nameOrRef: string) => {
    const ref = fromRef(nameOrRef)
    const own = ref && toRef(server, ref.tool) === nameOrRef ? ref.tool : undefined
    const tool =
      context.catalog.forApp(server, nameOrRef) ??
      (own === undefined ? undefined : context.catalog.forApp(server, own))
    return tool && visibility().isToolVisible(tool) ? tool : undefined
  }
  const callerOf = (server: string) => {
    const known = callers.get(server) ?? scope.callsOf(findFor(server))
    callers.set(server, known)
    return known
  }
  return {
    async call(app, tool, args, options) {
      const { server } = fromRef(app) ?? {}
      if (server === undefined)
        throw new HostError('usage', {}, '"app" is the ref of the tool whose app calls: "server/tool".')
      const { clock } = context
      const { signal, maxTimeoutMs } = options
      const since = clock.monotonic()
      if (!context.catalog.snapshotOf(server)) {
        const deadline = maxTimeoutMs ? since + maxTimeoutMs : undefined
        const limits = { method: 'tools/call', server, signal, maxTimeoutMs, deadline, clock }
        await beforeSending(waits.forServer(server, { signal }), limits)
      }
      if (!findFor(server)(tool)) throw notForApps(server, tool)
      return callerOf(server)(tool, args, { ...options, isWhole: true }, clock.monotonic() - since)
    },
    async readApp(nameOrRef, options = {}): Promise<AppDocument> {
      await beforeSending(waits.forTool(nameOrRef, { signal: options.signal }), {
        ...options,
        method: 'resources/read',
        deadline: undefined,
        clock: context.clock,
      })
      const { readAppOf } = await import('./read-app.ts')
      return readAppOf(scope.find(nameOrRef), context, options)
    },
  }
}

/** Does not tell a tool that is hidden from one that does not exist, or that the server keeps from apps. */
function notForApps(server: string, tool: string): HostError {
  const shown = JSON.stringify(tool.slice(0, 200))
  return new HostError('tool.unknown', { tool, near: [] }, `"${server}" has no tool ${shown} for its apps.`)
}
