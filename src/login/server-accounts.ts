import { onAbort } from '../model/abort.ts'
import { HostError } from '../model/error.ts'
import { nextCommand } from '../model/next-command.ts'
import type { LoginWords } from '../model/preset.ts'
import type { ResolvedTransport } from '../model/resolved.ts'
import { Redactor } from '../model/secret.ts'
import type { Server } from '../model/server.ts'
import type { HttpClient, HttpHeaders, HttpOptions, Platform } from '../platform/platform.ts'
import { AuthError, toHostError } from './auth-error.ts'
import { toAccount, toLoginServer } from './credential.ts'
import type { Account } from './credential.ts'
import { declaredOf } from './declared-login.ts'
import type { Declared } from './declared-login.ts'
import { createAsk, guardFor, trustedFor } from './guarded-http.ts'
import type { LoginQuestions } from './login-options.ts'
import { LoginStore } from './login-store.ts'
import { namesAuthorization } from './token-headers.ts'

/** What logging in needs from the rest of the host, which this room does not import. */
export interface LoginPorts {
  readonly platform: Platform
  /** Where logins are stored. */
  readonly directory: string
  /** Looks up the values of an entry. */
  resolve(server: Server): Promise<ResolvedTransport>
  /** Rejects where the entry holds no http or https address. */
  urlOf(server: Server, transport: Remote): Promise<URL>
  openHttp(server: Server, transport: Remote, url: URL): Promise<OpenedHttp>
  /** Removes what is cached of the server's offer. */
  clearCache(server: Server): Promise<void>
  /** The sentences for errors of the system in force, where it has its own (O20). */
  loginWords(): Promise<LoginWords | undefined>
}

export type Remote = ResolvedTransport & { readonly kind: 'http' | 'sse' }

/** A client for the server itself, connected as its entry says. */
export interface OpenedHttp {
  readonly client: HttpClient
  /** The entry's own. */
  readonly headers: HttpHeaders
  readonly tls: HttpOptions['tls'] | undefined
}

export interface ChosenAccount {
  /** Which of several logins to one server. */
  readonly account?: string
  readonly signal?: AbortSignal
  /** Learns every secret of the login. */
  readonly redactor?: Redactor
  readonly warn?: (message: string) => void
}

export interface LoginLimits {
  /** Five minutes unless given. */
  readonly timeoutMs?: number
}

type LogInOptions = ChosenAccount & LoginQuestions & LoginLimits

const loginMs = 300_000
const version = '2025-11-25'

interface Place {
  readonly store: LoginStore
  readonly transport: Remote
  readonly url: URL
  readonly declared: Declared
}

/** Logs a person in to a server, in whatever way its issuer and this machine allow. */
export async function logInTo(server: Server, options: LogInOptions, ports: LoginPorts): Promise<Account> {
  const place = await placeOf(server, options, ports)
  if (!place.declared.isNamed) refuseOwnCredentials(server, place.transport)
  const { clock } = ports.platform
  const over = new AbortController()
  const timer = clock.timer(options.timeoutMs ?? loginMs, () =>
    over.abort(new AuthError('timeout', 'The login took too long.')),
  )
  const listening = onAbort(options.signal, () =>
    over.abort(new AuthError('cancelled', 'The login was cancelled.')),
  )
  try {
    const [before] = await accountsAt(place.store, place.url)
    const account = await logInAt(server, place, options, ports, over.signal)
    // What a server offers may be one person's alone, and who was there before may have logged out.
    if (!before || !isSamePerson(before, account)) await ports.clearCache(server)
    return account
  } catch (error) {
    throw toHostError(error, server.name, await ports.loginWords())
  } finally {
    timer[Symbol.dispose]()
    listening[Symbol.dispose]()
  }
}

/** Where a token does not say whose it is, nobody knows. */
function isSamePerson(one: Account, other: Account): boolean {
  const isSame = one.account === other.account && one.issuer === other.issuer
  return isSame && one.who !== undefined && one.who === other.who
}

