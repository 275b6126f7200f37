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
 * Likely mistakes: patterns that match nothing, lists with only denials, name clashes, an invalid agent file, a damaged
 * memory file; and the tools that the read-only guard hides.
 */
export function problemsOf(
  context: ViewContext,
  { layers, isServerVisible }: Visibility,
  own: readonly Subject[],
): readonly Diagnostic[] {
  const { catalog, native } = context
  // While the tools of a server are unknown, its patterns match nothing.
  const all = context.isReady() ? [...catalog.tools(), ...native, ...own] : undefined
  const damage = context.damage()
  return [
    ...(damage ? [damage] : []),
    ...(context.held?.problems() ?? []),
    ...(context.policy().problems ?? []),
    ...badSkills(context, isServerVisible),
    ...catalog.clashes().map((clash) => clashDiagnostic(clash, context)),
    ...addressClashes(context, isServerVisible),
    ...layers.flatMap((layer) => guardDiagnostics(catalog, layer)),
    ...layers.flatMap(({ layer }) =>
      all ? checkLayer(layer, all) : checkLayer(layer, []).filter(({ code }) => code === 'only-denials'),
    ),
    ...(all ? checkRules(context.policy().rules, all) : []),
  ]
}

/** Skills that cannot be used: without a report they would look like skills that the server does not have. */
function badSkills(
  { catalog }: ViewContext,
  isServerVisible: Visibility['isServerVisible'],
): readonly Diagnostic[] {
  return catalog.servers().flatMap((server) => {
    const { badSkills: bad = [] } = isServerVisible(server) ? (catalog.snapshotOf(server) ?? {}) : {}
    return bad.map(({ skill, reason }) => ({
      code: 'skill-unusable',
      severity: 'warn',
      message: `The skill ${JSON.stringify(skill)} of "${server}" is left out: ${reason}.`,
      server,
    }))
  })
}

/** One line for each pair of servers: a server may list any number of addresses of another. */
function addressClashes(
  { catalog }: ViewContext,
  isServerVisible: Visibility['isServerVisible'],
): readonly Diagnostic[] {
  const pairs = new Map<string, { kept: string; server: string; uris: string[] }>()
  for (const { uri, kept, others } of catalog.addressClashes())
    for (const server of others) {
      if (!isServerVisible(kept) || !isServerVisible(server)) continue
      const key = JSON.stringify([kept, server])
      const pair = pairs.get(key) ?? { kept, server, uris: [] }
      pair.uris.push(uri)
      pairs.set(key, pair)
    }
  return [...pairs.values()].map(({ kept, server, uris }) => {
    const [first = ''] = uris
    const more = uris.length === 1 ? '' : ` and ${uris.length - 1} more`
    const message = `"${server}" lists ${JSON.stringify(first.slice(0, 200))}${more}, which "${kept}" listed first and keeps: name the server to read the other one.`
    return { code: 'address-clash', severity: 'warn', message, server }
  })
}

const maxNames = 20

/** Reports tools that the guard hides: without it they would look like tools that the server does not have (B18). */
function guardDiagnostics(catalog: Catalog, { layer, guard }: CompiledLayer): readonly Diagnostic[] {
  if (!guard) return []
  const why =
    layer.readOnly?.policy === 'reject-declared' ? 'declare that they write' : 'are not known to be read-only'
  return catalog.servers().flatMap((server) => {
    const tools = catalog.toolsOf(server).filter((tool) => guard.refusal(tool) !== undefined)
    if (tools.length === 0) return []
    const names = tools.slice(0, maxNames).map(({ name }) => name)
    const more = tools.length > maxNames ? ` and ${tools.length - maxNames} more` : ''
    const message = `The read-only guard hides tools of "${server}" that ${why}: ${names.join(', ')}${more}.`
    return [{ code: 'guarded', severity: 'info', message, server }]
  })
}

/** Names both tools, and the place of the server that can be renamed (C11). */
function clashDiagnostic({ name, kept, renamed }: Clash, { catalog, serverOf }: ViewContext): Diagnostic {
  const ref = toRef(renamed.server, renamed.tool)
  const holder = kept === 'native' ? 'a native tool' : toRef(kept.server, kept.tool)
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
