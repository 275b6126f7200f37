import { fromRef } from '../../../index.ts'
import type { Host } from '../../../index.ts'
import { accessOf } from '../../../internal.ts'
import type { Caller } from '../../../internal.ts'
import { GatewayViews } from '../opened-views.ts'
import { settingsOfView } from '../served-settings.ts'
import type { ServedAddresses } from '../served-settings.ts'

/** What a caller finds of a tool at an address. */
interface FoundTool {
  /** `/mcp` or `/mcp/NAME`. */
  readonly address: string
  readonly offered: boolean
  /** The name that the tool has there; absent if it is found by search only. */
  readonly name?: string
  readonly reason: string
}

/** Explains tools for callers by the functions that answer their requests. */
export class CallerViews {
  readonly #views: GatewayViews
  readonly #names: readonly string[]
  /** Servers that only the view with their name offers. */
  readonly #ownAddress: readonly string[]

  constructor(host: Host, addresses: ServedAddresses) {
    this.#names = Object.keys(addresses.views)
    this.#ownAddress = addresses.ownAddress
    this.#views = new GatewayViews({
      host,
      settingsOf: (name) => settingsOfView(addresses, name),
      hiddenServers: () => addresses.ownAddress,
      versionOf: () => 0,
    })
  }

  /** The ref of the tool that callers of a view see with this name. */
  async refOfShown(name: string): Promise<string | undefined> {
    for (const view of this.#names) {
      const found = (await this.#views.of({ mode: 'all', view })).findNamed(name)
      if (found) return found.ref
    }
    return undefined
  }

  async explain(ref: string, caller: Pick<Caller, 'views'>): Promise<readonly FoundTool[]> {
    const named = [...new Set([...this.#names, ...(caller.views ?? [])])].sort()
    return Promise.all([undefined, ...named].map((view) => this.#explainAt(view, ref, caller)))
  }

  async #explainAt(view: string | undefined, ref: string, caller: Pick<Caller, 'views'>): Promise<FoundTool> {
    const views = this.#views
    const address = view === undefined ? '/mcp' : `/mcp/${view}`
    const access = accessOf(caller, view, (name) => views.has(name))
    if (access.kind !== 'open') return { address, offered: false, reason: access.reason }
    const server = fromRef(ref)?.server ?? ''
    if (this.#ownAddress.includes(server) && access.view !== server)
      return {
        address,
        offered: false,
        reason: `It keeps state between calls and is offered at /mcp/${server} only.`,
      }
    const found = await views.of({ mode: 'all', ...(access.view !== undefined && { view: access.view }) })
    const { visible, reason } = found.view.why(ref).visibility
    const name = visible ? found.nameOf(ref) : undefined
    return { address, offered: visible, ...(name !== undefined && { name }), reason }
  }
}
