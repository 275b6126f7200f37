import { platformOf } from '../config/discover-options.ts'
import type { DiscoverOptions } from '../config/discover-options.ts'
import { serverInForce } from '../config/server-in-force.ts'
import { readSettings } from '../config/settings.ts'
import { hostDirectories } from '../config/own-directories.ts'
import { revealAll } from '../model/resolved.ts'
import type { Account } from '../login/credential.ts'
import type { LoginQuestions } from '../login/login-options.ts'
import type { SharedLogins } from '../login/login-store.ts'
import {
  logInTo,
  logOutOf,
  readAccounts,
  removeAccount,
  removeCallerAccounts,
} from '../login/server-accounts.ts'
import type { ChosenAccount, LoginLimits, LoginPorts } from '../login/server-accounts.ts'
import type { AnswerInput, Answers } from '../model/answers.ts'
import type { Server } from '../model/server.ts'
import type { Platform } from '../platform/platform.ts'
import { loadPreset } from '../presets/load-preset.ts'
import { openTeam } from './team/open-team.ts'

export interface AccountOptions
  extends Pick<DiscoverOptions, 'cwd' | 'platform' | 'preset' | 'sources' | 'trust'>, ChosenAccount {
  /** Values for the inputs that the entry declares. */
  readonly answers?: Answers | AnswerInput
}

export interface LoginOptions extends AccountOptions, LoginQuestions, LoginLimits {}

/** Logs a person in to a server and stores the login. Throws a `HostError` with a code `login.*`. */
export async function login(server: string | Server, options: LoginOptions = {}): Promise<Account> {
  return withPorts(options, async (ports) => logInTo(await serverInForce(server, options), options, ports))
}

/** Removes the logins to a server, or only that of `options.account`, and revokes them where the issuer supports it. */
export async function logout(
  server: string | Server,
  options: AccountOptions = {},
): Promise<readonly Account[]> {
  return withPorts(options, async (ports) => logOutOf(await serverInForce(server, options), options, ports))
}

/** Removes one login that `listAccounts` returned, also when no entry refers to it any more. */
export async function forgetAccount(account: Account, options: AccountOptions = {}): Promise<void> {
  return withPorts(options, (ports) => removeAccount(account, options, ports))
}

/** Lists all logins, or those to one server, the one in use first. Does not open the keychain. */
export async function listAccounts(
  server?: string | Server,
  options: AccountOptions = {},
): Promise<readonly Account[]> {
  const found = server === undefined ? undefined : await serverInForce(server, options)
  return withPorts(options, (ports) => readAccounts(found, options, ports))
}

/** One request at a time is enough to fetch the server's challenge. */
const limits = {
  maxInFlight: { stdio: 1, http: 1 },
  maxBytes: 0,
  hardMaxBytes: 0,
  maxQueued: 0,
  maxQueuedBytes: 0,
}

/** The logins of a machine in a team are in its database, which is open meanwhile. */
async function withPorts<T>(options: AccountOptions, work: (ports: LoginPorts) => Promise<T>): Promise<T> {
  const platform = await platformOf(options)
  const team = await openTeam(platform, (await readSettings(platform)).settings)
  if (!team) return work(portsOf(options, platform, undefined))
  try {
    return await work(portsOf(options, platform, await team.logins()))
  } finally {
    await team.close()
  }
}

/** Removes all logins of a caller of a gateway, and revokes them where the issuer supports it. Returns how many there were. */
export async function forgetCaller(caller: string, options: AccountOptions = {}): Promise<number> {
  return withPorts(options, (ports) => removeCallerAccounts(caller, ports))
}

/** Connects `login/` with configuration, connections and the cache; each is loaded when it is needed. */
export function portsOf(
  options: AccountOptions,
  platform: Platform,
  shared: SharedLogins | undefined,
): LoginPorts {
  const { logins, cache } = hostDirectories(platform)
  return {
    platform,
    directory: logins,
    shared,
    async findProvider(server, name) {
      const { findIdentityProvider } = await import('./identity-providers.ts')
      return findIdentityProvider(server, name, { platform })
    },
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
