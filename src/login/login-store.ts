import { join } from 'node:path'
import type { Redactor } from '../model/secrets/redactor.ts'
import type { Platform } from '../platform/platform.ts'
import { hashLoginKey, parseAccount, parseCredential, toAccount } from './credential.ts'
import type { Account, Credential, LoginKey } from './credential.ts'

export interface StoreOptions {
  readonly platform: Pick<Platform, 'files' | 'lock' | 'env' | 'keychain' | 'uid'>
  /** Readable by this user only. */
  readonly directory: string
  /** Every secret that is read or written is registered here. */
  readonly redactor: Redactor
  readonly warn: (message: string) => void
}

/** A login without its secrets, and where they are stored. */
interface ListedLogin extends Account {
  readonly where: 'keychain' | 'file'
}

/** The value `file` skips the keychain, for machines where it cannot be unlocked. */
const storageVariable = 'PLUGBOARD_CREDENTIALS'

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
    const { where } = (await this.#find(key)) ?? {}
    if (where === undefined) return undefined
    const text = await (where === 'file' ? this.#readFile(key) : this.#readKeychain(key))
    const credential = text === undefined ? undefined : parseCredential(text)
    if (credential) this.#register(credential)
    return credential && hashLoginKey(credential) === hashLoginKey(key) ? credential : undefined
  }

  /** Writes the secrets first: after a crash in between, the list shows the earlier login or none. */
  async write(credential: Credential): Promise<void> {
    const { files } = this.#options.platform
    this.#register(credential)
    await this.prepare()
    const before = await this.#find(credential)
    const where = await this.#writeSecrets(credential, before?.where)
    const listed: ListedLogin = { ...toAccount(credential), where }
    await files.replace(this.#pathOf(credential, 'json'), `${JSON.stringify(listed)}\n`, { mode: 0o600 })
    if (where === 'keychain') await files.remove(this.#pathOf(credential, 'secret'))
  }

  async remove(key: LoginKey): Promise<void> {
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
    await this.prepare()
    return this.#options.platform.files.watch(this.#options.directory, onChange)
  }

  prepare(): Promise<void> {
    const { platform, directory } = this.#options
    return platform.files.makePrivateDirectory(directory, { shutsOut: true })
  }

  async #listed(): Promise<readonly ListedLogin[]> {
    const { platform, directory } = this.#options
    const names = await platform.files.list(directory).catch(() => [])
    const found: ListedLogin[] = []
    for (const name of names.filter((each) => /^[0-9a-f]{40}\.json$/.test(each))) {
      const listed = await this.#readListed(join(directory, name))
      if (listed && `${hashLoginKey(listed)}.json` === name) found.push(listed)
    }
    return found.sort((one, other) => other.since - one.since)
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
    await platform.files.replace(this.#pathOf(credential, 'secret'), text, { mode: 0o600 })
    return 'file'
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

  #register({ tokens, client }: Credential): void {
    for (const secret of [tokens.access, tokens.refresh, client.secret]) {
      if (secret !== undefined) this.#options.redactor.register(secret)
    }
  }

  #pathOf(key: LoginKey, ending: 'json' | 'secret'): string {
    return join(this.#options.directory, `${hashLoginKey(key)}.${ending}`)
  }
}
