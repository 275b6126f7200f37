import { onAbort } from '../model/abort.ts'
import { HostError } from '../model/error.ts'
import { nextCommand } from '../model/next-command.ts'
import type { LoginWords } from '../model/preset.ts'
import type { ResolvedTransport } from '../model/resolved.ts'
import { Redactor } from '../model/secrets/redactor.ts'
import type { Server } from '../model/server.ts'
import type { HttpClient, HttpHeaders, HttpOptions, Platform } from '../platform/platform.ts'
import { plainUrl } from './account-in-use.ts'
import { AuthError, toHostError } from './auth-error.ts'
import { toAccount, toLoginServer } from './credential.ts'
import type { Account } from './credential.ts'
import { forCaller, readDeclaredLogin } from './declared-login.ts'
import type { DeclaredLogin } from './declared-login.ts'
import { createGuardedHttp, guardFor, trustedCertificateFor } from './guarded-http.ts'
import type { FindProvider, IdentityProvider } from './identity-provider.ts'
import type { LoginQuestions, LoginRequest } from './login-options.ts'
import { chooseAccount } from './logins.ts'
import { LoginStore } from './login-store.ts'
import type { SharedLogins } from './login-store.ts'
import { hasAuthorization, whyNotPerCaller } from './token-headers.ts'

/** The parts of the host that logging in needs; passed in, because `login/` does not import them. */
export interface LoginPorts {
  readonly platform: Platform
  /** Where logins are stored. */
  readonly directory: string
  /** The logins of a team, in their place. */
  readonly shared?: SharedLogins | undefined
  /** Resolves the values of an entry. */
  resolve(server: Server): Promise<ResolvedTransport>
  /** The identity providers of the person's settings. */
  readonly findProvider: FindProvider
  /** Rejects when the entry has no http or https address. */
  urlOf(server: Server, transport: RemoteTransport): Promise<URL>
  openHttp(server: Server, transport: RemoteTransport, url: URL): Promise<OpenedHttp>
  /** Removes the cached tools, resources and prompts of the server. */
  clearCache(server: Server): Promise<void>
  /** The error texts of the system in force, if it has its own (O20). */
  loginWords(): Promise<LoginWords | undefined>
}

export type RemoteTransport = ResolvedTransport & { readonly kind: 'http' | 'sse' }

/** A client for the server itself, connected as its entry says. */
export interface OpenedHttp {
  readonly client: HttpClient
  /** The headers of the entry. */
  readonly headers: HttpHeaders
  readonly tls: HttpOptions['tls'] | undefined
}

export interface ChosenAccount {
  /** Selects one of several logins to a server. */
  readonly account?: string
  readonly signal?: AbortSignal
  readonly warn?: (message: string) => void
}

export interface LoginLimits {
  /** Default: five minutes. */
  readonly timeoutMs?: number
}

type LogInOptions = ChosenAccount & LoginQuestions & LoginLimits

const loginMs = 300_000
/** For one half of a login, which waits for no person. */
const halfMs = 30_000
const version = '2025-11-25'

interface LoginTarget {
  readonly store: LoginStore
  readonly transport: RemoteTransport
  readonly url: URL
  readonly declared: DeclaredLogin
}

/** Logs a person in to a server. */
export async function logInTo(server: Server, options: LogInOptions, ports: LoginPorts): Promise<Account> {
  const target = await targetOf(server, options, ports)
  if (!target.declared.isNamed) refuseOwnCredentials(server, target.transport)
  const { clock } = ports.platform
  const cancellation = new AbortController()
  const timer = clock.timer(options.timeoutMs ?? loginMs, () =>
    cancellation.abort(new AuthError('timeout', 'The login took too long.')),
  )
  const listening = onAbort(options.signal, () =>
    cancellation.abort(new AuthError('cancelled', 'The login was cancelled.')),
  )
  try {
    const [before] = await accountsAt(target.store, target.url)
    const account = await runLogin(server, target, options, ports, cancellation.signal)
    // The cached catalog may be specific to the earlier person.
    if (!before || !isSamePerson(before, account)) await ports.clearCache(server)
    return account
  } catch (error) {
    throw toHostError(error, server.name, await ports.loginWords())
  } finally {
    timer[Symbol.dispose]()
    listening[Symbol.dispose]()
  }
}

