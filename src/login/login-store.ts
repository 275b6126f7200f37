import { join } from 'node:path'
import type { Redactor } from '../model/secret.ts'
import type { Platform } from '../platform/platform.ts'
import { hashOf, parseAccount, parseCredential, toAccount } from './credential.ts'
import type { Account, Credential, LoginKey } from './credential.ts'

export interface StoreOptions {
  readonly platform: Pick<Platform, 'files' | 'lock' | 'env' | 'keychain' | 'uid'>
  /** Of this person alone. */
  readonly directory: string
  /** Learns every secret that is read or written. */
  readonly redactor: Redactor
  readonly warn: (message: string) => void
}

/** A login as it is listed: all that may be shown, and where its secrets are. */
interface Listed extends Account {
  readonly where: 'keychain' | 'file'
}

/** Forces the file, as on a machine whose keychain nobody can unlock. */
const choice = 'PLUGBOARD_CREDENTIALS'

/**
 * The logins of a person. What may be shown of each is a file of its own, which also tells other programs that
 * something changed; its secrets are in the keychain, or in a file beside it that nobody else may read (T34).
 */
export class LoginStore {
  readonly #options: StoreOptions
  readonly #underWay = new Map<string, Promise<Credential>>()
  #hasWarned = false

  constructor(options: StoreOptions) {
    this.#options = options
  }

  /** Looks into no keychain. */
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
    return credential && hashOf(credential) === hashOf(key) ? credential : undefined
  }

  /** The secrets first: killed in between, the list still tells of what was there before, or of nothing. */
  async write(credential: Credential): Promise<void> {
    const { files } = this.#options.platform
    this.#register(credential)
    await this.prepare()
    const before = await this.#find(credential)
    const where = await this.#writeSecrets(credential, before?.where)
    const listed: Listed = { ...toAccount(credential), where }
    await files.replace(this.#pathOf(credential, 'json'), `${JSON.stringify(listed)}\n`, { mode: 0o600 })
    if (where === 'keychain') await files.remove(this.#pathOf(credential, 'secret'))
  }

  async remove(key: LoginKey): Promise<void> {
    const { files, keychain } = this.#options.platform
    const found = await this.#find(key)
    await files.remove(this.#pathOf(key, 'json'))
    await files.remove(this.#pathOf(key, 'secret'))
    if (found?.where === 'keychain') {
      await keychain?.remove(hashOf(key)).catch(() => {
        this.#warn(
          `The keychain cannot be opened, so that the secret "plugboard/${hashOf(key)}" is still in it.`,
        )
      })
    }
  }

  /** One at a time across all programs of this person, for this login. */
  async locked<T>(key: LoginKey, work: () => Promise<T>): Promise<T> {
    await this.prepare()
    return this.#options.platform.lock(this.#pathOf(key, 'json'), work)
  }

  /** The same, and whoever asks meanwhile in this program gets the same answer. */
  once(key: LoginKey, work: () => Promise<Credential>): Promise<Credential> {
    const name = hashOf(key)
    const running = this.#underWay.get(name)
    if (running) return running
    const begun = this.locked(key, work).finally(() => this.#underWay.delete(name))
    this.#underWay.set(name, begun)
    return begun
  }

  /** When nothing of it is under way any more. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#underWay.values())
  }

  /** Also hears of what other programs do. */
  async watch(onChange: () => void): Promise<Disposable> {
    await this.prepare()
    return this.#options.platform.files.watch(this.#options.directory, onChange)
  }

  prepare(): Promise<void> {
    const { platform, directory } = this.#options
    return platform.files.makePrivateDirectory(directory, { shutsOut: true })
  }

  async #listed(): Promise<readonly Listed[]> {
    const { platform, directory } = this.#options
    const names = await platform.files.list(directory).catch(() => [])
    const found: Listed[] = []
    for (const name of names.filter((each) => /^[0-9a-f]{40}\.json$/.test(each))) {
      const listed = await this.#readListed(join(directory, name))
      if (listed && `${hashOf(listed)}.json` === name) found.push(listed)
    }
    return found.sort((one, other) => other.since - one.since)
  }

  #find(key: LoginKey): Promise<Listed | undefined> {
    return this.#readListed(this.#pathOf(key, 'json'))
  }

  async #readListed(path: string): Promise<Listed | undefined> {
    const text = await this.#readOwn(path)
    const account = text === undefined ? undefined : parseAccount(text)
    return account && { where: 'file', ...account }
  }

  #readFile(key: LoginKey): Promise<string | undefined> {
    return this.#readOwn(this.#pathOf(key, 'secret'))
  }

  /** What others wrote, or could have written, is no login: it might send ours to them (T34). */
  async #readOwn(path: string): Promise<string | undefined> {
    const { files, uid } = this.#options.platform
    const found = await files.readText(path)
    if (found.kind !== 'text') return undefined
    const isForeign = uid !== undefined && (found.stat.uid !== uid || (found.stat.mode & 0o022) !== 0)
    if (!isForeign) return found.text
    this.#warn(`${path} is not yours alone, so that the login in it is not used. Log in again.`)
    return undefined
  }

  async #readKeychain(key: LoginKey): Promise<string | undefined> {
    try {
      return await this.#options.platform.keychain?.read(hashOf(key))
    } catch {
      this.#warn(
        'The keychain cannot be opened, so that its logins cannot be used. Unlock it, or log in again.',
      )
      return undefined
    }
  }

  /** Where they were they stay, so that renewing never asks a keychain that has once refused. */
  async #writeSecrets(credential: Credential, before: Listed['where'] | undefined): Promise<Listed['where']> {
    const { platform } = this.#options
    const text = JSON.stringify(credential)
    const isForced = platform.env[choice] === 'file'
    if (platform.keychain && !isForced && before !== 'file') {
      try {
        await platform.keychain.write(hashOf(credential), text)
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
    this.#warn(
      `There is no keychain that can be used here; logins are kept in ${directory}, which only you can read.`,
    )
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
    return join(this.#options.directory, `${hashOf(key)}.${ending}`)
  }
}
