import type { Api, RouteAnswer, RouteInput, RouteKey } from '../surfaces/api/api.ts'
import type { FeedEvent } from '../surfaces/api/feed.ts'
import type { Fault } from '../surfaces/api/shared-shapes.ts'
import { readEvents } from './read-events.ts'

export interface ClientOptions {
  /** `http://127.0.0.1:7777`; in a page its own origin. */
  readonly address: string
  /** The part after `#k=` of the address that `plugboard serve` prints. */
  readonly token: string
  readonly fetch?: typeof fetch
}

export interface FollowOptions {
  /** The last event that is known; the stream goes on after it, or begins with a snapshot. */
  readonly after?: { readonly epoch: string; readonly seq: number }
  readonly signal?: AbortSignal
  /** Called when the stream opens and whenever bytes arrive; the server sends some at least every 15 seconds. */
  readonly onAlive?: () => void
}

/** An answer with a status of 400 or more, in the words of the command line; or none at all, which has the status 0. */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  readonly status: number
  readonly fault: Fault

  constructor(status: number, fault: Fault, options?: ErrorOptions) {
    super(fault.message, options)
    this.status = status
    this.fault = fault
  }
}

/**
 * A client of the HTTP API of `plugboard serve`, for browsers and programs.
 *
 * @example
 * const client = createClient({ address: 'http://127.0.0.1:7777', token })
 * const { servers } = await client.send('GET /api/servers')
 * await client.send('POST /api/servers/:server/restart', { params: { server: 'github' } })
 */
export interface Client {
  send<Key extends RouteKey>(
    key: Key,
    ...input: InputNeeded<Key> extends true
      ? [input: RouteInput<Key>, options?: SendOptions]
      : [input?: RouteInput<Key>, options?: SendOptions]
  ): Promise<RouteAnswer<Key>>
  /** Yields events until the stream ends or the signal aborts; the caller begins again with the last `seq`. */
  follow(options?: FollowOptions): AsyncIterable<FeedEvent>
}

export interface SendOptions {
  readonly signal?: AbortSignal
}

/** Whether a route cannot be called without an input. */
export type InputNeeded<Key extends RouteKey> = object extends RouteInput<Key> ? false : true

export function createClient({ address, token, fetch: request = fetch }: ClientOptions): Client {
  const send = async (...[url, options]: Parameters<typeof fetch>) => {
    try {
      return await request(url, options)
    } catch (error) {
      if (options?.signal?.aborted) throw error
      throw new ClientError(
        0,
        { code: 'unreachable', message: `Nothing answers at ${address}.`, hint },
        { cause: error },
      )
    }
  }
  const headers = { authorization: `Bearer ${token}` }
  return {
    async send<Key extends keyof Api>(
      key: Key,
      input?: RouteInput<Key>,
      { signal }: SendOptions = {},
    ): Promise<RouteAnswer<Key>> {
      const [method = 'GET', path = '/'] = key.split(' ')
      const { params, query, body } = (input ?? {}) as LooseInput // every route's input has at most these
      const answer = await send(`${address}${fill(path, params)}${toQuery(query)}`, {
        method,
        headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(signal && { signal }),
      })
      return (await readAnswer(answer)) as RouteAnswer<Key> // the server answers by the same table
    },
    async *follow({ after, signal, onAlive } = {}) {
      const query = after && { epoch: after.epoch, after: String(after.seq) }
      const answer = await send(`${address}/api/events${toQuery(query)}`, {
        headers,
        ...(signal && { signal }),
      })
      if (!answer.ok || !answer.body) await readAnswer(answer)
      else yield* readEvents(answer.body, onAlive)
    },
  }
}

const hint = 'Start it with: plugboard serve. Where it runs: plugboard serve --address'

interface LooseInput {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: unknown
}

async function readAnswer(answer: Response): Promise<unknown> {
  const text = await answer.text()
  const value = parse(text) as { readonly error?: Fault } | undefined // an error of the API has this form
  if (answer.ok && value !== undefined) return value
  const fault = value?.error ?? { code: 'http', message: `The server answered ${answer.status}.` }
  throw new ClientError(answer.status, fault)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function fill(path: string, params: LooseInput['params'] = {}): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
}

function toQuery(query: LooseInput['query'] = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  )
  return given.length === 0 ? '' : `?${new URLSearchParams(Object.fromEntries(given)).toString()}`
}
