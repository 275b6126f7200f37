import type { ServerCache, UnfinishedStart } from '../catalog/server-cache.ts'
import type { Server } from '../model/server.ts'
import type { Status } from '../model/status.ts'
import type { Clock } from '../platform/platform.ts'
import type { ServerCaches } from './server-caches.ts'

const shortMs = 1000
const usualMs = 10_000
const longMs = 30_000
/** A host that waits just as long as the entry allows ends a moment before the attempt does. */
const nearlyWhole = 0.95
const rememberedMs = 24 * 60 * 60 * 1000

/** How long callers that need no particular server wait for one (D-4). */
export interface WaitTimes {
  readonly ms: number
  /** For callers that skip slow servers, once others have what they need. */
  readonly skipMs: number
}

/** For a server that was asked before in this host: it is known, or it failed. */
export const againTimes: WaitTimes = { ms: shortMs, skipMs: shortMs }

/**
 * A server that had its whole time and did not get ready is hardly waited for again; one that was cut off gets twice the
 * time it had, and hardly any from callers that skip slow servers.
 */
export function waitTimesOf({ start }: Pick<ServerCache, 'start'>, now: number): WaitTimes {
  if (!start || isForgotten(start, now)) return { ms: usualMs, skipMs: usualMs }
  if (start.reason === 'timed-out') return againTimes
  return { ms: Math.min(Math.max(2 * start.waitedMs, usualMs), longMs), skipMs: skipMsAfter(start) }
}

/** A start that ended before the usual time says nothing about the server. */
function skipMsAfter({ waitedMs }: UnfinishedStart): number {
  return waitedMs >= usualMs * nearlyWhole ? shortMs : usualMs
}

function isForgotten({ at }: UnfinishedStart, now: number): boolean {
  return now - Date.parse(at) > rememberedMs
}

interface StartTimesOptions {
  readonly caches: ServerCaches
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  /** How long a server may take to start: by its entry, and in this host. */
  readonly startupMsOf: (server: Server) => { readonly entry: number; readonly here: number }
}

/** Remembers which servers did not get ready, and how long they had, for the next host. */
export class StartTimes {
  readonly #options: StartTimesOptions
  /** When each start that is under way began, by server id. */
  readonly #began = new Map<string, number>()
  #noted: Promise<unknown> = Promise.resolve()

  constructor(options: StartTimesOptions) {
    this.#options = options
  }

  changed(server: Server, status: Status): void {
    const { clock, startupMsOf } = this.#options
    const { id } = server
    if (status.state === 'connecting') {
      // From its first step on: before it, a person may be asked whether to trust the server.
      if (status.reason === 'progress' && !this.#began.has(id)) this.#began.set(id, clock.monotonic())
      return
    }
    const began = this.#began.get(id)
    this.#began.delete(id)
    if (status.state === 'ready' || status.reason === 'restarted') return this.#forget(server)
    if (began === undefined) return
    const isTimeout = 'failure' in status && status.failure.code === 'timeout'
    if (!isTimeout && status.state !== 'closed') return
    const { entry, here } = startupMsOf(server)
    const waitedMs = isTimeout ? here : Math.round(clock.monotonic() - began)
    // Callers wait for no server longer than `longMs`, whatever its entry allows.
    const reason = waitedMs >= Math.min(entry, longMs) * nearlyWhole ? 'timed-out' : 'cut-off'
    const start = { at: new Date(clock.now()).toISOString(), reason, waitedMs } as const
    this.#noted = Promise.all([this.#noted, this.#remember(server, start)])
  }

  /** Resolves when everything is handed to the caches. */
  async close(): Promise<void> {
    await this.#noted
  }

  #forget(server: Server): void {
    const { caches } = this.#options
    const forget = caches
      .read(server)
      .then(({ start }) => start && caches.change(server, { start: undefined }))
    this.#noted = Promise.all([this.#noted, forget])
  }

  /** A shorter time than the known one says nothing new. */
  async #remember(server: Server, start: UnfinishedStart): Promise<void> {
    const { caches, clock } = this.#options
    const now = clock.now()
    const known = await caches.read(server)
    const isLonger =
      start.reason === 'timed-out' ||
      (known.start?.reason !== 'timed-out' && waitTimesOf({ start }, now).ms > waitTimesOf(known, now).ms) ||
      (known.start !== undefined && isForgotten(known.start, now))
    if (isLonger) caches.change(server, { start })
  }
}
