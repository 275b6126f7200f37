import { platformOf } from '../config/discover-options.ts'
import { readSettings } from '../config/settings.ts'
import type { BegunLogin } from '../login/caller-login.ts'
import { readCallerAccount, runCallerLogin, watchAccounts } from '../login/server-accounts.ts'
import type { LoginPorts } from '../login/server-accounts.ts'
import type { Server } from '../model/server.ts'
import { portsOf } from './auth-api.ts'
import type { AccountOptions } from './auth-api.ts'
import { openTeam } from './team/open-team.ts'
import type { TeamStore } from './team/team-store.ts'

/** The logins of the callers of a gateway, each with an account of its own. Opened with the first use. */
export class CallerAccounts {
  readonly #options: AccountOptions
  #opening: Promise<{ readonly ports: LoginPorts; readonly team: TeamStore | undefined }> | undefined

  constructor(options: AccountOptions) {
    this.#options = options
  }

  /** Begins a login whose response comes to `redirectUri`. */
  async begin(
    server: Server,
    caller: string,
    {
      redirectUri,
      scopes,
    }: { readonly redirectUri: string; readonly scopes?: readonly string[] | undefined },
  ): Promise<BegunLogin> {
    const { beginCallerLogin } = await import('../login/caller-login.ts')
    return runCallerLogin(server, caller, await this.#ports(), (request) =>
      beginCallerLogin({ ...request, ...(scopes && { scopes }) }, redirectUri),
    )
  }

  /** Finishes a login that this or another process has begun, with the parameters of its response. */
  async finish(
    server: Server,
    caller: string,
    begun: Omit<BegunLogin, 'url'>,
    params: URLSearchParams,
  ): Promise<void> {
    const { finishCallerLogin } = await import('../login/caller-login.ts')
    await runCallerLogin(server, caller, await this.#ports(), (request) =>
      finishCallerLogin(request, begun, params),
    )
  }

  /** Tells one login of a caller from the next; empty without one. */
  async markOf(server: Server, caller: string): Promise<string> {
    const account = await readCallerAccount(server, caller, await this.#ports())
    return account ? String(account.since) : ''
  }

  /** Resolves when there is a login of a caller that does not have this mark, or when the signal aborts. */
  async until(server: Server, caller: string, mark: string, signal: AbortSignal): Promise<void> {
    const ports = await this.#ports()
    let watching: Promise<Disposable> | undefined
    try {
      await new Promise<void>((resolve, reject) => {
        const look = () => {
          this.markOf(server, caller).then((now) => now !== '' && now !== mark && resolve(), reject)
        }
        if (signal.aborted) return resolve()
        signal.addEventListener('abort', () => resolve(), { once: true })
        watching = watchAccounts(ports, look)
        watching.then(look, reject)
      })
    } finally {
      void watching?.then(
        (opened) => opened[Symbol.dispose](),
        () => undefined,
      )
    }
  }

  async close(): Promise<void> {
    const opened = await this.#opening?.catch(() => undefined)
    await opened?.team?.close()
  }

  async #ports(): Promise<LoginPorts> {
    this.#opening ??= this.#open()
    this.#opening.catch(() => (this.#opening = undefined))
    return (await this.#opening).ports
  }

  async #open() {
    const platform = await platformOf(this.#options)
    const team = await openTeam(platform, (await readSettings(platform)).settings)
    return { team, ports: portsOf(this.#options, platform, await team?.logins()) }
  }
}
