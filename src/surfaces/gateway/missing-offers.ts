import { isHostError } from '../../index.ts'
import type { CallOptions } from '../../index.ts'
import { RpcError, invalidParams, rpcCodes } from '../../serving.ts'
import type { GatewayView } from './gateway-view.ts'
import type { ServedRequest } from './served-request.ts'

/** Why a prompt is not here. The view refuses and records a held one; one that is hidden is as unknown as any other. */
export async function whyNoPrompt(
  name: string,
  gatewayView: GatewayView,
  options: CallOptions,
): Promise<unknown> {
  const held = gatewayView.findHeldPrompt(name)
  const refused: unknown =
    held &&
    (await gatewayView.view.prompt(held.server, held.prompt, {}, options).catch((error: unknown) => error))
  return isHostError(refused, 'prompt.held')
    ? refused
    : invalidParams(`Unknown prompt: ${name.slice(0, 200)}`)
}

/** Likewise of a resource. Nothing is sent: it is not known whose connection the request would take. */
export async function whyNoResource(
  uri: string,
  { view }: GatewayView,
  { request, options }: { readonly request: ServedRequest; readonly options: CallOptions },
): Promise<unknown> {
  const unsent = { ...options, signal: AbortSignal.abort() }
  const refused: unknown = await view.read(uri, unsent).catch((error: unknown) => error)
  return isHostError(refused, 'resource.held') ? refused : notFound(uri, request)
}

export function notFound(uri: string, { client }: ServedRequest): RpcError {
  const code = client.era === 'modern' ? rpcCodes.invalidParams : rpcCodes.resourceNotFound
  return new RpcError(code, 'Resource not found', { uri })
}

/** The code of legacy servers for a resource that they do not have. */
export function isMissing(error: unknown): boolean {
  return isHostError(error, 'request.refused') && error.data.error.code === rpcCodes.resourceNotFound
}
