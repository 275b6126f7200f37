import { HostError } from '../../index.ts'
import type { Host, ScopeOptions } from '../../index.ts'
import { withoutServers } from '../../internal.ts'
import type { GatewayViewSettings } from '../../internal.ts'
import { GatewayView } from './gateway-view.ts'
import type { HasOwnLogin } from './gateway-view.ts'
import type { GatewayAddress } from './served-request.ts'

/** The views of a gateway, each opened with its first request. */
export class GatewayViews {
  readonly #host: Host
  readonly #settingsOf: (name: string) => GatewayViewSettings | undefined
  readonly #hiddenServers: () => readonly string[]
  readonly #versionOf: () => number
  readonly #hasOwnLogin: HasOwnLogin
  readonly #views = new Map<string, Promise<GatewayView>>()
  readonly #opened = new Map<string, GatewayView>()

  constructor(parts: {
    readonly host: Host
    readonly settingsOf: (name: string) => GatewayViewSettings | undefined
    /** Servers that only the view with their name offers. */
    readonly hiddenServers?: () => readonly string[]
    readonly versionOf: () => number
    readonly hasOwnLogin?: HasOwnLogin
  }) {
    this.#host = parts.host
    this.#hasOwnLogin = parts.hasOwnLogin ?? (() => false)
    this.#settingsOf = parts.settingsOf
    this.#hiddenServers = parts.hiddenServers ?? (() => [])
    this.#versionOf = parts.versionOf
  }

  /** The view of an address, if it is open. */
  opened({ mode, view = '' }: GatewayAddress): GatewayView | undefined {
    return this.#opened.get(`${mode} ${view}`)
  }

  /** Throws `view.unknown` if the settings have no such view. */
  of(address: GatewayAddress): Promise<GatewayView> {
    const key = `${address.mode} ${address.view ?? ''}`
    const known = this.#views.get(key)
    if (known) return known
    const opening = this.#open(address)
    this.#views.set(key, opening)
    opening.then(
      (view) => this.#views.get(key) === opening && this.#opened.set(key, view),
      () => this.#views.delete(key),
    )
    return opening
  }

  /** The settings were read again: the next request of each view builds it again. */
  forget(): void {
    this.#views.clear()
    this.#opened.clear()
  }

  has(name: string): boolean {
    return this.#settingsOf(name) !== undefined
  }

  async #open({ view: name, mode }: GatewayAddress): Promise<GatewayView> {
    const settings = name === undefined ? {} : this.#settingsOf(name)
    if (!settings)
      throw new HostError('usage', {}, `There is no view "${name}".`, {
        hint: 'Views are declared in your settings, under "views".',
      })
    const { tools } = settings
    let opened: GatewayView | undefined
    const hidden = this.#hiddenServers().filter((server) => server !== name)
    const servers = withoutServers(settings.servers, hidden)
    const scope: ScopeOptions = {
      ...(tools && { tools }),
      ...(servers && { servers }),
      failed: 'shown',
      shown: {
        of: (ref) => opened?.shownAs(ref),
        refOf: (shown) => opened?.findNamed(shown)?.ref,
        place: name === undefined ? '/mcp' : `the view "${name}"`,
      },
      ...(!settings.servers && { offers: 'of-tools' }),
    }
    const view = await this.#host.scope(scope)
    const chosen = settings.mode ?? 'all'
    return (opened = new GatewayView({
      host: this.#host,
      view,
      settings,
      mode: mode === 'search' ? mode : chosen,
      versionOf: this.#versionOf,
      hasOwnLogin: this.#hasOwnLogin,
    }))
  }
}
