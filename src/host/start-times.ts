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

/** What is remembered of a server that had `waitedMs` and cannot be used. */
export function toUnfinishedStart({
  waitedMs,
  entryMs,
  now,
}: {
  readonly waitedMs: number
  /** How long its entry allows. */
  readonly entryMs: number
  readonly now: number
}): UnfinishedStart {
  // Callers wait for no server longer than `longMs`, whatever its entry allows.
  const reason = waitedMs >= Math.min(entryMs, longMs) * nearlyWhole ? 'timed-out' : 'cut-off'
  return { at: new Date(now).toISOString(), reason, waitedMs: Math.round(waitedMs) }
}

/** Remembers a start, unless a longer time is known: a shorter one says nothing new. */
export async function rememberStart(
  server: Server,
  start: UnfinishedStart,
  { caches, now }: { readonly caches: ServerCaches; readonly now: number },
): Promise<void> {
  const known = await caches.read(server)
  const isLonger =
    start.reason === 'timed-out' ||
    (known.start?.reason !== 'timed-out' && waitTimesOf({ start }, now).ms > waitTimesOf(known, now).ms) ||
    (known.start !== undefined && isForgotten(known.start, now))
  if (isLonger) caches.change(server, { start })
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
    if (status.state === 'ready' || status.reason === 'restarted')
      return this.#forget(server, status.reason === 'restarted')
    if (began === undefined) return
    const isTimeout = 'failure' in status && status.failure.code === 'timeout'
    if (!isTimeout && status.state !== 'closed') return
    const { entry, here } = startupMsOf(server)
    const waitedMs = isTimeout ? here : clock.monotonic() - began
    const now = clock.now()
    const start = toUnfinishedStart({ waitedMs, entryMs: entry, now })
    const noted = rememberStart(server, start, { caches: this.#options.caches, now })
    this.#noted = Promise.all([this.#noted, noted])
  }

  /** Resolves when everything is handed to the caches. */
  async close(): Promise<void> {
    await this.#noted
  }

  /** A server that did not list its tools is forgotten when it has listed them, or by a restart. */
  #forget(server: Server, isRestarted: boolean): void {
    const { caches } = this.#options
    const forget = caches.read(server).then(({ start }) => {
      if (start && (isRestarted || !start.isUnlisted)) caches.change(server, { start: undefined })
    })
    this.#noted = Promise.all([this.#noted, forget])
  }
}
