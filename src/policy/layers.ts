import type { Agent, ListDialect } from '../model/agent.ts'
import type { Diagnostic, Place } from '../model/diagnostic.ts'
import { checkGlobs } from './check-globs.ts'
import { globOptions, inDialect } from './list-dialect.ts'
import { toGlobs } from './globs.ts'
import type { Matchable, ToolGlobs } from './globs.ts'
import { toGuard } from './read-only.ts'
import type { ReadOnlyGuard, ReadyGuard, Subject } from './read-only.ts'

/** From the widest to the narrowest. */
export const layerKinds = ['user', 'project', 'agent', 'conversation'] as const
export type LayerKind = (typeof layerKinds)[number]

/** One person's, project's, agent's or conversation's say. It can take tools away and never bring any back (D-7). */
export interface Layer {
  readonly kind: LayerKind
  /** The agent's name or the conversation's id. */
  readonly of?: string
  /** Globs of tools; absent, all are seen. */
  readonly tools?: readonly string[]
  /** Globs of servers; absent, all are seen. The embedder's own tools have no server and are not concerned. */
  readonly servers?: readonly string[]
  /** Servers that are switched off, by their exact names (D6, D7). */
  readonly off?: readonly string[]
  readonly readOnly?: ReadOnlyGuard
  readonly dialect?: ListDialect
  readonly origin?: Place
}

export interface VisibilityDecision {
  readonly visible: boolean
  /** What decided; absent where no layer has anything to say. */
  readonly layer?: LayerKind
  readonly pattern?: string
  readonly reason: string
  readonly origin?: Place
}

/** A layer whose patterns have been read. */
export interface ReadyLayer {
  readonly layer: Layer
  readonly tools?: ToolGlobs
  readonly servers?: ToolGlobs
  readonly off: ReadonlySet<string>
  readonly guard?: ReadyGuard
}

/** Those that say anything: every tool is asked about, at every look and at every call. */
export function toLayers(layers: readonly Layer[]): readonly ReadyLayer[] {
  const rank = ({ kind }: Layer) => layerKinds.indexOf(kind)
  return layers
    .filter(({ tools, servers, off, readOnly }) => tools ?? servers ?? off ?? readOnly)
    .toSorted((a, b) => rank(a) - rank(b))
    .map(toReady)
}

/** An agent's own list and, where a project took over the name of the person's agent, that one's too. */
export function agentLayers(agent: Agent): readonly Layer[] {
  const { name, tools, servers, dialect, origin, within } = agent
  const layer: Layer = {
    kind: 'agent',
    of: name,
    origin: { file: origin.file, line: origin.line },
    ...(tools && { tools }),
    ...(servers && { servers }),
    ...(dialect && { dialect }),
  }
  return [...(within ? agentLayers(within) : []), layer]
}

/** What is switched off in a conversation. Switching on undoes that and lifts nothing else (D6, D7). */
export function conversationLayer(conversation: string, switches: ReadonlyMap<string, boolean>): Layer {
  const off = [...switches].flatMap(([server, on]) => (on ? [] : [server]))
  return { kind: 'conversation', of: conversation, off }
}

export function isVisible(tool: Subject, layers: readonly ReadyLayer[]): boolean {
  return layers.every((ready) => !hides(tool, ready))
}

/** The first layer that hides a tool decides; the narrowest that lists it is named for one that is seen. */
export function decideVisibility(tool: Subject, layers: readonly ReadyLayer[]): VisibilityDecision {
  for (const ready of layers) {
    const hiding = hides(tool, ready)
    if (hiding) return { visible: false, ...placeOf(ready.layer), ...explain(hiding, tool, ready.layer) }
  }
  const last = layers.findLast((ready) => ready.tools)
  const pattern = last?.tools?.deciding(inDialect(tool, last.layer.dialect))
  if (!last || pattern === undefined) return { visible: true, reason: 'Nothing hides it.' }
  const reason = `The pattern ${JSON.stringify(pattern)} of ${ownerOf(last.layer)} admits it.`
  return { visible: true, ...placeOf(last.layer), pattern, reason }
}

/** What is most likely a mistake in the lists of a layer, once all tools are known. */
export function checkLayer(layer: Layer, tools: readonly Subject[]): readonly Diagnostic[] {
  const where = {
    owner: ownerOf(layer),
    isForeign: layer.dialect !== undefined,
    ...(layer.origin && { origin: layer.origin }),
  }
  const servers = [...new Set(tools.flatMap(({ server }) => server ?? []))].map(serverNamed)
  return [
    ...(layer.servers ? checkGlobs({ ...where, of: 'server', patterns: layer.servers }, servers) : []),
    ...(layer.tools
      ? checkGlobs(
          { ...where, ...globOptions(layer.dialect), patterns: layer.tools },
          tools.map((tool) => inDialect(tool, layer.dialect)),
        )
      : []),
  ]
}

type Hiding =
  | { readonly by: 'switch' }
  | { readonly by: 'servers' | 'tools'; readonly pattern?: string }
  | { readonly by: 'guard'; readonly refusal: string }

function toReady(layer: Layer): ReadyLayer {
  return {
    layer,
    off: new Set(layer.off),
    ...(layer.tools && { tools: toGlobs(layer.tools, globOptions(layer.dialect)) }),
    ...(layer.servers && { servers: toGlobs(layer.servers) }),
    ...(layer.readOnly && { guard: toGuard(layer.readOnly) }),
  }
}

function hides(tool: Subject, { layer, tools, servers, off, guard }: ReadyLayer): Hiding | undefined {
  if (tool.server !== undefined) {
    if (off.has(tool.server)) return { by: 'switch' }
    const server = servers && serverNamed(tool.server)
    if (server && !servers.admits(server)) return { by: 'servers', ...deciding(servers, server) }
  }
  const refusal = guard?.refusal(tool)
  if (refusal !== undefined) return { by: 'guard', refusal }
  const known = inDialect(tool, layer.dialect)
  return tools && !tools.admits(known) ? { by: 'tools', ...deciding(tools, known) } : undefined
}

/** A server's name may hold a `/`; there is nothing else to compare it with. */
export function serverNamed(name: string): Matchable {
  return { name, ref: name }
}

function deciding(globs: ToolGlobs, tool: Matchable): { readonly pattern?: string } {
  const pattern = globs.deciding(tool)
  return pattern === undefined ? {} : { pattern }
}

function explain(hiding: Hiding, { server = '' }: Subject, layer: Layer) {
  const owner = ownerOf(layer)
  if (hiding.by === 'switch') return { reason: `The server "${server}" is switched off in ${owner}.` }
  if (hiding.by === 'guard') return { reason: `${hiding.refusal} The read-only guard of ${owner} hides it.` }
  const what = hiding.by === 'servers' ? `its server "${server}"` : 'it'
  const { pattern } = hiding
  if (pattern === undefined) return { reason: `No pattern of ${owner} admits ${what}.` }
  return { pattern, reason: `The pattern ${JSON.stringify(pattern)} of ${owner} denies ${what}.` }
}

function placeOf({ kind, origin }: Layer) {
  return { layer: kind, ...(origin && { origin }) }
}

export function ownerOf({ kind, of, origin }: Pick<Layer, 'kind' | 'of' | 'origin'>): string {
  if (kind === 'user') return origin ? 'your settings' : 'the options of the host'
  if (kind === 'project') return 'the project'
  if (kind === 'conversation') return 'this conversation'
  return of === undefined ? 'the agent' : `the agent "${of}"`
}
