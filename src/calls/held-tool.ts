import { neutralize } from './render/render.ts'
import { HostError } from '../model/error.ts'
import { isObject } from '../model/json.ts'
import type { Tool } from '../model/tool.ts'
import type { HeldTool, ViewContext } from './view/view-context.ts'
import type { CallOptions } from './view/view.ts'

/** The error of a call of a tool that is held. Its message is for a model, and names what a person can do. */
export function heldError(held: Omit<HeldTool, 'tool'>): HostError<'tool.held'> {
  const { ref, name, server, reason } = held
  const { message, hint } = heldText(`"${name}" was not called: it is held.`, held)
  return new HostError('tool.held', { ref, server, reason }, message, { hint })
}

export function heldPromptError(held: HeldTool): HostError<'prompt.held'> {
  const { server, tool: prompt, reason } = held
  const { message, hint } = heldText(`The prompt "${prompt}" is held.`, held)
  return new HostError('prompt.held', { server, prompt, reason }, message, { hint })
}

function heldText(start: string, { server, why }: Pick<HeldTool, 'server' | 'why'>) {
  const hint = `plugboard review ${/^[\w.-]+$/.test(server) ? server : JSON.stringify(server)}`
  return { message: neutralize(`${start} ${why} A person has to review it first: ${hint}`), hint }
}

interface BareRequest {
  readonly server: string
  readonly method: string
  readonly params: unknown
}

/**
 * Throws if a bare request calls a tool or gets a prompt that is held (T12). The server lists what it offers first, if it has not
 * since it connected.
 */
export async function refuseHeldRequest(
  { server, method, params }: BareRequest,
  context: Pick<ViewContext, 'held' | 'hasListed' | 'listServer'>,
): Promise<void> {
  const { held } = context
  const name = isObject(params) ? params['name'] : undefined
  if (!held || typeof name !== 'string') return
  if (!context.hasListed(server)) await context.listServer(server, {})
  const isNamed = (each: HeldTool) => each.server === server && each.tool === name
  const tool = method === 'tools/call' ? held.tools().find(isNamed) : undefined
  if (tool) throw heldError(tool)
  const prompt = method === 'prompts/get' ? held.promptsOf(server).find(isNamed) : undefined
  if (prompt) throw heldPromptError(prompt)
}

/**
 * Throws unless the tool is what its server lists now (T12). The server lists its tools first if it has not since it
 * connected, or has said that they changed: a definition from disk may be outdated.
 */
export async function refuseHeld(
  tool: Tool,
  context: ViewContext,
  options: Pick<CallOptions, 'signal' | 'timeoutMs'>,
): Promise<void> {
  const { held, catalog } = context
  if (!held) return
  const { ref, name, server } = tool
  if (!context.hasListed(server) || !held.isCurrent(tool)) await context.listServer(server, options)
  if (!context.hasListed(server)) {
    const why = 'Its server did not list its tools before the call, so its definition is unknown.'
    throw heldError({ ref, name, server, reason: 'unlisted', why })
  }
  if ((catalog.byRef(ref) ?? catalog.forApp(server, tool.tool))?.hash === tool.hash) return
  const found = held.tools().find((each) => each.ref === ref)
  const why = 'Its definition has changed since it was offered.'
  throw heldError(found ? { ...found, name } : { ref, name, server, reason: 'changed', why })
}
