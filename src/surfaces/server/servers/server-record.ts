import { fromRef } from '../../../index.ts'
import type { HostEvent } from '../../../index.ts'
import type { LoginProgress, ServerDetail, ServerRow } from '../../api/server-routes.ts'
import { describeState } from '../../facts/state-facts.ts'
import type { ServeContext } from '../serve-context.ts'
import { countOffers } from './offer-counts.ts'
import type { OfferCounts } from './offer-counts.ts'

type HistoryEntry = ServerDetail['history'][number]

/** Events after which a server may offer something else. */
const changesOffers: ReadonlySet<HostEvent['type']> = new Set([
  'catalog.changed',
  'list.changed',
  'config.changed',
  'server.changed',
])

/** States of one server that are kept. */
const maxHistory = 50

/** What happened to the servers since `serve` began, as far as the host does not keep it. */
export class ServerRecord implements Disposable {
  readonly #history = new Map<string, readonly HistoryEntry[]>()
  readonly #beginnings = new Map<string, number>()
  readonly #startedMs = new Map<string, number>()
  readonly #lastCalls = new Map<string, NonNullable<ServerRow['lastCall']>>()
  /** Since when the text of a file is not usable, and the one before it counts. */
  readonly brokenSince = new Map<string, number>()
  readonly logins = new Map<string, LoginProgress>()
  readonly #listening: Disposable
  readonly #host: ServeContext['host']
  #known: Promise<void> | undefined
  #offers: OfferCounts | undefined

  constructor({ host }: Pick<ServeContext, 'host'>) {
    this.#host = host
    this.#listening = host.on((event) => this.#note(event))
  }

  /** What servers offered when they were last asked, read from disk once. */
  async readKnown(): Promise<void> {
    await (this.#known ??= this.#host.ready({ from: 'disk' }).then(() => this.#forgetOffers()))
  }

  /** Counted again only after a list has changed: a row is made for every call that ends. */
  offers(): OfferCounts {
    return (this.#offers ??= countOffers(this.#host))
  }

  historyOf(server: string): readonly HistoryEntry[] {
    return this.#history.get(server) ?? []
  }

  factsOf(server: string): Pick<ServerRow, 'startedMs' | 'lastCall'> {
    const [startedMs, lastCall] = [this.#startedMs.get(server), this.#lastCalls.get(server)]
    return {
      ...(startedMs !== undefined && { startedMs }),
      ...(lastCall && { lastCall }),
    }
  }

  [Symbol.dispose](): void {
    this.#listening[Symbol.dispose]()
  }

  #forgetOffers(): void {
    this.#offers = undefined
  }

  #note(event: HostEvent): void {
    if (changesOffers.has(event.type)) this.#forgetOffers()
    if (event.type === 'server.changed') this.#noteState(event)
    if (event.type === 'config.changed') this.#noteFiles(event)
    if (event.type === 'call.finished') {
      const { id, ref, ms, at, failed, error } = event
      const server = fromRef(ref)?.server
      const outcome = error ?? (failed ? 'failed' : 'done')
      if (server !== undefined) this.#lastCalls.set(server, { id, ref, ms, at, outcome })
    }
  }

  #noteState({ server, status, at }: HostEvent & { readonly type: 'server.changed' }): void {
    const { word, tone, sentence } = describeState({ name: server, status, isRetried: false })
    const before = this.historyOf(server)
    const entry = { word, tone, at, ...(sentence !== undefined && { sentence }) }
    this.#history.set(server, [...before, entry].slice(-maxHistory))
    if (status.state === 'connecting') {
      if (status.step === 'queued' || !this.#beginnings.has(server)) this.#beginnings.set(server, at)
      return
    }
    const began = this.#beginnings.get(server)
    if (status.state === 'ready' && began !== undefined) this.#startedMs.set(server, at - began)
    this.#beginnings.delete(server)
  }

  #noteFiles({ diagnostics, at }: HostEvent & { readonly type: 'config.changed' }): void {
    const broken = new Set(
      diagnostics
        .filter(({ code }) => code === 'parse-error' || code === 'unreadable-file')
        .flatMap(({ origin }) => origin?.file ?? []),
    )
    for (const file of this.brokenSince.keys()) if (!broken.has(file)) this.brokenSince.delete(file)
    for (const file of broken) if (!this.brokenSince.has(file)) this.brokenSince.set(file, at)
  }
}

const records = new WeakMap<ServeContext, ServerRecord>()

/** The record of one `serve`, which begins with the first request for it. */
export function recordOf(context: ServeContext): ServerRecord {
  const known = records.get(context)
  if (known) return known
  const record = new ServerRecord(context)
  records.set(context, record)
  return record
}
