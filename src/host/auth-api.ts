import { createAsk, trustedFor } from '../login/guarded-http.ts'
import { AuthError } from '../login/auth-error.ts'
import { toAccount } from '../login/credential.ts'
import type { Account } from '../login/credential.ts'
import { declaredOf } from '../login/declared-login.ts'
import type { Declared } from '../login/declared-login.ts'
import { guardFor } from '../login/guard.ts'
import { toHostError } from '../login/login-error.ts'
import type { LoginQuestions } from '../login/login-options.ts'
import { LoginStore } from '../login/login-store.ts'
import { toLoginServer } from '../login/server-key.ts'
import { readSettings } from '../config/settings.ts'
import { hostDirectories } from '../config/own-directories.ts'
import { revealAll } from '../connections/reveal.ts'
import { platformOf } from '../config/discover.ts'
import type { DiscoverOptions } from '../config/discover.ts'
import type { AnswerInput, Answers } from '../model/answers.ts'
import { HostError } from '../model/error.ts'
import { nextCommand } from '../model/next-command.ts'
import type { ResolvedTransport } from '../model/resolved.ts'
import { Redactor } from '../model/secret.ts'
import type { Server } from '../model/server.ts'
import type { Platform } from '../platform/platform.ts'

export interface AccountOptions extends Pick<
  DiscoverOptions,
  'cwd' | 'platform' | 'preset' | 'sources' | 'trust'
> {
  /** Values for what the entry asks for. */
  readonly answers?: Answers | AnswerInput
  /** Which of several logins to one server. */
  readonly account?: string
  readonly signal?: AbortSignal
  /** Learns every secret of the login. */
  readonly redactor?: Redactor
  readonly warn?: (message: string) => void
}

export interface LoginOptions extends AccountOptions, LoginQuestions {
  /** Five minutes unless given. */
  readonly timeoutMs?: number
}

const loginMs = 300_000
const version = '2025-11-25'

type Remote = ResolvedTransport & { readonly kind: 'http' | 'sse' }

interface Place {
  readonly platform: Platform
  readonly store: LoginStore
  readonly transport: Remote
  readonly url: URL
  readonly declared: Declared
}

/** Logs a person in to a server, in whatever way its issuer and this machine allow. */
export async function login(server: Server, options: LoginOptions = {}): Promise<Account> {
  const place = await placeOf(server, options)
  if (!place.declared.isNamed) refuseOwnCredentials(server, place.transport)
  const { clock } = place.platform
  const over = new AbortController()
  const onAbort = () => over.abort(new AuthError('cancelled', 'The login was cancelled.'))
  const timer = clock.timer(options.timeoutMs ?? loginMs, () =>
    over.abort(new AuthError('timeout', 'The login took too long.')),
  )
  if (options.signal?.aborted) onAbort()
  options.signal?.addEventListener('abort', onAbort, { once: true })
  try {
    const [before] = await accountsAt(place.store, place.url)
    const account = await logInAt(server, place, options, over.signal)
    // What a server offers may be one person's alone, and who was there before may have logged out.
    if (!before || !isSamePerson(before, account)) await forgetOffer(server, place.platform)
    return account
  } catch (error) {
    throw toHostError(error, server.name, await isOmp(place.platform, options))
  } finally {
    timer[Symbol.dispose]()
    options.signal?.removeEventListener('abort', onAbort)
  }
}

/** Where a token does not say whose it is, nobody knows. */
function isSamePerson(one: Account, other: Account): boolean {
  const isSame = one.account === other.account && one.issuer === other.issuer
  return isSame && one.who !== undefined && one.who === other.who
}

async function forgetOffer(server: Server, platform: Platform): Promise<void> {
  const { clearCache } = await import('../catalog/cache.ts')
  await clearCache({ directory: hostDirectories(platform).cache, platform }, [server])
}

