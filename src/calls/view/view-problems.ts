import type { Catalog } from '../../catalog/catalog.ts'
import type { Clash } from '../../catalog/tool-names.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { toRef } from '../../model/tool.ts'
import { checkLayer } from '../../policy/layers.ts'
import type { CompiledLayer } from '../../policy/layers.ts'
import type { Subject } from '../../policy/read-only.ts'
import { checkRules } from '../../policy/call-rules.ts'
import type { ViewContext } from './view-context.ts'
import type { Visibility } from './visibility.ts'

/**
 * What is most likely a mistake: patterns that match nothing, lists that only deny, names that two tools want; an
 * agent's file that cannot be read, and a memory that cannot be believed. And what the read-only guard takes away.
 */
export function problemsOf(
  context: ViewContext,
  { layers }: Visibility,
  own: readonly Subject[],
): readonly Diagnostic[] {
  const { catalog, native } = context
  // As long as servers are unknown, every pattern for their tools looks idle.
  const all = context.isReady() ? [...catalog.tools(), ...native, ...own] : undefined
  const damage = context.damage()
  return [
    ...(damage ? [damage] : []),
    ...(context.policy().problems ?? []),
    ...catalog.clashes().map((clash) => toDiagnostic(clash, context)),
    ...layers.flatMap((layer) => guardedIn(catalog, layer)),
    ...layers.flatMap(({ layer }) =>
      all ? checkLayer(layer, all) : checkLayer(layer, []).filter(({ code }) => code === 'only-denials'),
    ),
    ...(all ? checkRules(context.policy().rules, all) : []),
  ]
}

const maxNames = 20

/** B18: a tool that is gone without a word looks like one that its server does not have. */
function guardedIn(catalog: Catalog, { layer, guard }: CompiledLayer): readonly Diagnostic[] {
  if (!guard) return []
  const why = layer.readOnly?.policy === 'reject-declared' ? 'declared to write' : 'not known to only read'
  return catalog.servers().flatMap((server) => {
    const tools = catalog.toolsOf(server).filter((tool) => guard.refusal(tool) !== undefined)
    if (tools.length === 0) return []
    const names = tools.slice(0, maxNames).map(({ name }) => name)
    const more = tools.length > maxNames ? ` and ${tools.length - maxNames} more` : ''
    const message = `The read-only guard leaves out tools of "${server}" that are ${why}: ${names.join(', ')}${more}.`
    return [{ code: 'guarded', severity: 'info', message, server }]
  })
}

/** C11: both are named, with the place of the one that a person can rename. */
function toDiagnostic({ name, kept, renamed }: Clash, { catalog, serverOf }: ViewContext): Diagnostic {
  const ref = toRef(renamed.server, renamed.tool)
  const holder = kept === 'native' ? "the agent's own tool" : toRef(kept.server, kept.tool)
  const origin = serverOf(renamed.server)?.origin
  const own = catalog.byRef(ref)?.name
  const fate = own === undefined ? 'is not offered' : `is called "${own}"`
  return {
    code: 'name-clash',
    severity: own === undefined ? 'warn' : 'info',
    message: `${ref} ${fate}, because "${name}" is ${holder}.`,
    server: renamed.server,
    ...(origin && { origin }),
  }
}
