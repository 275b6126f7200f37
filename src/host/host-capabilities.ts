import { capabilitiesOf } from '../connections/server-requests.ts'
import type { RequestHandlers, FindRoots } from '../connections/server-requests.ts'
import type { JsonObject } from '../model/json.ts'
import type { HostContext } from './host-context.ts'

/** The functions that answer requests of servers. */
export function answeringOf(context: HostContext): RequestHandlers {
  const { elicit, sample } = context.options
  return { elicit, sample, roots: rootsOf(context) }
}

/** The capabilities that this host declares to servers. */
export function capabilitiesOfHost(context: HostContext): JsonObject {
  return capabilitiesOf(answeringOf(context))
}

function rootsOf({ options, preset, roots }: HostContext): FindRoots | undefined {
  if (typeof options.roots === 'function') return options.roots
  return options.roots === 'cwd' || preset.connecting.hasRoots ? () => roots.all() : undefined
}
