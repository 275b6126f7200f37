import { HostError } from '../../index.ts'
import type { JsonObject, Tool } from '../../index.ts'
import { isObject } from '../../internal.ts'
import { argumentsOf, checkParamHeaders, invalidParams } from '../../serving.ts'
import type { GatewayView } from './gateway-view.ts'
import type { ServedRequest } from './served-request.ts'
import { secretError } from './withheld-secrets.ts'

/** What a request calls. Without `tool` nothing of this name is known here. */
export interface CalledTool {
  readonly name: string
  readonly args: JsonObject
  readonly tool?: Tool | undefined
  /** Why it cannot name one. */
  readonly problem?: HostError
}

interface ToolSearch {
  readonly gatewayView: GatewayView
  readonly signal: AbortSignal
}

/** The tools of ours that search and describe have names only. A ref is the same whatever name a tool has here. */
export function calledBy({ server, ref, name }: Tool): string {
  return server === '' ? name : ref
}

/**
 * The tool that a call is for; with the tool that calls others, the one that it names. Whatever a call has to pass, and the
 * connection that it takes, depend on its tool: so it is waited for here, and a call without one is never sent.
 */
export function calledTool(
  request: ServedRequest,
  gatewayView: GatewayView,
): CalledTool | Promise<CalledTool> {
  const { name } = request.params
  if (typeof name !== 'string') throw invalidParams('The call names no tool.')
  const find = () => gatewayView.findTool(name)
  const tool = find()
  // Nearly every call: nothing to wait for.
  if (tool) return toCalled(tool, request, gatewayView)
  const withheld = gatewayView.findWithheld(name)
  if (withheld) return { name, args: argumentsOf(request.params) ?? {}, problem: secretError(withheld, name) }
  return findLater(name, find, { gatewayView, signal: request.signal }).then((known) =>
    known ? toCalled(known, request, gatewayView) : { name, args: argumentsOf(request.params) ?? {} },
  )
}

function toCalled(
  tool: Tool,
  { params, headers, client, signal }: ServedRequest,
  gatewayView: GatewayView,
): CalledTool | Promise<CalledTool> {
  const args = argumentsOf(params)
  if (params['arguments'] !== undefined && !args) throw invalidParams('The arguments have to be an object.')
  if (headers && client.era === 'modern') checkParamHeaders(headers, tool.inputSchema, args)
  const given = args ?? {}
  if (isCaller(tool)) return findNamed(tool, given, { gatewayView, signal })
  return { name: tool.name, args: given, tool }
}

/** The tool that calls the one in its arguments. */
function isCaller({ server, tool }: Tool): boolean {
  return server === '' && tool === 'call_tool'
}

async function findNamed(caller: Tool, given: JsonObject, search: ToolSearch): Promise<CalledTool> {
  const { name, arguments: args = {}, ...others } = given
  if (typeof name !== 'string' || !isObject(args) || Object.keys(others).length > 0)
    return { name: caller.name, args: given, problem: wrongArguments(caller) }
  const find = () => search.gatewayView.findNamed(name)
  const withheld = search.gatewayView.findWithheld(name)
  if (withheld) return { name, args, problem: secretError(withheld, name) }
  return { name, args, tool: find() ?? (await findLater(name, find, search)) }
}

/** Its server may still be on its way, or start again. */
async function findLater(
  name: string,
  find: () => Tool | undefined,
  { gatewayView, signal }: ToolSearch,
): Promise<Tool | undefined> {
  const known = await whenKnown(gatewayView, find)
  if (known || gatewayView.findUnlisted(name)) return known
  await gatewayView.view.ready({ tool: gatewayView.renamedRef(name) ?? name, signal })
  return find()
}

function wrongArguments({ name }: Tool): HostError {
  const message = 'it takes "name", a text, and "arguments", an object, and nothing else'
  const data = { ref: name, problems: [{ path: '', message }] }
  return new HostError('call.invalid-args', data, `"${name}" was not called: ${message}.`)
}

/** Looks again once the servers are known, if nothing is found before: a client may call without listing first. */
export async function whenKnown<T>(
  gatewayView: GatewayView,
  find: () => T | undefined,
): Promise<T | undefined> {
  const found = find()
  if (found !== undefined) return found
  await gatewayView.ready()
  return find()
}