async function logInAt(
  server: Server,
  place: Place,
  options: LoginOptions,
  signal: AbortSignal,
): Promise<Account> {
  const { platform, store, transport, url, declared } = place
  const [{ logIn }, { probeChallenge }, { httpOptions }] = await Promise.all([
    import('../login/log-in.ts'),
    import('../login/probe.ts'),
    import('../connections/open-remote.ts'),
  ])
  const guard = guardFor(url, declared)
  guard.check(url)
  const limits = { maxInFlight: { stdio: 1, http: 1 }, maxBytes: 0, hardMaxBytes: 0, maxQueued: 0 }
  const reaching = await httpOptions(url, transport, { platform, server, limits })
  const client = await platform.http(reaching)
  const { kind } = transport
  const headers = revealAll(transport.headers)
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
    ask: createAsk({ platform, guard, signal, trusted: trustedFor(url, reaching) }),
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
export async function logout(server: Server, options: AccountOptions = {}): Promise<readonly Account[]> {
  const { platform, store, url, declared } = await placeToLeave(server, options)
  const { logOut } = await import('../login/log-out.ts')
  const theirs = await accountsAt(store, url)
  const chosen = theirs.filter(({ account }) => options.account === undefined || account === options.account)
  for (const account of chosen) await logOut(account, store, declared, platform)
  return chosen
}

/** The same for one as `accounts` lists it, also where no entry leads to it any more. */
export async function forget(account: Account, options: AccountOptions = {}): Promise<void> {
  const platform = platformOf(options)
  const { logOut } = await import('../login/log-out.ts')
  await logOut(account, storeOf(platform, options), declaredOf(), platform)
}

/** Every login, or those to one server, the one that counts first. No keychain is opened. */
export async function accounts(server?: Server, options: AccountOptions = {}): Promise<readonly Account[]> {
  const store = storeOf(platformOf(options), options)
  if (!server) return store.all()
  return accountsAt(store, plainUrlOf(server) ?? (await placeOf(server, options)).url)
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
  platform: Platform,
  { redactor = new Redactor(), warn = () => undefined }: AccountOptions,
): LoginStore {
  return new LoginStore({ platform, directory: hostDirectories(platform).logins, redactor, warn })
}

/** An entry that cannot be used, because it lacks a value or nobody trusts it, can still be left. */
async function placeToLeave(server: Server, options: AccountOptions): Promise<Omit<Place, 'transport'>> {
  try {
    return await placeOf(server, options)
  } catch (error) {
    const url = plainUrlOf(server)
    if (!url) throw error
    const platform = platformOf(options)
    return { platform, store: storeOf(platform, options), url, declared: declaredOf() }
  }
}

async function placeOf(server: Server, options: AccountOptions): Promise<Place> {
  const platform = platformOf(options)
  const [{ resolveServer }, { urlOf }] = await Promise.all([
    import('../config/values/server-resolver.ts'),
    import('../connections/open-remote.ts'),
  ])
  const { transport } = await resolveServer(server, { ...options, platform })
  if (transport.kind === 'stdio') {
    const message = `"${server.name}" is a program on this machine; there is nothing to log in to.`
    throw new HostError('login.failed', { server: server.name, reason: 'off' }, message, {
      hint: `What it needs stands in its entry: ${nextCommand('why', server.name)}`,
    })
  }
  const declared = declaredOf(transport.auth)
  return {
    platform,
    store: storeOf(platform, options),
    transport,
    url: urlOf(transport, { server }),
    declared,
  }
}

/** Whoever writes a token into an entry means that one. */
function refuseOwnCredentials({ name }: Server, { headers, auth, socketPath }: Remote): void {
  const isFixed = Object.keys(headers).some((header) => header.toLowerCase() === 'authorization')
  if (socketPath !== undefined) {
    const message = `"${name}" is reached over a socket of this machine, which is no place for a login.`
    throw new HostError('login.failed', { server: name, reason: 'off' }, message)
  }
  if (!isFixed && auth?.['type'] !== 'bearer') return
  const message = `"${name}" has credentials in its entry, so that nobody logs in to it.`
  throw new HostError('login.failed', { server: name, reason: 'off' }, message, {
    hint: `Take them out of the entry first: ${nextCommand('why', name)}`,
  })
}

async function isOmp(platform: Platform, { preset }: LoginOptions): Promise<boolean> {
  return (preset ?? (await readSettings(platform)).settings.preset) === 'omp'
}
