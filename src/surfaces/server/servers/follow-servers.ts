import { watchConfig } from '../../../config.ts'
import { fromRef } from '../../../index.ts'
import type { HostEvent } from '../../../index.ts'
import type { ServeContext } from '../serve-context.ts'
import { restartCrashed } from './restart-crashed.ts'
import { recordOf } from './server-record.ts'
import { rowsNamed } from './server-rows.ts'

/** Changes of a server within this time are one event: a start alone has four steps. */
const frameMs = 50

/**
 * Publishes changes of servers and of the configuration, made by the host, by another program that edits a file, or by a
 * person who trusts a server in a terminal.
 */
export function followServers(context: ServeContext): Disposable {
  const record = recordOf(context)
  const rows = new ChangedRows(context)
  const listening = context.host.on((event) => rows.note(event))
  const watching = followFiles(context)
  const restarting = restartCrashed(context)
  return {
    [Symbol.dispose]: () => {
      listening[Symbol.dispose]()
      watching[Symbol.dispose]()
      restarting[Symbol.dispose]()
      rows[Symbol.dispose]()
      record[Symbol.dispose]()
    },
  }
}

/** Collects servers whose rows have changed, and publishes each once per frame. */
class ChangedRows implements Disposable {
  readonly #context: ServeContext
  readonly #changed = new Set<string>()
  #known: ReadonlySet<string>
  #timer: NodeJS.Timeout | undefined
  #isConfigChanged = false

  constructor(context: ServeContext) {
    this.#context = context
    this.#known = this.#names()
  }

  note(event: HostEvent): void {
    const { host } = this.#context
    switch (event.type) {
      case 'server.changed':
      case 'server.started':
      case 'server.warned':
      case 'catalog.changed':
      case 'list.changed':
        this.#changed.add(event.server)
        break
      case 'call.finished':
        this.#changed.add(fromRef(event.ref)?.server ?? '')
        break
      case 'config.changed':
        this.#isConfigChanged = true
        for (const { name } of host.servers()) this.#changed.add(name)
        break
      default:
        return
    }
    this.#timer ??= setTimeout(() => this.#publish(), frameMs)
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
  }

  #publish(): void {
    this.#timer = undefined
    const { feed } = this.#context
    const changed = new Set(this.#changed)
    this.#changed.clear()
    for (const server of rowsNamed(this.#context, changed)) feed.publish({ type: 'server.changed', server })
    const names = this.#names()
    for (const name of this.#known) if (!names.has(name)) feed.publish({ type: 'server.removed', name })
    this.#known = names
    if (!this.#isConfigChanged) return
    this.#isConfigChanged = false
    void this.#publishCounts()
  }

  async #publishCounts(): Promise<void> {
    const { counts, feed, signal } = this.#context
    const now = await counts()
    if (!signal.aborted) feed.publish({ type: 'config.changed', counts: now })
  }

  #names(): ReadonlySet<string> {
    return new Set(this.#context.host.servers().map(({ name }) => name))
  }
}

/** Reloads the host when a config file, the settings or the trust of a person change. */
function followFiles({ host, cwd, discover, feed, signal }: ServeContext): Disposable {
  const end = new AbortController()
  const report = (error: unknown) => {
    if (signal.aborted || end.signal.aborted) return
    const message = error instanceof Error ? error.message : String(error)
    feed.publish({ type: 'notice', message: `Changes of the configuration are not followed: ${message}` })
  }
  const watching = watchConfig({
    ...discover,
    cwd,
    signal: AbortSignal.any([signal, end.signal]),
    onChange: () => host.reload({ ifChanged: true, keepFailed: true }),
    onError: report,
  })
  // What changed between the reading of the host and that of the watch is no change to the watch.
  watching.then(() => host.reload({ ifChanged: true, keepFailed: true })).catch(report)
  const checkAgain = () =>
    void watching.then(
      (watched) => watched.check(),
      () => undefined,
    )
  // A change made here is read by the host at once. If a program restores the old text before the watch has seen the new
  // one, the watch finds no difference, and the host would keep the new one.
  const listening = host.on(({ type }) => type === 'config.changed' && checkAgain())
  return {
    [Symbol.dispose]: () => {
      listening[Symbol.dispose]()
      end.abort()
    },
  }
}
