import type { ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import { createHttpClient } from '../../src/platform/node/http.ts'
import type { HttpOptions } from '../../src/platform/platform.ts'
import { createFakeClock } from '../../src/testing/fake-clock.ts'
import type { FakeClock } from '../../src/testing/fake-clock.ts'
import type { Channel, OpenChannel, Receiver } from '../../src/wire/channel.ts'
import type { HttpChannelOptions } from '../../src/wire/http/endpoint.ts'
import type { RequestId } from '../../src/wire/message.ts'
import type { WireError } from '../../src/wire/wire-error.ts'

/** An event of a channel's receiver as plain data. */
export type ReceivedItem =
  | { readonly message: unknown }
  | { readonly failed: RequestId; readonly error: WireError }
  | { readonly dropped: string; readonly sample?: string | undefined }
  | { readonly closed: WireError }

export interface ListeningChannel {
  readonly channel: Channel
  readonly clock: FakeClock
  readonly heard: ReceivedItem[]
  /** The next received item. */
  readonly next: () => Promise<ReceivedItem>
  /** Sends a request and returns the next received item. */
  readonly ask: (id: RequestId, method?: string, params?: Record<string, string>) => Promise<ReceivedItem>
}

export interface ListenOptions extends Partial<Pick<HttpChannelOptions, 'headers' | 'limits'>> {
  readonly http?: Partial<HttpOptions>
}

export async function listenTo(
  open: (options: HttpChannelOptions) => OpenChannel,
  url: URL,
  { http, headers = () => ({}), limits = {} }: ListenOptions = {},
): Promise<ListeningChannel> {
  const clock = createFakeClock(Date.UTC(2026, 0, 1))
  const client = await createHttpClient({ url, env: {}, maxConnections: 8, ...http })
  const heard: ReceivedItem[] = []
  let taken = 0
  let wake = () => {}
  const record = (what: ReceivedItem) => {
    heard.push(what)
    wake()
  }
  const receiver: Receiver = {
    message: (message) => record({ message }),
    failed: (failed, error) => record({ failed, error }),
    dropped: (dropped, sample) => record({ dropped, sample }),
    closed: (closed) => record({ closed }),
  }
  const channel = open({ client, url, headers, clock, limits })(receiver)
  onTestFinished(() => channel.close())
  const next = async () => {
    while (taken >= heard.length) await new Promise<void>((resolve) => (wake = resolve))
    return heard[taken++] as ReceivedItem // the loop has waited for it
  }
  return {
    channel,
    clock,
    heard,
    next,
    ask(id, method = 'tools/list', params = {}) {
      channel.send({ jsonrpc: '2.0', id, method, params })
      return next()
    },
  }
}

/** Settles when the condition is true; checks once per turn of the event loop. */
export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => void setImmediate(resolve))
}

export function answerJson(
  response: ServerResponse,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))
}

export function answerStatus(response: ServerResponse, status: number): void {
  response.writeHead(status).end()
}

export function openEvents(response: ServerResponse, ...events: readonly string[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.flushHeaders()
  for (const event of events) response.write(`${event}\n\n`)
}

export function event(value: unknown, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(value)}`
}

export const result = (id: RequestId, value: unknown = {}) => ({ jsonrpc: '2.0', id, result: value })
export const fault = (id: RequestId | null, code: number) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message: 'no' },
})

/** The parts of a failure that code depends on. */
export function failureOf(heard: ReceivedItem): unknown {
  const error = 'failed' in heard ? heard.error : 'closed' in heard ? heard.closed : undefined
  if (!error) return heard
  return { code: error.code, sent: error.sent, facts: error.facts }
}
