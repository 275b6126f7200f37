import type { Host, HostEvent } from '../../index.ts'

/** How a server came back after it had ended by itself. */
interface Recovery {
  /** What ended it. */
  readonly cause: string
  /** How long it had run. */
  readonly ranMs: number
  /** From its end until it was ready again. */
  readonly backMs: number
}

interface Crash extends Pick<Recovery, 'cause' | 'ranMs'> {
  readonly at: number
}

/** What is known of the servers that run beside their status, from the start of `serve` on. */
export class RunningServers {
  readonly #pids = new Map<string, number>()
  readonly #unlisted = new Map<string, string>()
  readonly #readySince = new Map<string, number>()
  readonly #crashes = new Map<string, Crash>()
  readonly #recoveries = new Map<string, Recovery>()

  constructor(host: Pick<Host, 'on'>) {
    host.on((event) => this.#note(event))
  }

  pidOf(server: string): number | undefined {
    return this.#pids.get(server)
  }

  /** Why a server that is connected has not listed its tools. */
  unlistedOf(server: string): string | undefined {
    return this.#unlisted.get(server)
  }

  /** Set while a server runs that was started again after a crash. */
  recoveryOf(server: string): Recovery | undefined {
    return this.#recoveries.get(server)
  }

  #note(event: HostEvent): void {
    if (event.type === 'server.started') this.#pids.set(event.server, event.pid)
    if (event.type === 'server.warned' && event.about === 'tools')
      this.#unlisted.set(event.server, event.message)
    if (event.type === 'catalog.changed') this.#unlisted.delete(event.server)
    if (event.type === 'server.changed') this.#noteStatus(event)
  }

  #noteStatus({ server, status, at }: HostEvent & { readonly type: 'server.changed' }): void {
    if (status.state === 'connecting') return void this.#unlisted.delete(server)
    if (status.state === 'ready') return this.#noteReady(server, at)
    this.#pids.delete(server)
    this.#recoveries.delete(server)
    const since = this.#readySince.get(server)
    this.#readySince.delete(server)
    if (status.state === 'waiting' && status.reason === 'crashed' && since !== undefined)
      this.#crashes.set(server, { cause: status.failure.message, ranMs: at - since, at })
    else this.#crashes.delete(server)
  }

  #noteReady(server: string, at: number): void {
    if (this.#readySince.has(server)) return
    this.#readySince.set(server, at)
    const crash = this.#crashes.get(server)
    this.#crashes.delete(server)
    if (crash) this.#recoveries.set(server, { ...crash, backMs: at - crash.at })
  }
}
