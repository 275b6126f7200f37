import type { JsonObject } from '../../../index.ts'
import { isObject } from '../../../internal.ts'
import { invalidParams, subscriptionIdKey } from '../../../serving.ts'
import type { Gateway } from '../gateway.ts'
import type { GatewayView } from '../gateway-view.ts'
import { changedLists } from './list-watch.ts'
import type { Answer, ServedRequest } from '../served-request.ts'

/** Resources that one request may subscribe to. */
const maxResources = 1000

/**
 * `subscriptions/listen`: a request that lasts until the client leaves, its view is gone or the gateway ends. Servers are
 * subscribed to once, however many clients listen.
 */
export async function listen(
  request: ServedRequest,
  gatewayView: GatewayView,
  { lists, watched, ending }: Pick<Gateway, 'lists' | 'watched' | 'ending'>,
): Promise<Answer> {
  const { params, id, signal, address } = request
  const { notifications: wanted } = params
  if (!isObject(wanted)) throw invalidParams('The request needs "notifications".')
  const meta = { [subscriptionIdKey]: id }
  const notify = (method: string, more: JsonObject) => request.notify(method, { ...more, _meta: meta })
  const gone = new AbortController()
  const open: Disposable[] = [watched.whileView(address, () => gone.abort())]
  try {
    const accepted: Record<string, boolean | string[]> = {}
    for (const list of changedLists)
      if (wanted[`${list}ListChanged`] === true) accepted[`${list}ListChanged`] = true
    const uris = Array.isArray(wanted['resourceSubscriptions']) ? wanted['resourceSubscriptions'] : []
    const subscribed: string[] = []
    for (const uri of uris.slice(0, maxResources)) {
      if (typeof uri !== 'string') continue
      // One that cannot be subscribed to is missing in the acknowledgment; the others count.
      const opened = await watched.watch(uri, gatewayView, { request, notify }).catch(() => undefined)
      if (!opened) continue
      open.push(opened)
      subscribed.push(uri)
    }
    if (uris.length > 0) accepted['resourceSubscriptions'] = subscribed
    notify('notifications/subscriptions/acknowledged', { notifications: accepted })
    open.push(
      await lists.watch(address, (list) => {
        if (accepted[`${list}ListChanged`]) notify(`notifications/${list}/list_changed`, {})
      }),
    )
    await ended([signal, ending, gone.signal])
    return { resultType: 'complete', _meta: meta }
  } finally {
    for (const each of open) each[Symbol.dispose]()
  }
}

function ended(signals: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    const any = AbortSignal.any([...signals])
    if (any.aborted) resolve()
    else any.addEventListener('abort', () => resolve(), { once: true })
  })
}
