import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Redactor } from '../model/secrets/redactor.ts'
import type { Platform } from '../platform/platform.ts'
import { hashLoginKey, parseAccount, parseCredential, toAccount } from './credential.ts'
import type { Account, Credential, LoginKey } from './credential.ts'
import { openLogin, sealLogin } from './login-seal.ts'

export interface StoreOptions {
  readonly platform: Pick<Platform, 'files' | 'lock' | 'env' | 'keychain' | 'uid'>
  /** Readable by this user only. */
  readonly directory: string
  /** Every secret that is read or written is registered here. */
  readonly redactor: Redactor
  readonly warn: (message: string) => void
  /** In the place of files and the keychain of this machine. */
  readonly shared?: SharedLogins | undefined
}

/** Logins that several machines share. The texts hold secrets: they are sealed where they are kept. */
export interface SharedLogins {
  /** The accounts as JSON, without secrets. */
  all(): Promise<readonly string[]>
  read(id: string): Promise<string | undefined>
  write(id: string, account: string, text: string): Promise<void>
  remove(id: string): Promise<void>
  /** Runs `work` while no other machine runs one for this login. */
  locked<T>(id: string, work: () => Promise<T>): Promise<T>
  watch(onChange: () => void): Promise<Disposable>
}

/** A login without its secrets, and where they are stored. */
interface ListedLogin extends Account {
  readonly where: 'keychain' | 'file' | 'shared'
}

/** The value `file` skips the keychain, for machines where it cannot be unlocked. */
const storageVariable = 'PLUGBOARD_CREDENTIALS'
/** Shared by gateways that serve the same callers. */
const secretVariable = 'PLUGBOARD_GATEWAY_SECRET'
const minSecret = 32

/**
 * The stored logins of a user. Each login is a JSON file without secrets, which other processes watch for changes. The
 * secrets are in the keychain, or in a file beside it that only this user can read (T34).
 */
export class LoginStore {
  readonly #options: StoreOptions
  readonly #pending = new Map<string, Promise<Credential>>()
  #hasWarned = false

  constructor(options: StoreOptions) {
    this.#options = options
  }

  /** Does not open the keychain. */
  async all(): Promise<readonly Account[]> {
    const listed = await this.#listed()
    return listed.map(({ where: _where, ...account }) => account)
  }

  async read(key: LoginKey): Promise<Credential | undefined> {
    const text = await this.#readText(key)
    const credential = text === undefined ? undefined : parseCredential(text)
    if (credential) this.#register(credential)
    return credential && hashLoginKey(credential) === hashLoginKey(key) ? credential : undefined
  }

