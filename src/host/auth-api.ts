import { platformOf } from '../config/discover-options.ts'
import type { DiscoverOptions } from '../config/discover-options.ts'
import { serverInForce } from '../config/server-in-force.ts'
import { readSettings } from '../config/settings.ts'
import { hostDirectories } from '../config/own-directories.ts'
import { revealAll } from '../model/resolved.ts'
import type { Account } from '../login/credential.ts'
import type { LoginQuestions } from '../login/login-options.ts'
import { removeAccount, readAccounts, logInTo, logOutOf } from '../login/server-accounts.ts'
import type { ChosenAccount, LoginLimits, LoginPorts } from '../login/server-accounts.ts'
import type { AnswerInput, Answers } from '../model/answers.ts'
import type { Server } from '../model/server.ts'
import { loadPreset } from '../presets/load-preset.ts'

export interface AccountOptions
  extends Pick<DiscoverOptions, 'cwd' | 'platform' | 'preset' | 'sources' | 'trust'>, ChosenAccount {
  /** Values for the inputs that the entry declares. */
  readonly answers?: Answers | AnswerInput
}

export interface LoginOptions extends AccountOptions, LoginQuestions, LoginLimits {}

/** Logs a person in to a server and stores the login. Throws a `HostError` with a code `login.*`. */
export async function login(server: string | Server, options: LoginOptions = {}): Promise<Account> {
  return logInTo(await serverInForce(server, options), options, await portsOf(options))
}

/** Removes the logins to a server, or only that of `options.account`, and revokes them where the issuer supports it. */
export async function logout(
  server: string | Server,
  options: AccountOptions = {},
): Promise<readonly Account[]> {
  return logOutOf(await serverInForce(server, options), options, await portsOf(options))
}

/** Removes one login that `listAccounts` returned, also when no entry refers to it any more. */
export async function forgetAccount(account: Account, options: AccountOptions = {}): Promise<void> {
  return removeAccount(account, options, await portsOf(options))
}

/** Lists all logins, or those to one server, the one in use first. Does not open the keychain. */
export async function listAccounts(
  server?: string | Server,
  options: AccountOptions = {},
): Promise<readonly Account[]> {
  const found = server === undefined ? undefined : await serverInForce(server, options)
  return readAccounts(found, options, await portsOf(options))
}

/** One request at a time is enough to fetch the server's challenge. */
const limits = {
  maxInFlight: { stdio: 1, http: 1 },
  maxBytes: 0,
  hardMaxBytes: 0,
  maxQueued: 0,
  maxQueuedBytes: 0,
}

/** Connects `login/` with configuration, connections and the cache; each is loaded when it is needed. */
async function portsOf(options: AccountOptions): Promise<LoginPorts> {
  const platform = await platformOf(options)
  const { logins, cache } = hostDirectories(platform)
  return {
    platform,
    directory: logins,
    async resolve(server) {
      const { resolveServer } = await import('../config/values/server-resolver.ts')
      return (await resolveServer(server, { ...options, platform })).transport
    },
    async urlOf(server, transport) {
      const { urlOf } = await import('../connections/open-remote.ts')
      return urlOf(transport, { server })
    },
    async openHttp(server, transport, url) {
      const { httpOptions } = await import('../connections/open-remote.ts')
      const http = await httpOptions(url, transport, { platform, server, limits })
      const client = await platform.http(http)
      return { client, headers: revealAll(transport.headers), tls: http.tls }
    },
    async clearCache(server) {
      const { clearCache } = await import('../catalog/server-cache.ts')
      await clearCache({ directory: cache, platform }, [server])
    },
    async loginWords() {
      const preset = options.preset ?? (await readSettings(platform)).settings.preset ?? 'default'
      return (await loadPreset(preset)).words?.login
    },
  }
}
