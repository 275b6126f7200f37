import type { ListMethod } from '../gateway-view.ts'
import type { GatewayViews } from '../opened-views.ts'
import type { GatewayAddress } from '../served-request.ts'

export const changedLists = ['tools', 'prompts', 'resources'] as const
export type ChangedList = (typeof changedLists)[number]

const methodsOf: Readonly<Record<ChangedList, readonly ListMethod[]>> = {
  tools: ['tools/list'],
  prompts: ['prompts/list'],
  // There is no notification of their own for skills: they are resources.
  resources: ['resources/list', 'resources/templates/list', 'skills/list'],
}

interface Watcher {
  readonly address: GatewayAddress
  readonly onChanged: (list: ChangedList) => void
  readonly texts: Map<ChangedList, string>
}

/** Changes come in bursts: a server that starts announces each of its lists. */
const settleMs = 20

/** Tells clients which lists of their address changed. A change that does not change a list of theirs is none (T26). */
export class ListWatch {
  readonly #views: GatewayViews
  readonly #watchers = new Set<Watcher>()
  #timer: NodeJS.Timeout | undefined

  constructor(views: GatewayViews) {
    this.#views = views
  }

  async watch(address: GatewayAddress, onChanged: (list: ChangedList) => void): Promise<Disposable> {
    const watcher: Watcher = { address, onChanged, texts: new Map() }
    await this.#compare(watcher)
    this.#watchers.add(watcher)
    return { [Symbol.dispose]: () => void this.#watchers.delete(watcher) }
  }

  /** Something of the catalog changed. */
  changed(): void {
    if (this.#watchers.size === 0 || this.#timer) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      for (const watcher of this.#watchers) this.#compare(watcher).catch(() => undefined)
    }, settleMs)
    this.#timer.unref()
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#watchers.clear()
  }

  async #compare({ address, texts, onChanged }: Watcher): Promise<void> {
    const view = await this.#views.of(address)
    for (const list of changedLists) {
      const text = methodsOf[list].map((method) => view.listText(method)).join()
      const before = texts.get(list)
      texts.set(list, text)
      if (before !== undefined && before !== text) onChanged(list)
    }
  }
}