async function logInAt(
  server: Server,
  place: Place,
  options: LogInOptions,
  ports: LoginPorts,
  signal: AbortSignal,
): Promise<Account> {
  const { platform } = ports
  const { store, transport, url, declared } = place
  const [{ logIn }, { probeChallenge }] = await Promise.all([import('./log-in.ts'), import('./challenge.ts')])
  const guard = guardFor(url, declared)
  guard.check(url)
  const { client, headers, tls } = await ports.openHttp(server, transport, url)
  const { kind } = transport
  const challenge = await probeChallenge({ client, url, kind, headers, clock: platform.clock, signal })
  const { flow, scopes, port, open, paste, tell } = options
  const credential = await logIn({
    server: url,
    account: options.account ?? declared.account ?? 'default',
    declared,
    challenge,
    version,
    signal,
    guard,
    ask: createAsk({ platform, guard, signal, trusted: trustedFor(url, tls) }),
    store,
    platform,
    ...(flow && { flow }),
    ...(scopes && { scopes }),
    ...(port !== undefined && { port }),
    ...(open && { open }),
    ...(paste && { paste }),
    ...(tell && { tell }),
  })
  return toAccount(credential)
}

/** Forgets logins to a server, the issuer's half too where it has one; all of them unless one is named. */
export async function logOutOf(
  server: Server,
  options: ChosenAccount,
  ports: LoginPorts,
): Promise<readonly Account[]> {
  const { store, url, declared } = await placeToLeave(server, options, ports)
  const theirs = await accountsAt(store, url)
  const chosen = theirs.filter(({ account }) => options.account === undefined || account === options.account)
  for (const account of chosen) await logOut(account, store, declared, ports)
  return chosen
}

/** The same for one as `listAccounts` lists it, also where no entry leads to it any more. */
export async function forgetAccount(
  account: Account,
  options: ChosenAccount,
  ports: LoginPorts,
): Promise<void> {
  await logOut(account, storeOf(ports, options), declaredOf(), ports)
}

/** Forgets a login, and tells the issuer. It is forgotten here whatever the issuer says. */
async function logOut(
  account: Account,
  store: LoginStore,
  declared: Declared,
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

/** Every login, or those to one server, the one that counts first. No keychain is opened. */
export async function listAccounts(
  server: Server | undefined,
  options: ChosenAccount,
  ports: LoginPorts,
): Promise<readonly Account[]> {
  const store = storeOf(ports, options)
  if (!server) return store.all()
  return accountsAt(store, plainUrlOf(server) ?? (await placeOf(server, options, ports)).url)
}

/** Where nothing has to be looked up for it: to show something, no command is run (D-9). */
function plainUrlOf({ transport }: Server): URL | undefined {
  const isPlain = transport.kind !== 'stdio' && /^https?:\/\/[^${}!]+$/.test(transport.url)
  return isPlain && URL.canParse(transport.url) ? new URL(transport.url) : undefined
}

async function accountsAt(store: LoginStore, url: URL): Promise<readonly Account[]> {
  const key = toLoginServer(url)
  return (await store.all()).filter((account) => account.server === key)
}

function storeOf(
  { platform, directory }: LoginPorts,
  { redactor = new Redactor(), warn = () => undefined }: ChosenAccount,
): LoginStore {
  return new LoginStore({ platform, directory, redactor, warn })
}

/** An entry that cannot be used, because it lacks a value or nobody trusts it, can still be left. */
async function placeToLeave(
  server: Server,
  options: ChosenAccount,
  ports: LoginPorts,
): Promise<Omit<Place, 'transport'>> {
  try {
    return await placeOf(server, options, ports)
  } catch (error) {
    const url = plainUrlOf(server)
    if (!url) throw error
    return { store: storeOf(ports, options), url, declared: declaredOf() }
  }
}

async function placeOf(server: Server, options: ChosenAccount, ports: LoginPorts): Promise<Place> {
  const transport = await ports.resolve(server)
  if (transport.kind === 'stdio') {
    const message = `"${server.name}" is a program on this machine; there is nothing to log in to.`
    throw new HostError('login.failed', { server: server.name, reason: 'off' }, message, {
      hint: `What it needs stands in its entry: ${nextCommand('why', server.name)}`,
    })
  }
  const declared = declaredOf(transport.auth)
  return { store: storeOf(ports, options), transport, url: await ports.urlOf(server, transport), declared }
}

/** Whoever writes a token into an entry means that one. */
function refuseOwnCredentials({ name }: Server, { headers, auth, socketPath }: Remote): void {
  if (socketPath !== undefined) {
    const message = `"${name}" is reached over a socket of this machine, which is no place for a login.`
    throw new HostError('login.failed', { server: name, reason: 'off' }, message)
  }
  if (!namesAuthorization(headers) && auth?.['type'] !== 'bearer') return
  const message = `"${name}" has credentials in its entry, so that nobody logs in to it.`
  throw new HostError('login.failed', { server: name, reason: 'off' }, message, {
    hint: `Take them out of the entry first: ${nextCommand('why', name)}`,
  })
}
