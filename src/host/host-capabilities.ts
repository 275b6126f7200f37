import { capabilitiesOf } from '../connections/server-requests.ts'
import type { RequestHandlers, FindRoots } from '../connections/server-requests.ts'
import { appCapability } from '../model/app/app-meta.ts'
import type { JsonObject } from '../model/json.ts'
import type { HostContext } from './host-context.ts'
import { withFindings } from './flows/scanned-requests.ts'

/** The functions that answer requests of servers. */
export function answeringOf(context: HostContext): RequestHandlers {
  const { relay, elicit, sample, scanResults } = context.options
  const handlers = { relay, elicit, sample, roots: rootsOf(context) }
  return scanResults ? withFindings(handlers) : handlers
}

/** The capabilities that this host declares to servers. */
export function capabilitiesOfHost(context: HostContext): JsonObject {
  const answered = capabilitiesOf(answeringOf(context))
  return context.options.apps === true ? { ...answered, ...appCapability } : answered
}

function rootsOf({ options, preset, roots }: HostContext): FindRoots | undefined {
  if (typeof options.roots === 'function') return options.roots
  return options.roots === 'cwd' || preset.connecting.hasRoots ? () => roots.all() : undefined
}
