import type { Redactor } from '../model/secret.ts'
import type { HttpOptions, Platform } from '../platform/platform.ts'
import { hashOf, toLoginServer } from './credential.ts'
import type { Account, Credential } from './credential.ts'
import { declaredOf } from './declared-login.ts'
import type { Declared } from './declared-login.ts'
import { isSameIssuer } from './discovery.ts'
import { ServerLogin } from './server-login.ts'
import { LoginStore } from './login-store.ts'

export interface LoginsOptions {
  readonly platform: Pick<
    Platform,
    'files' | 'lock' | 'env' | 'keychain' | 'uid' | 'clock' | 'http' | 'browser' | 'listen'
  >
  readonly directory: string
  readonly redactor: Redactor
}

export type OnLogin = (as: 'same') => void

interface LoginUse {
  readonly warn?: (message: string) => void
  /** Another account counts now than the one that is used. */
  readonly onOther?: () => void
  /** How the server itself is connected to. */
  readonly tls?: HttpOptions['tls'] | undefined
}

interface Waiting {
  /** Who waits again waits once. */
  readonly owner: string
  readonly seen: string
  readonly onLogin: OnLogin
}

/** All logins a host uses. A change of them, by whatever program, counts from the next request on. */
export class Logins {
  readonly options: LoginsOptions
  readonly store: LoginStore
  readonly #used = new Set<ServerLogin>()
  readonly #waiting = new Map<ServerLogin, Waiting>()
  #warn: (message: string) => void = () => undefined
  #watching: Promise<Disposable> | undefined
  #isClosed = false

  constructor(options: LoginsOptions) {
    this.options = options
    this.store = new LoginStore({ ...options, warn: (message) => this.#warn(message) })
  }

  /** The login of one server, for as long as it is connected to. */
  of(
    server: URL,
    declared: Declared,
    { warn = this.#warn, onOther = () => undefined, tls }: LoginUse,
  ): ServerLogin {
    this.#warn = warn
    const login = new ServerLogin(this, server, declared, { onOther, tls })
    this.#used.add(login)
    return login
  }

  drop(login: ServerLogin): void {
    this.#used.delete(login)
  }

  /** The account that counts: the one the entry names, else the one that was last logged in. */
  async choose(server: URL, declared: Declared): Promise<Account | undefined> {
    return chooseAccount(await this.store.all(), server, declared)
  }

  async read(account: Account | undefined): Promise<Credential | undefined> {
    return account && this.store.read(account)
  }

  /** The token of a login by its account's name, whatever server it is for (O11); none where two servers' could be meant. */
  async tokenOf(name: string): Promise<string | undefined> {
    const named = (await this.store.all()).filter((each) => each.account === name)
    const [account] = named
    if (!account || named.some(({ server }) => server !== account.server)) return undefined
    const declared = { ...declaredOf(), account: name }
    const login = this.of(new URL(account.server), declared, {})
    try {
      return await login.token(account)
    } finally {
      login.close()
    }
  }

  /** Calls back once when somebody has logged in to this server. */
  async wait(login: ServerLogin, owner: string, onLogin: OnLogin): Promise<void> {
    const seen = await this.#markOf(login)
    for (const [other, waiting] of this.#waiting) if (waiting.owner === owner) this.#waiting.delete(other)
    this.#waiting.set(login, { seen, owner, onLogin })
    await this.watch()
  }

  async watch(): Promise<void> {
    if (this.#isClosed) return
    this.#watching ??= this.store.watch(() => void this.#changed().catch(() => undefined))
    await this.#watching.catch(() => undefined)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#waiting.clear()
    const watching = await this.#watching?.catch(() => undefined)
    watching?.[Symbol.dispose]()
    await this.store.idle()
  }

  async #changed(): Promise<void> {
    for (const login of this.#used) {
      login.forget()
      await this.#compare(login)
    }
    for (const [login, { seen, onLogin }] of this.#waiting) {
      const mark = await this.#markOf(login).catch(() => seen)
      if (mark === seen || mark === '' || this.#isClosed) continue
      if (this.#waiting.delete(login)) onLogin('same')
    }
  }

  async #compare(login: ServerLogin): Promise<void> {
    const { account, server, declared } = login
    if (account === undefined) return
    const now = await this.choose(server, declared)
    if (now && hashOf(now) !== account && this.#used.has(login)) login.onOther()
  }

  async #markOf({ server, declared }: ServerLogin): Promise<string> {
    const account = await this.choose(server, declared)
    return account ? JSON.stringify(account) : ''
  }
}

export function chooseAccount(
  accounts: readonly Account[],
  server: URL,
  { account, issuer }: Pick<Declared, 'account' | 'issuer'>,
): Account | undefined {
  const key = toLoginServer(server)
  return accounts.find(
    (each) =>
      each.server === key &&
      (account === undefined || each.account === account) &&
      (issuer === undefined || isSameIssuer(each.issuer, issuer)),
  )
}
