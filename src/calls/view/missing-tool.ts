import { createClaims, prefixOf } from '../../catalog/tool-names.ts'
import { HostError } from '../../model/error.ts'
import { fromRef, toRef } from '../../model/tool.ts'
import { heldError } from '../held-tool.ts'
import { isVisible } from '../../policy/layers.ts'
import type { CompiledLayer } from '../../policy/layers.ts'
import type { Subject } from '../../policy/read-only.ts'
import type { UnlistedServer } from './view.ts'
import type { ViewContext } from './view-context.ts'
import type { Visibility } from './visibility.ts'

/**
 * Why a tool is not available now. Undefined if a list hides it, or if it is unknown. Throws a more specific error if it
 * is a native tool, or if its server cannot be used and its tools are unknown.
 */
export function explainMissingTool(
  nameOrRef: string,
  context: ViewContext,
  { layers, explainTool, isNativeVisible }: Visibility,
): string | undefined {
  const { catalog } = context
  const tool = catalog.byName(nameOrRef) ?? catalog.byRef(nameOrRef)
  if (tool) {
    // A disabled server may be named to the caller; a tool that a list hides must not be revealed.
    const lists = layers.filter(({ off }) => off.size === 0)
    return isVisible(tool, lists) ? explainTool(tool).reason : settingsProblem(context)
  }
  refuseHeldName(nameOrRef, context, layers)
  const isNative = context.native.some((each) => each.name === nameOrRef && isNativeVisible(each))
  const error = isNative ? nativeToolError(nameOrRef) : serverError(nameOrRef, context, layers)
  if (error) throw error
  return settingsProblem(context)
}

/** Throws if it names a held tool that would be visible here. */
function refuseHeldName(nameOrRef: string, { held }: ViewContext, layers: readonly CompiledLayer[]): void {
  const found = held?.tools().find(({ ref, name }) => nameOrRef === ref || nameOrRef === name)
  if (found && isVisible(found, layers)) throw heldError(found)
}

/**
 * The error of the server that the tool would belong to, if its tools are unknown because it is disabled, untrusted or
 * failed. For a hidden tool there is no error.
 */
function serverError(
  nameOrRef: string,
  context: ViewContext,
  layers: readonly CompiledLayer[],
): HostError | undefined {
  const unusable = new Map(context.unusable().map(({ server, error }) => [server, error]))
  const error = unusable.get(ownerOf(nameOrRef, [...unusable.keys()], context, layers) ?? '')
  return error && withToolName(nameOrRef, error)
}

/** Why what one of these servers offers is unknown, if that is because it is disabled, untrusted or failed. */
export function unlistedError(
  isMeant: (server: string) => boolean,
  { catalog, unusable }: ViewContext,
  { admitsServer }: Visibility,
): HostError | undefined {
  return unusable().find(
    ({ server }) => isMeant(server) && admitsServer(server) && !catalog.snapshotOf(server),
  )?.error
}

/** Servers of which nothing is known, because they cannot be used, and that a view may show. */
export function unlistedServers(
  { catalog, unusable, calling }: ViewContext,
  { admitsServer, mayShow }: Visibility,
): readonly UnlistedServer[] {
  return unusable().flatMap(({ server, error }) => {
    const isUnlisted = !catalog.snapshotOf(server) && admitsServer(server) && mayShow(server)
    return isUnlisted ? [{ server, prefix: prefixOf(calling.naming, server), error }] : []
  })
}

/** Which of these servers the tool would belong to, if the server's tools are unknown and the tool would be visible. */
function ownerOf(
  nameOrRef: string,
  servers: readonly string[],
  { catalog, calling }: ViewContext,
  layers: readonly CompiledLayer[],
): string | undefined {
  const ref = fromRef(nameOrRef)
  const start = (server: string) => prefixOf(calling.naming, server)
  const isOwner = (server: string) => (ref ? ref.server === server : nameOrRef.startsWith(start(server)))
  const [server] = servers
    .filter((each) => isOwner(each) && !catalog.snapshotOf(each))
    .sort((a, b) => start(b).length - start(a).length)
  if (server === undefined) return undefined
  // The tool would belong to a known server with a longer matching prefix.
  const isNearer = (known: string) => isOwner(known) && start(known).length > start(server).length
  if (catalog.servers().some(isNearer)) return undefined
  const tool = ref?.tool ?? nameOrRef.slice(start(server).length)
  const name = ref ? createClaims(calling.naming, server)(tool).plain : nameOrRef
  const subject: Subject = { name, server, tool, ref: toRef(server, tool) }
  return isVisible(subject, layers) ? server : undefined
}

/** Puts the hint into the message, because a model gets only the message. */
function withToolName(nameOrRef: string, error: HostError): HostError {
  const { code, data, message, hint } = error
  const sentences = [`There is no tool ${JSON.stringify(nameOrRef.slice(0, 200))} now.`, message, hint ?? '']
  return new HostError(code, data, sentences.join(' ').trimEnd(), { cause: error })
}

/** Native tools are run by the embedder, not by the host. */
function nativeToolError(name: string): HostError {
  const message = `"${name}" is a native tool: the embedder calls it, not the host.`
  return new HostError('tool.unknown', { tool: name, near: [] }, message)
}

/** Invalid settings hide every tool; the message tells the caller why. */
function settingsProblem({ policy }: ViewContext): string | undefined {
  const [found] = (policy().problems ?? []).filter(
    ({ code, severity }) => code === 'settings-invalid' && severity === 'error',
  )
  if (!found) return undefined
  const { file = '', line } = found.origin ?? {}
  return `${found.message} (${file}${line === undefined ? '' : `:${line}`})`
}
