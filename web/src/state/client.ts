import { effect } from '@preact/signals'
import { ClientError, createClient } from '../../../src/client.ts'
import type { Client, RouteAnswer, RouteInput, RouteKey, SendOptions } from '../../../src/client.ts'
import { createFrameQueue } from './frame-queue.ts'
import type { TabMessage } from './live.ts'
import { stayLive } from './live.ts'
import { about, applyEvents, connection } from './page-state.ts'
import { token } from './session.ts'

let client: Client | undefined

/** Sends a request to Plugboard: `await send('POST /api/servers/:server/restart', { params: { server } })`. */
export async function send<Key extends RouteKey>(
  key: Key,
  input?: RouteInput<Key>,
  options: SendOptions = {},
): Promise<RouteAnswer<Key>> {
  if (!client) throw new ClientError(401, { code: 'token', message: 'This tab has no token.' })
  try {
    return await (client.send as LooseSend)(key, input, options)
  } catch (error) {
    if (isRefused(error)) connection.value = { state: 'refused' }
    throw error
  }
}

/** `send` of the client, without its check that the input is there. */
type LooseSend = <Key extends RouteKey>(
  key: Key,
  input: RouteInput<Key> | undefined,
  options: SendOptions,
) => Promise<RouteAnswer<Key>>

/** Connects this tab, and again whenever its token changes. */
export function startLive(): void {
  const channel = new BroadcastChannel('plugboard')
  const listeners = new Set<(message: TabMessage) => void>()
  // The token is never posted: a tab that another program left on this port would hear it (T36).
  channel.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
    for (const listener of listeners) listener(data)
  })
  const draw = createFrameQueue(applyEvents)

  effect(() => {
    const current = token.value
    if (current === undefined) {
      connection.value = { state: 'refused' }
      return
    }
    const ended = new AbortController()
    const own = createClient({ address: location.origin, token: current })
    client = own
    connection.value = { state: 'connecting' }
    void stayLive(
      {
        follow: (after, options) => own.follow({ ...(after && { after }), ...options }),
        readSnapshot: (signal) => own.send('GET /api/snapshot', {}, { signal }),
        isRefused,
        lock: (options, lead) => navigator.locks.request('plugboard.leads', options, lead),
        channel: {
          post: (message) => channel.postMessage(message),
          listen: (onMessage) => {
            listeners.add(onMessage)
            ended.signal.addEventListener('abort', () => listeners.delete(onMessage))
          },
        },
        // The first snapshot waits for no frame: before it there is nothing to use.
        onEvents: (events) => (about.peek() ? draw : applyEvents)(events),
        onConnection: (next) => void (connection.value = next),
        wait,
        now: Date.now,
      },
      ended.signal,
    )
    return () => ended.abort()
  })
}

function isRefused(error: unknown): boolean {
  return error instanceof ClientError && error.status === 401
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const done = new AbortController()
    const finish = (): void => {
      clearTimeout(timer)
      done.abort()
      resolve()
    }
    const timer = setTimeout(finish, ms)
    const options = { signal: done.signal }
    signal.addEventListener('abort', finish, options)
    addEventListener('online', finish, options)
    document.addEventListener('visibilitychange', () => document.hidden || finish(), options)
  })
}
