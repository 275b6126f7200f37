import { neutralize } from './render/render.ts'
import { HostError } from '../model/error.ts'
import { isObject } from '../model/json.ts'
import { toRef } from '../model/tool.ts'
import type { Tool } from '../model/tool.ts'
import { waitForList } from './wait-for-list.ts'
import type { HeldTool, HeldTools, ViewContext } from './view/view-context.ts'
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

export function heldResourceError(held: HeldTool, uri: string): HostError<'resource.held'> {
  const { server, reason } = held
  const { message, hint } = heldText(`The resource "${uri.slice(0, 200)}" was not read: it is held.`, held)
  return new HostError('resource.held', { server, uri, reason }, message, { hint })
}

/** The same for a call that ran: its answer is not passed on. */
export function heldAnswerError(held: Omit<HeldTool, 'tool'>): HostError<'tool.held'> {
  const { ref, name, server, reason } = held
  const start = `"${name}" was called, and is held by now: its answer is not passed on.`
  const { message, hint } = heldText(start, held)
  return new HostError('tool.held', { ref, server, reason, sent: true }, message, { hint })
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

/** Requests that name something which may be held. A list is checked when it has arrived (`shown-lists.ts`). */
export const namingRequests: ReadonlySet<string> = new Set([
  'tools/call',
  'prompts/get',
  'resources/read',
  'resources/subscribe',
  'resources/directory/read',
  'skills/get',
  'completion/complete',
])

/**
 * Throws if a bare request names something that is held (T12). The server lists what it offers first, if it has not since it
 * connected.
 */
export async function refuseHeldRequest(
  request: BareRequest,
  context: Pick<ViewContext, 'held' | 'hasListed' | 'listServer' | 'isOutdated' | 'listAgain'>,
  options: Pick<CallOptions, 'signal' | 'timeoutMs'> = {},
): Promise<void> {
  const { held } = context
  const { server, method } = request
  if (!held || !namingRequests.has(method)) return
  if (!context.hasListed(server)) await context.listServer(server, options)
  if (method === 'tools/call' && context.isOutdated(server)) await waitForList(server, context, options)
  refuseNamed(request, held)
  if (!context.hasListed(request.server)) refuseUnlisted(request)
}

/** A tool or a prompt has a definition, which is unknown as long as the server does not list it: it may be one that is held. */
function refuseUnlisted({ server, method, params }: BareRequest): void {
  const name = isObject(params) ? params['name'] : undefined
  if (typeof name !== 'string' || (method !== 'tools/call' && method !== 'prompts/get')) return
  const why = 'Its server did not list what it offers before, so its definition is unknown.'
  const unlisted = { ref: toRef(server, name), name, tool: name, server, reason: 'unlisted', why } as const
  throw method === 'tools/call' ? heldError(unlisted) : heldPromptError(unlisted)
}

/** Throws if a request names a tool, a prompt, a resource or a template that is known to be held. */
export function refuseNamed({ server, method, params }: BareRequest, held: HeldTools | undefined): void {
  if (!held || !isObject(params) || !namingRequests.has(method)) return
  const { ref } = params
  const { name, uri } = method === 'completion/complete' && isObject(ref) ? ref : params
  const found = typeof uri === 'string' ? held.at(server, uri) : undefined
  if (found && typeof uri === 'string') throw heldResourceError(found, uri)
  if (typeof name !== 'string') return
  const isNamed = (each: HeldTool) => each.server === server && each.tool === name
  const tool = method === 'tools/call' ? held.tools().find(isNamed) : undefined
  if (tool) throw heldError(tool)
  const prompt = method === 'tools/call' ? undefined : held.promptsOf(server).find(isNamed)
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
  const { ref, name, server } = tool
  if (context.hasListed(server) && context.isOutdated(server)) await waitForList(server, context, options)
  if (!held) return
  // A list that was announced has been waited for.
  const isListed = context.hasListed(server) && (context.isOutdated(server) || held.isCurrent(tool))
  if (!isListed) await context.listServer(server, options)
  if (!context.hasListed(server)) {
    const why = 'Its server did not list its tools before the call, so its definition is unknown.'
    throw heldError({ ref, name, server, reason: 'unlisted', why })
  }
  if ((catalog.byRef(ref) ?? catalog.forApp(server, tool.tool))?.hash === tool.hash) return
  const found = held.tools().find((each) => each.ref === ref)
  const why = 'Its definition has changed since it was offered.'
  throw heldError(found ? { ...found, name } : { ref, name, server, reason: 'changed', why })
}
