import type { Redactor } from '../model/secrets/redactor.ts'
import type { HttpOptions, Platform } from '../platform/platform.ts'
import { hashLoginKey, toLoginServer } from './credential.ts'
import type { Account, Credential } from './credential.ts'
import { readDeclaredLogin } from './declared-login.ts'
import type { DeclaredLogin } from './declared-login.ts'
import { isSameIssuer } from './discovery.ts'
import { isProviderSignIn } from './identity-provider.ts'
import type { FindProvider } from './identity-provider.ts'
import { ServerLogin } from './server-login.ts'
import { LoginStore } from './login-store.ts'
import type { SharedLogins } from './login-store.ts'

export interface LoginsOptions {
  readonly platform: Pick<
    Platform,
    'files' | 'lock' | 'env' | 'keychain' | 'uid' | 'clock' | 'http' | 'browser' | 'listen'
  >
  readonly directory: string
  readonly shared?: SharedLogins | undefined
  readonly redactor: Redactor
  /** The identity providers of the person's settings. */
  readonly findProvider?: FindProvider
}

export type OnLogin = (as: 'same') => void

interface ServerLoginOptions {
  readonly warn?: (message: string) => void
  /** Called when another account takes effect than the one in use. */
  readonly onAccountChange?: () => void
  /** The TLS options of the connection to the server. */
  readonly tls?: HttpOptions['tls'] | undefined
  /** Reads the login settings of the entry again: the token of a workload changes while the program runs. */
  readonly readAgain?: (() => Promise<DeclaredLogin>) | undefined
}

interface LoginWaiter {
  /** A second wait of the same owner replaces the first. */
  readonly owner: string
  readonly fingerprint: string
  readonly onLogin: OnLogin
}

/** The logins that a host uses. A change by any process takes effect with the next request. */
export class Logins {
  readonly options: LoginsOptions
  readonly store: LoginStore
  /** The assertion that an issuer refused, by server: it is not sent again (SEP-1933). */
  readonly refusals = new Map<string, { readonly assertion: string; readonly error: unknown }>()
  readonly #active = new Set<ServerLogin>()
  readonly #waiters = new Map<ServerLogin, LoginWaiter>()
  #warn: (message: string) => void = () => undefined
  #watcher: Promise<Disposable> | undefined
  #isClosed = false

  constructor(options: LoginsOptions) {
    this.options = options
    this.store = new LoginStore({ ...options, warn: (message) => this.#warn(message) })
  }

  /** The login of one server; `release` it when the connection closes. */
  forServer(
    server: URL,
    declared: DeclaredLogin,
    { warn = this.#warn, onAccountChange = () => undefined, tls, readAgain }: ServerLoginOptions,
  ): ServerLogin {
    this.#warn = warn
    const login = new ServerLogin(this, server, declared, { onAccountChange, tls, readAgain })
    this.#active.add(login)
    return login
  }

  release(login: ServerLogin): void {
    this.#active.delete(login)
  }

  /** The account in use: the one that the entry names, else the most recent login. */
  async choose(server: URL, declared: DeclaredLogin): Promise<Account | undefined> {
    return chooseAccount(await this.store.all(), server, declared)
  }

  async read(account: Account | undefined): Promise<Credential | undefined> {
    return account && this.store.read(account)
  }

  /** Finds a token by account name for any server (O11). Returns `undefined` when accounts of two servers match. */
  async tokenOf(name: string): Promise<string | undefined> {
    const named = (await this.store.all()).filter(
      (each) => each.account === name && each.caller === undefined && !isProviderSignIn(each),
    )
    const [account] = named
    if (!account || named.some(({ server }) => server !== account.server)) return undefined
    const declared = { ...readDeclaredLogin(), account: name }
    const login = this.forServer(new URL(account.server), declared, {})
    try {
      return await login.token(account)
    } finally {
      login.close()
    }
  }

  /** Calls `onLogin` once, after the next login to this server. */
  async wait(login: ServerLogin, owner: string, onLogin: OnLogin): Promise<void> {
    const fingerprint = await this.#fingerprint(login)
    for (const [other, waiter] of this.#waiters) if (waiter.owner === owner) this.#waiters.delete(other)
    this.#waiters.set(login, { fingerprint, owner, onLogin })
    await this.watch()
  }

  async watch(): Promise<void> {
    if (this.#isClosed) return
    this.#watcher ??= this.store.watch(() => void this.#onStoreChange().catch(() => undefined))
    await this.#watcher.catch(() => undefined)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#waiters.clear()
    const watcher = await this.#watcher?.catch(() => undefined)
    watcher?.[Symbol.dispose]()
    await this.store.idle()
  }

  async #onStoreChange(): Promise<void> {
    for (const login of this.#active) {
      login.invalidate()
      await this.#notifyIfAccountChanged(login)
    }
    for (const [login, { fingerprint, onLogin }] of this.#waiters) {
      const current = await this.#fingerprint(login).catch(() => fingerprint)
      if (current === fingerprint || current === '' || this.#isClosed) continue
      if (this.#waiters.delete(login)) onLogin('same')
    }
  }

  async #notifyIfAccountChanged(login: ServerLogin): Promise<void> {
    const { account, server, declared } = login
    if (account === undefined) return
    const now = await this.choose(server, declared)
    if (now && hashLoginKey(now) !== account && this.#active.has(login)) login.onAccountChange()
  }

  async #fingerprint({ server, declared }: ServerLogin): Promise<string> {
    const account = await this.choose(server, declared)
    return account ? JSON.stringify(account) : ''
  }
}

export function chooseAccount(
  accounts: readonly Account[],
  server: URL,
  { account, caller, issuer }: Pick<DeclaredLogin, 'account' | 'caller' | 'issuer'>,
): Account | undefined {
  const key = toLoginServer(server)
  return accounts.find(
    (each) =>
      each.server === key &&
      each.caller === caller &&
      (account === undefined || each.account === account) &&
      (issuer === undefined || isSameIssuer(each.issuer, issuer)),
  )
}
