import { capabilitiesOf } from '../connections/server-requests.ts'
import type { RequestHandlers, FindRoots } from '../connections/server-requests.ts'
import type { JsonObject } from '../model/json.ts'
import type { HostContext } from './host-context.ts'

/** Who stands behind what servers may ask of this host. */
export function answeringOf(context: HostContext): RequestHandlers {
  const { elicit, sample } = context.options
  return { elicit, sample, roots: rootsOf(context) }
}

/** What servers are told that this host can do. */
export function capabilitiesOfHost(context: HostContext): JsonObject {
  return capabilitiesOf(answeringOf(context))
}

function rootsOf({ options, preset, roots }: HostContext): FindRoots | undefined {
  if (typeof options.roots === 'function') return options.roots
  return options.roots === 'cwd' || preset.connecting.hasRoots ? () => roots.all() : undefined
}