/** Without a name in both tokens the person counts as different. */
function isSamePerson(one: Account, other: Account): boolean {
  const isSame = one.account === other.account && one.issuer === other.issuer
  return isSame && one.who !== undefined && one.who === other.who
}

async function runLogin(
  server: Server,
  target: LoginTarget,
  options: LogInOptions,
  ports: LoginPorts,
  signal: AbortSignal,
): Promise<Account> {
  const { declared, url } = target
  const { logIn } = await import('./log-in.ts')
  const provider =
    declared.grant === 'authorization_code' && !declared.isOff
      ? await ports.findProvider(url, declared.provider)
      : undefined
  const request = await toRequest(server, target, { ...ports, provider }, signal)
  const { flow, scopes, port, open, paste, tell } = options
  const credential = await logIn({
    ...request,
    account: options.account ?? declared.account ?? 'default',
    isAttended: true,
    ...(flow && { flow }),
    ...(scopes && { scopes }),
    ...(port !== undefined && { port }),
    ...(open && { open }),
    ...(paste && { paste }),
    ...(tell && { tell }),
  })
  return toAccount(credential)
}

/** Asks the server for its challenge, and joins everything that its login needs. */
async function toRequest(
  server: Server,
  { store, transport, url, declared }: LoginTarget,
  ports: LoginPorts & { readonly provider: IdentityProvider | undefined },
  signal: AbortSignal,
): Promise<LoginRequest> {
  const { platform, provider } = ports
  const { probeChallenge } = await import('./challenge.ts')
  const guard = guardFor(url, declared, Object.keys(provider?.clients ?? {}))
  guard.check(url)
  const { client, headers, tls } = await ports.openHttp(server, transport, url)
  const { kind } = transport
  const challenge = await probeChallenge({ client, url, kind, headers, clock: platform.clock, signal })
  return {
    server: url,
    account: 'default',
    declared,
    provider,
    challenge,
    version,
    signal,
    guard,
    send: createGuardedHttp({ platform, guard, signal, trusted: trustedCertificateFor(url, tls) }),
    store,
    platform,
  }
}

/** Runs a half of the login of a caller of a gateway, with an account of its own. */
export async function runCallerLogin<T>(
  server: Server,
  caller: string,
  ports: LoginPorts,
  run: (request: LoginRequest) => Promise<T>,
): Promise<T> {
  const target = await targetOf(server, {}, ports)
  const why = whyNotPerCaller(target.transport)
  if (why !== undefined)
    throw new HostError(
      'login.failed',
      { server: server.name, reason: 'off' },
      `Callers cannot log in to "${server.name}" with accounts of their own: ${why}.`,
    )
  const declared = forCaller(target.declared, caller)
  const over = new AbortController()
  const timer = ports.platform.clock.timer(halfMs, () =>
    over.abort(new AuthError('timeout', 'The login took too long.')),
  )
  try {
    const own = { ...ports, provider: undefined }
    return await run(await toRequest(server, { ...target, declared }, own, over.signal))
  } catch (error) {
    throw toHostError(error, server.name, await ports.loginWords())
  } finally {
    timer[Symbol.dispose]()
  }
}

/** The login of a caller to a server, if there is one. */
export async function readCallerAccount(
  server: Server,
  caller: string,
  ports: LoginPorts,
): Promise<Account | undefined> {
  const { store, url, declared } = await targetOf(server, {}, ports)
  return chooseAccount(await store.all(), url, forCaller(declared, caller))
}

/** Calls back when logins change, in this process or in another one. */
export function watchAccounts(ports: LoginPorts, onChange: () => void): Promise<Disposable> {
  return openStore(ports, {}).watch(onChange)
}

/** Removes all logins of a caller, and revokes their tokens where the issuer supports it. Returns how many there were. */
export async function removeCallerAccounts(caller: string, ports: LoginPorts): Promise<number> {
  const store = openStore(ports, {})
  const found = (await store.all()).filter((account) => account.caller === caller)
  for (const account of found) await logOut(account, store, readDeclaredLogin(), ports)
  return found.length
}

/**
 * Removes the logins to a server, or the one of `options.account`, and revokes their tokens where the issuer supports
 * it.
 */
