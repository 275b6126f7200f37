import { createClaims, prefixOf } from '../../catalog/tool-names.ts'
import { HostError } from '../../model/error.ts'
import { fromRef, toRef } from '../../model/tool.ts'
import { isVisible } from '../../policy/layers.ts'
import type { CompiledLayer } from '../../policy/layers.ts'
import type { Subject } from '../../policy/read-only.ts'
import type { ViewContext } from './view-context.ts'
import type { Visibility } from './visibility.ts'

/**
 * Why a tool that may be seen is not there now; undefined where only a list hides it, or nothing is known of it. Throws
 * where the tool is the embedder's own, or nothing is known of its server.
 */
export function whyMissing(
  nameOrRef: string,
  context: ViewContext,
  { layers, explain, native }: Visibility,
): string | undefined {
  const { catalog } = context
  const tool = catalog.byName(nameOrRef) ?? catalog.byRef(nameOrRef)
  if (tool) {
    // What a person switched off is no secret; what a list hides is.
    const lists = layers.filter(({ off }) => off.size === 0)
    return isVisible(tool, lists) ? explain(tool).reason : brokenSettings(context)
  }
  const isOfEmbedder = context.native.some((each) => each.name === nameOrRef && native(each))
  const absence = isOfEmbedder ? ofEmbedder(nameOrRef) : absenceOf(nameOrRef, context, layers)
  if (absence) throw absence
  return brokenSettings(context)
}

/**
 * Why nothing is known of the server that a tool would be of: it is switched off, waits for a person, or has failed. A name
 * is taken apart only for this sentence; what is hidden from who asks stays so.
 */
function absenceOf(
  nameOrRef: string,
  { unusable, catalog, calling }: ViewContext,
  layers: readonly CompiledLayer[],
): HostError | undefined {
  const ref = fromRef(nameOrRef)
  const start = (server: string) => prefixOf(calling.naming, server)
  const isOwner = (server: string) => (ref ? ref.server === server : nameOrRef.startsWith(start(server)))
  const [owner] = unusable()
    .filter(({ server }) => isOwner(server) && !catalog.snapshotOf(server))
    .sort((a, b) => start(b.server).length - start(a.server).length)
  if (!owner) return undefined
  const { server, error } = owner
  // One that is known and fits better is whose it would be.
  const isNearer = (known: string) => isOwner(known) && start(known).length > start(server).length
  if (catalog.servers().some(isNearer)) return undefined
  const tool = ref?.tool ?? nameOrRef.slice(start(server).length)
  const name = ref ? createClaims(calling.naming, server)(tool).plain : nameOrRef
  const meant: Subject = { name, server, tool, ref: toRef(server, tool) }
  return isVisible(meant, layers) ? about(nameOrRef, error) : undefined
}

/** What to do is part of it: a model is told nothing but the message. */
function about(nameOrRef: string, error: HostError): HostError {
  const { code, data, message, hint } = error
  const said = [`There is no tool ${JSON.stringify(nameOrRef.slice(0, 200))} now.`, message, hint ?? '']
  return new HostError(code, data, said.join(' ').trimEnd(), { cause: error })
}

/** It is there, and it is not ours to run. */
function ofEmbedder(name: string): HostError {
  const message = `"${name}" is a tool of the embedder's own, not of a server: it is not called through the host.`
  return new HostError('tool.unknown', { tool: name, near: [] }, message)
}

/** Who cannot know why everything is gone is told. */
function brokenSettings({ policy }: ViewContext): string | undefined {
  const [found] = (policy().problems ?? []).filter(
    ({ code, severity }) => code === 'settings-invalid' && severity === 'error',
  )
  if (!found) return undefined
  const { file = '', line } = found.origin ?? {}
  return `${found.message} (${file}${line === undefined ? '' : `:${line}`})`
}
