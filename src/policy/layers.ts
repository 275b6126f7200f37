import type { Agent, ListDialect } from '../model/agent.ts'
import type { Diagnostic, Place } from '../model/diagnostic.ts'
import { checkGlobs } from './check-globs.ts'
import { globOptions, withDialectNames } from './list-dialect.ts'
import { compileGlobs } from './globs.ts'
import type { Matchable, ToolGlobs } from './globs.ts'
import { compileGuard } from './read-only.ts'
import type { ReadOnlyGuard, CompiledGuard, Subject } from './read-only.ts'

/** Ordered from the widest to the narrowest. */
export const layerKinds = ['user', 'project', 'agent', 'conversation'] as const
export type LayerKind = (typeof layerKinds)[number]

/** The visibility rules of a person, project, agent or conversation. A layer only hides tools; it never restores one (D-7). */
export interface Layer {
  readonly kind: LayerKind
  /** The agent's name or the conversation's id. */
  readonly of?: string
  /** What reasons call it, if it is no conversation. */
  readonly called?: string
  /** Globs of tools; when absent, all tools are visible. */
  readonly tools?: readonly string[]
  /** Globs of servers; when absent, all are visible. Native tools have no server and are not affected. */
  readonly servers?: readonly string[]
  /** Servers that are switched off, by their exact names (D6, D7). */
  readonly off?: readonly string[]
  readonly readOnly?: ReadOnlyGuard
  readonly dialect?: ListDialect
  readonly origin?: Place
}

export interface VisibilityDecision {
  readonly visible: boolean
  /** The layer that decided; absent if no layer applies. */
  readonly layer?: LayerKind
  readonly pattern?: string
  readonly reason: string
  /** Why a person has to review its definition first (`HeldReason`); absent if it is not held. */
  readonly held?: string
  readonly origin?: Place
}

/** A layer with parsed patterns. */
export interface CompiledLayer {
  readonly layer: Layer
  readonly tools?: ToolGlobs
  readonly servers?: ToolGlobs
  readonly off: ReadonlySet<string>
  readonly guard?: CompiledGuard
}

/** Parses layers and drops those that hide nothing: the rest run for every tool on every listing and call. */
export function compileLayers(layers: readonly Layer[]): readonly CompiledLayer[] {
  const rank = ({ kind }: Layer) => layerKinds.indexOf(kind)
  return layers
    .filter(({ tools, servers, off, readOnly }) => tools ?? servers ?? off ?? readOnly)
    .toSorted((a, b) => rank(a) - rank(b))
    .map(compileLayer)
}

/** The layer of an agent; if a project redefines the name of a user's agent, that agent's layer applies too. */
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

/** The servers that a conversation disabled. Enabling a server here does not override another layer (D6, D7). */
export function conversationLayer(conversation: string, switches: ReadonlyMap<string, boolean>): Layer {
  const off = [...switches].flatMap(([server, on]) => (on ? [] : [server]))
  return { kind: 'conversation', of: conversation, off }
}

export function isVisible(tool: Subject, layers: readonly CompiledLayer[]): boolean {
  return layers.every((layer) => !whyHidden(tool, layer))
}

/** The widest layer that hides a tool decides. For a visible tool, the narrowest layer with a list is named. */
export function decideVisibility(tool: Subject, layers: readonly CompiledLayer[]): VisibilityDecision {
  for (const compiled of layers) {
    const cause = whyHidden(tool, compiled)
    if (cause)
      return { visible: false, ...placeOf(compiled.layer), ...explainHidden(cause, tool, compiled.layer) }
  }
  const last = layers.findLast((ready) => ready.tools)
  const pattern = last?.tools?.deciding(withDialectNames(tool, last.layer.dialect))
  if (!last || pattern === undefined) return { visible: true, reason: 'Nothing hides it.' }
  const reason = `The pattern ${JSON.stringify(pattern)} of ${ownerOf(last.layer)} admits it.`
  return { visible: true, ...placeOf(last.layer), pattern, reason }
}

/** Likely mistakes in the lists of a layer; `tools` must be all tools. */
export function checkLayer(layer: Layer, tools: readonly Subject[]): readonly Diagnostic[] {
  const where = {
    owner: ownerOf(layer),
    isForeign: layer.dialect !== undefined,
    ...(layer.origin && { origin: layer.origin }),
  }
  const servers = [...new Set(tools.flatMap(({ server }) => server ?? []))].map(toServerSubject)
  return [
    ...(layer.servers ? checkGlobs({ ...where, of: 'server', patterns: layer.servers }, servers) : []),
    ...(layer.tools
      ? checkGlobs(
          { ...where, ...globOptions(layer.dialect), patterns: layer.tools },
          tools.map((tool) => withDialectNames(tool, layer.dialect)),
        )
      : []),
  ]
}

type HideCause =
  | { readonly by: 'switch' }
  | { readonly by: 'servers' | 'tools'; readonly pattern?: string }
  | { readonly by: 'guard'; readonly refusal: string }

function compileLayer(layer: Layer): CompiledLayer {
  return {
    layer,
    off: new Set(layer.off),
    ...(layer.tools && { tools: compileGlobs(layer.tools, globOptions(layer.dialect)) }),
    ...(layer.servers && { servers: compileGlobs(layer.servers) }),
    ...(layer.readOnly && { guard: compileGuard(layer.readOnly) }),
  }
}

function whyHidden(
  tool: Subject,
  { layer, tools, servers, off, guard }: CompiledLayer,
): HideCause | undefined {
  if (tool.server !== undefined) {
    if (off.has(tool.server)) return { by: 'switch' }
    const server = servers && toServerSubject(tool.server)
    if (server && !servers.admits(server)) return { by: 'servers', ...decidingPattern(servers, server) }
  }
  const refusal = guard?.refusal(tool)
  if (refusal !== undefined) return { by: 'guard', refusal }
  const known = withDialectNames(tool, layer.dialect)
  return tools && !tools.admits(known) ? { by: 'tools', ...decidingPattern(tools, known) } : undefined
}

/** A server as the subject of globs. The name is also its ref, because it may contain a `/`. */
export function toServerSubject(name: string): Matchable {
  return { name, ref: name }
}

function decidingPattern(globs: ToolGlobs, tool: Matchable): { readonly pattern?: string } {
  const pattern = globs.deciding(tool)
  return pattern === undefined ? {} : { pattern }
}

function explainHidden(cause: HideCause, { server = '' }: Subject, layer: Layer) {
  const owner = ownerOf(layer)
  if (cause.by === 'switch') return { reason: `The server "${server}" is switched off in ${owner}.` }
  if (cause.by === 'guard') return { reason: `${cause.refusal} The read-only guard of ${owner} hides it.` }
  const what = cause.by === 'servers' ? `its server "${server}"` : 'it'
  const { pattern } = cause
  if (pattern === undefined) return { reason: `No pattern of ${owner} admits ${what}.` }
  return { pattern, reason: `The pattern ${JSON.stringify(pattern)} of ${owner} denies ${what}.` }
}

function placeOf({ kind, origin }: Layer) {
  return { layer: kind, ...(origin && { origin }) }
}

export function ownerOf({
  kind,
  of,
  called,
  origin,
}: Pick<Layer, 'kind' | 'of' | 'called' | 'origin'>): string {
  if (called !== undefined) return called
  if (kind === 'user') return origin ? 'your settings' : 'the options of the host'
  if (kind === 'project') return 'the project'
  if (kind === 'conversation') return 'this conversation'
  return of === undefined ? 'the agent' : `the agent "${of}"`
}
