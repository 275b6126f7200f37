import type { JsonObject } from '../../index.ts'
import { invalidParams, methodNotFound } from '../../serving.ts'
import { whenKnown } from './called-tool.ts'
import type { GatewayView } from './gateway-view.ts'
import { notFound } from './missing-offers.ts'
import type { ServedRequest } from './served-request.ts'

/** The server of a resource. Waits for servers that are on their way: whose connection and login it takes depends on it. */
export async function ownerWhenKnown(
  uri: string,
  gatewayView: GatewayView,
  signal: AbortSignal,
): Promise<string | undefined> {
  const find = () => gatewayView.findOwner(uri)
  const known = await whenKnown(gatewayView, find)
  if (known !== undefined) return known
  await gatewayView.view.ready({ signal })
  return find()
}

/** Tells of updates of a resource until the result is disposed of. */
export async function watchResource(
  uri: string,
  gatewayView: GatewayView,
  { request, notify }: { readonly request: ServedRequest; readonly notify: ServedRequest['notify'] },
): Promise<Disposable> {
  const { caller, signal } = request
  const server = await ownerWhenKnown(uri, gatewayView, signal)
  if (server === undefined) throw notFound(uri, request)
  if (!gatewayView.isShared(server, caller))
    throw invalidParams(
      'Updates of this resource are not passed on: you use its server with your own account.',
    )
  return gatewayView.view.subscribe(
    uri,
    (update) => notify('notifications/resources/updated', { uri: update.uri }),
    { signal, server },
  )
}

/** `resources/subscribe` */
export async function subscribe(request: ServedRequest, gatewayView: GatewayView): Promise<JsonObject> {
  const { params, client, notify } = request
  const { uri } = params
  if (typeof uri !== 'string') throw invalidParams('The request names no resource.')
  if (!client.subscriptions)
    throw methodNotFound('resources/subscribe (it needs a session: start the gateway with --sessions)')
  await client.subscriptions.add(uri, () => watchResource(uri, gatewayView, { request, notify }))
  return {}
}