export async function logOutOf(
  server: Server,
  options: ChosenAccount,
  ports: LoginPorts,
): Promise<readonly Account[]> {
  const { store, url, declared } = await logoutTarget(server, options, ports)
  const serverAccounts = await accountsAt(store, url)
  const chosen = serverAccounts.filter(
    ({ account }) => options.account === undefined || account === options.account,
  )
  for (const account of chosen) await logOut(account, store, declared, ports)
  return chosen
}

/** Removes one listed login, also when no entry refers to it any more. */
export async function removeAccount(
  account: Account,
  options: ChosenAccount,
  ports: LoginPorts,
): Promise<void> {
  await logOut(account, openStore(ports, options), readDeclaredLogin(), ports)
}

/** Removes a login and revokes its token. It is removed even if the revocation fails. */
async function logOut(
  account: Account,
  store: LoginStore,
  declared: DeclaredLogin,
  { platform }: LoginPorts,
): Promise<void> {
  const credential = await store.locked(account, async () => {
    const found = await store.read(account)
    await store.remove(account)
    return found
  })
  if (credential?.revocationEndpoint === undefined) return
  const { revokeTokens } = await import('./token-request.ts')
  await revokeTokens(credential, credential.revocationEndpoint, declared, platform).catch(() => undefined)
}

/** Lists all logins of the person, or those to one server, the one in use first. Does not open the keychain. */
export async function readAccounts(
  server: Server | undefined,
  options: ChosenAccount,
  ports: LoginPorts,
): Promise<readonly Account[]> {
  const store = openStore(ports, options)
  if (!server) return (await store.all()).filter(({ caller }) => caller === undefined)
  return accountsAt(store, plainUrlOf(server) ?? (await targetOf(server, options, ports)).url)
}

/** The address, if it has no placeholders: a listing must not run commands to resolve values (D-9). */
function plainUrlOf({ transport }: Server): URL | undefined {
  return transport.kind === 'stdio' ? undefined : plainUrl(transport.url)
}

async function accountsAt(store: LoginStore, url: URL): Promise<readonly Account[]> {
  const key = toLoginServer(url)
  return (await store.all()).filter((account) => account.server === key && account.caller === undefined)
}

function openStore(
  { platform, directory, shared }: LoginPorts,
  { warn = () => undefined }: ChosenAccount,
): LoginStore {
  return new LoginStore({ platform, directory, shared, redactor: new Redactor(), warn })
}

/** Registers the tokens of logins that are in files, so that no other text keeps one. */
export async function registerLogins(
  { platform, directory }: Pick<LoginPorts, 'platform' | 'directory'>,
  redactor: Redactor,
): Promise<void> {
  await new LoginStore({ platform, directory, redactor, warn: () => undefined }).registerFiles()
}

/** Logging out also works for an entry that cannot be resolved, because a value is missing or it is not trusted. */
async function logoutTarget(
  server: Server,
  options: ChosenAccount,
  ports: LoginPorts,
): Promise<Omit<LoginTarget, 'transport'>> {
  try {
    return await targetOf(server, options, ports)
  } catch (error) {
    const url = plainUrlOf(server)
    if (!url) throw error
    return { store: openStore(ports, options), url, declared: readDeclaredLogin() }
  }
}

async function targetOf(server: Server, options: ChosenAccount, ports: LoginPorts): Promise<LoginTarget> {
  const transport = await ports.resolve(server)
  if (transport.kind === 'stdio') {
    const message = `"${server.name}" is a program on this machine; there is nothing to log in to.`
    throw new HostError('login.failed', { server: server.name, reason: 'off' }, message, {
      hint: `See what its entry needs: ${nextCommand('why', server.name)}`,
    })
  }
  const declared = readDeclaredLogin(transport.auth)
  return { store: openStore(ports, options), transport, url: await ports.urlOf(server, transport), declared }
}

/** Credentials in the entry take precedence over a login. */
function refuseOwnCredentials({ name }: Server, { headers, auth, socketPath }: RemoteTransport): void {
  if (socketPath !== undefined) {
    const message = `"${name}" is reached over a local socket, where logins are not used.`
    throw new HostError('login.failed', { server: name, reason: 'off' }, message)
  }
  if (!hasAuthorization(headers) && auth?.['type'] !== 'bearer') return
  const message = `"${name}" has credentials in its entry, so a login would not be used.`
  throw new HostError('login.failed', { server: name, reason: 'off' }, message, {
    hint: `Remove them from the entry first: ${nextCommand('why', name)}`,
  })
}