  /** Registers the secrets of the logins that are in files; the keychain stays closed. */
  async registerFiles(): Promise<void> {
    for (const login of await this.#listed()) if (login.where === 'file') await this.read(login)
  }

  /** Writes the secrets first: after a crash in between, the list shows the earlier login or none. */
  async write(credential: Credential): Promise<void> {
    const { files } = this.#options.platform
    this.#register(credential)
    const { shared } = this.#options
    if (shared) {
      const account = JSON.stringify(toAccount(credential))
      return shared.write(hashLoginKey(credential), account, JSON.stringify(credential))
    }
    await this.prepare()
    const before = await this.#find(credential)
    const where = await this.#writeSecrets(credential, before?.where)
    const listed: ListedLogin = { ...toAccount(credential), where }
    await files.replace(this.#pathOf(credential, 'json'), `${JSON.stringify(listed)}\n`, { mode: 0o600 })
    if (where === 'keychain') await files.remove(this.#pathOf(credential, 'secret'))
  }

  async remove(key: LoginKey): Promise<void> {
    const { shared } = this.#options
    if (shared) return shared.remove(hashLoginKey(key))
    const { files, keychain } = this.#options.platform
    const found = await this.#find(key)
    await files.remove(this.#pathOf(key, 'json'))
    await files.remove(this.#pathOf(key, 'secret'))
    if (found?.where === 'keychain') {
      await keychain?.remove(hashLoginKey(key)).catch(() => {
        this.#warn(
          `The keychain cannot be opened, so the secret "plugboard/${hashLoginKey(key)}" is still in it.`,
        )
      })
    }
  }

  /** Runs `work` under the lock of this login, which all processes of this user share. */
  async locked<T>(key: LoginKey, work: () => Promise<T>): Promise<T> {
    const { shared } = this.#options
    if (shared) return shared.locked(hashLoginKey(key), work)
    await this.prepare()
    return this.#options.platform.lock(this.#pathOf(key, 'json'), work)
  }

  /** Like `locked`, but concurrent callers in this process share one run and its result. */
  lockedOnce(key: LoginKey, work: () => Promise<Credential>): Promise<Credential> {
    const name = hashLoginKey(key)
    const running = this.#pending.get(name)
    if (running) return running
    const started = this.locked(key, work).finally(() => this.#pending.delete(name))
    this.#pending.set(name, started)
    return started
  }

  /** Settles when no `lockedOnce` is running. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#pending.values())
  }

  /** Also reports changes by other processes. */
  async watch(onChange: () => void): Promise<Disposable> {
    const { shared } = this.#options
    if (shared) return shared.watch(onChange)
    await this.prepare()
    return this.#options.platform.files.watch(this.#options.directory, onChange)
  }

  prepare(): Promise<void> {
    const { platform, directory } = this.#options
    return platform.files.makePrivateDirectory(directory, { shutsOut: true })
  }

  async #listed(): Promise<readonly ListedLogin[]> {
    const { platform, directory, shared } = this.#options
    if (shared) {
      const accounts = (await shared.all()).flatMap((text) => parseAccount(text) ?? [])
      return accounts
        .map((account) => ({ ...account, where: 'shared' as const }))
        .sort((one, other) => other.since - one.since)
    }
    const names = await platform.files.list(directory).catch(() => [])
    const found: ListedLogin[] = []
    for (const name of names.filter((each) => /^[0-9a-f]{40}\.json$/.test(each))) {
      const listed = await this.#readListed(join(directory, name))
      if (listed && `${hashLoginKey(listed)}.json` === name) found.push(listed)
    }
    return found.sort((one, other) => other.since - one.since)
  }

  async #readText(key: LoginKey): Promise<string | undefined> {
    const { shared } = this.#options
    if (shared) return shared.read(hashLoginKey(key))
    const { where } = (await this.#find(key)) ?? {}
    if (where === undefined) return undefined
    if (where !== 'file') return this.#readKeychain(key)
    const text = await this.#readFile(key)
    if (text === undefined || key.caller === undefined) return text
    return openLogin(text, hashLoginKey(key), await this.#callerSecret())
  }

  #find(key: LoginKey): Promise<ListedLogin | undefined> {
    return this.#readListed(this.#pathOf(key, 'json'))
  }

  async #readListed(path: string): Promise<ListedLogin | undefined> {
    const text = await this.#readOwn(path)
    const account = text === undefined ? undefined : parseAccount(text)
    return account && { where: 'file', ...account }
  }

  #readFile(key: LoginKey): Promise<string | undefined> {
    return this.#readOwn(this.#pathOf(key, 'secret'))
  }

  /** Ignores a file that another user owns or can write: it could redirect our tokens (T34). */
  async #readOwn(path: string): Promise<string | undefined> {
    const { files, uid } = this.#options.platform
    const found = await files.readText(path)
    if (found.kind !== 'text') return undefined
    const isForeign = uid !== undefined && (found.stat.uid !== uid || (found.stat.mode & 0o022) !== 0)
    if (!isForeign) return found.text
    this.#warn(`${path} can be changed by other users, so the login in it is not used. Log in again.`)
    return undefined
  }

  async #readKeychain(key: LoginKey): Promise<string | undefined> {
    try {
      return await this.#options.platform.keychain?.read(hashLoginKey(key))
    } catch {
      this.#warn('The keychain cannot be opened, so its logins cannot be used. Unlock it, or log in again.')
      return undefined
    }
  }

  /** Secrets in a file stay in a file, so that a renewal does not prompt a keychain that refused before. */
  async #writeSecrets(
    credential: Credential,
    before: ListedLogin['where'] | undefined,
  ): Promise<ListedLogin['where']> {
    const { platform } = this.#options
    const text = JSON.stringify(credential)
    const isForced = platform.env[storageVariable] === 'file'
    if (platform.keychain && !isForced && before !== 'file') {
      try {
        await platform.keychain.write(hashLoginKey(credential), text)
        return 'keychain'
      } catch {
        this.#warnOfKeychain()
      }
    }
    const kept =
      credential.caller === undefined
        ? text
        : sealLogin(text, hashLoginKey(credential), await this.#callerSecret())
    await platform.files.replace(this.#pathOf(credential, 'secret'), kept, { mode: 0o600 })
    return 'file'
  }

  /** What the logins of callers are sealed with: that of the gateway, else one of this machine, made with the first of them. */
  async #callerSecret(): Promise<string> {
    const { platform, directory } = this.#options
    const given = platform.env[secretVariable]
    if (given !== undefined && given.length >= minSecret) return given
    const path = join(directory, 'callers.key')
    return platform.lock(path, async () => {
      const known = await this.#readOwn(path)
      if (known !== undefined && known.length >= minSecret) return known
      const made = randomBytes(32).toString('base64url')
      await platform.files.replace(path, made, { mode: 0o600 })
      return made
    })
  }

  #warnOfKeychain(): void {
    const { directory } = this.#options
    this.#warn(`No usable keychain was found; logins are stored in ${directory}, which only you can read.`)
  }

  #warn(message: string): void {
    if (this.#hasWarned) return
    this.#hasWarned = true
    this.#options.warn(message)
  }

  #register({ tokens, client, proofKey }: Credential): void {
    const key = proofKey?.['d']
    for (const secret of [tokens.access, tokens.refresh, tokens.idToken, client.secret, key])
      if (typeof secret === 'string') this.keepSecret(secret)
  }

  /** Masks a text that is not stored in everything the host prints. */
  keepSecret(secret: string): void {
    this.#options.redactor.register(secret)
  }

  #pathOf(key: LoginKey, ending: 'json' | 'secret'): string {
    return join(this.#options.directory, `${hashLoginKey(key)}.${ending}`)
  }
}
