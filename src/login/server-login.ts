import type { HttpHeaders, HttpOptions } from '../platform/platform.ts'
import { createGuardedHttp, guardFor, trustedCertificateFor } from './guarded-http.ts'
import type { SendGuardedRequest, GuardedHttpOptions, AddressGuard } from './guarded-http.ts'
import { parseChallenge } from './challenge.ts'
import { AuthError } from './auth-error.ts'
import { hashLoginKey, toLoginServer } from './credential.ts'
import type { Account, Credential } from './credential.ts'
import type { DeclaredLogin } from './declared-login.ts'
import type { IdentityProvider } from './identity-provider.ts'
import { createProof } from './jwt.ts'
import type { Logins, OnLogin } from './logins.ts'

/** The request that a token is for. */
export interface TokenUse {
  readonly method: string
  readonly url: URL
  /** The headers of the response that refused the previous token. */
  readonly answer?: HttpHeaders
}

interface ConnectionOptions {
  readonly onAccountChange: () => void
  readonly tls: HttpOptions['tls'] | undefined
  readonly readAgain: (() => Promise<DeclaredLogin>) | undefined
}

/** How long before its expiry a token is renewed: a part of its lifetime, at most a minute, with jitter (T33). */
const renewalMargin = { maxMs: 60_000, part: 0.1 } as const
/** After a failed renewal, requests use the old token for this long instead of waiting for the issuer. */
const retryPauseMs = 30_000

/** The login of one server, as its requests use it. */
export class ServerLogin {
  readonly server: URL
  readonly declared: DeclaredLogin
  readonly #logins: Logins
  readonly #closing = new AbortController()
  readonly #trusted: GuardedHttpOptions['trusted']
  readonly onAccountChange: () => void
  readonly #readAgain: ConnectionOptions['readAgain']
  readonly #jitter = 0.8 + Math.random() * 0.4
  #credential: Credential | undefined
  #isLoaded = false
  #nonce: string | undefined
  #retryAt = 0

  constructor(
    logins: Logins,
    server: URL,
    declared: DeclaredLogin,
    { onAccountChange, tls, readAgain }: ConnectionOptions,
  ) {
    this.#logins = logins
    this.#trusted = trustedCertificateFor(server, tls)
    this.onAccountChange = onAccountChange
    this.#readAgain = readAgain
    this.server = server
    this.declared = declared
  }

  /** Synchronous when the credential is loaded and fresh. */
  headers(use: TokenUse): HttpHeaders | Promise<HttpHeaders> {
    if (this.#isLoaded && !this.#needsRenewal(this.#credential)) return this.#toHeaders(this.#credential, use)
    return this.#current().then((credential) => this.#toHeaders(credential, use))
  }

  /** Headers newer than the refused ones, or the same if there are none. Throws when the renewal failed. */
  async renewHeaders(refused: HttpHeaders, use: TokenUse): Promise<HttpHeaders> {
    const { answer = {} } = use
    const nonce = answer['dpop-nonce']
    if (nonce !== undefined && parseChallenge(answer['www-authenticate'])?.error === 'use_dpop_nonce') {
      this.#nonce = nonce
      return this.headers(use)
    }
    this.invalidate()
    const credential = await this.#read()
    if (!credential) return this.#logInUnattended(refused, use)
    if (readToken(refused) !== credential.tokens.access) return this.#toHeaders(credential, use)
    return this.#toHeaders(await this.#renew(credential), use)
  }

  /** The bare access token, for a caller that does not send headers. */
  async token(account: Account): Promise<string | undefined> {
    this.#remember(await this.#logins.read(account))
    return (await this.#current())?.tokens.access
  }

  /** Scopes of the challenge that no login has requested yet: requesting the same again would not help. */
  missingScopes(challenge: string | undefined): readonly string[] | undefined {
    const { error, scopes = [] } = parseChallenge(challenge) ?? {}
    const asked = this.#credential?.asked
    if (error !== 'insufficient_scope' || !asked) return undefined
    const missing = scopes.filter((scope) => !asked.includes(scope))
    return missing.length > 0 ? missing : undefined
  }

  /** Calls `onLogin` once, after the next login. */
  wait(owner: string, onLogin: OnLogin): Promise<void> {
    return this.#logins.wait(this, owner, onLogin)
  }

  /** The hash of the account in use, once a credential was loaded. */
  get account(): string | undefined {
    return this.#credential && hashLoginKey(this.#credential)
  }

  /** Rereads the credential before the next request. */
  invalidate(): void {
    this.#isLoaded = false
  }

  close(): void {
    this.#closing.abort()
    this.#logins.release(this)
  }

  async #current(): Promise<Credential | undefined> {
    const credential = this.#isLoaded ? this.#credential : await this.#read()
    const { clock } = this.#logins.options.platform
    if (!credential || !this.#needsRenewal(credential) || clock.monotonic() < this.#retryAt) return credential
    try {
      return await this.#renew(credential)
    } catch {
      // The old token may still work; if the server refuses it, the renewal is tried again.
      this.#retryAt = clock.monotonic() + retryPauseMs
      return credential
    }
  }

  async #read(): Promise<Credential | undefined> {
    const account = await this.#logins.choose(this.server, this.declared)
    const credential = await this.#logins.read(account)
    if (credential) await this.#logins.watch()
    this.#remember(credential)
    return credential
  }

  async #renew(credential: Credential): Promise<Credential> {
    const { renew } = await import('./renew.ts')
    const { store, options } = this.#logins
    const { platform, findProvider } = options
    // Without a signal: once a refresh token was sent, aborting could lose its replacement.
    const { send } = this.#guardedHttp()
    const now = () => platform.clock.now()
    const renewed = await this.#unlessRefused(await this.#currentSettings(), (declared) =>
      renew(credential, { store, send, now, declared, platform, findProvider }),
    )
    this.#remember(renewed)
    return renewed
  }

  /** Logs in where that needs no person: as a client, as a workload, or by an identity provider. */
  async #logInUnattended(refused: HttpHeaders, use: TokenUse): Promise<HttpHeaders> {
    // T31: what needs no person would not be the account of the caller.
    if (this.declared.isOff || this.declared.caller !== undefined) return refused
    const provider = await this.#usableProvider()
    if (this.declared.grant === 'authorization_code' && !provider) return refused
    const credential = await this.#unlessRefused(await this.#currentSettings(), (declared) =>
      this.#logIn(declared, provider, use),
    )
    this.#remember(credential)
    return this.#toHeaders(credential, use)
  }

  async #logIn(
    declared: DeclaredLogin,
    provider: IdentityProvider | undefined,
    use: TokenUse,
  ): Promise<Credential> {
    const { logIn } = await import('./log-in.ts')
    const { store, options } = this.#logins
    return logIn({
      server: this.server,
      declared,
      provider,
      account: declared.account ?? 'default',
      challenge: parseChallenge(use.answer?.['www-authenticate']),
      version: use.answer?.['mcp-protocol-version'] ?? '2025-11-25',
      signal: this.#closing.signal,
      store,
      platform: options.platform,
      ...this.#guardedHttp(this.#closing.signal, provider),
    })
  }

  /** The identity provider of this server, if it can be asked without a person. */
  async #usableProvider(): Promise<IdentityProvider | undefined> {
    const { store, options } = this.#logins
    const { grant, provider: name } = this.declared
    if (grant !== 'authorization_code') return undefined
    const provider = await options.findProvider?.(this.server, name)
    if (!provider) return undefined
    const { hasSubject } = await import('./enterprise-login.ts')
    return (await hasSubject(provider, store)) ? provider : undefined
  }

  async #currentSettings(): Promise<DeclaredLogin> {
    return this.declared.grant === 'jwt_bearer'
      ? ((await this.#readAgain?.()) ?? this.declared)
      : this.declared
  }

  /** An assertion that was refused is not sent again; the next one may be. */
  async #unlessRefused<T>(
    declared: DeclaredLogin,
    work: (declared: DeclaredLogin) => Promise<T>,
  ): Promise<T> {
    const { assertion = '', grant } = declared
    if (grant !== 'jwt_bearer') return work(declared)
    const { refusals } = this.#logins
    const key = toLoginServer(this.server)
    const before = refusals.get(key)
    if (before?.assertion === assertion) throw before.error
    try {
      return await work(declared)
    } catch (error) {
      if (error instanceof AuthError && error.reason === 'refused') refusals.set(key, { assertion, error })
      throw error
    }
  }

  #guardedHttp(
    signal?: AbortSignal,
    provider?: IdentityProvider,
  ): { readonly send: SendGuardedRequest; readonly guard: AddressGuard } {
    const guard = guardFor(this.server, this.declared, Object.keys(provider?.clients ?? {}))
    const { platform } = this.#logins.options
    return { guard, send: createGuardedHttp({ platform, guard, signal, trusted: this.#trusted }) }
  }

  #remember(credential: Credential | undefined): void {
    this.#credential = credential
    this.#isLoaded = true
  }

  #needsRenewal(credential: Credential | undefined): credential is Credential {
    if (!credential) return false
    const { expiresAt, issuedAt, refresh } = credential.tokens
    if (expiresAt === undefined || (refresh === undefined && credential.grant === 'authorization_code'))
      return false
    const before = Math.min(renewalMargin.maxMs, (expiresAt - issuedAt) * renewalMargin.part) * this.#jitter
    return this.#logins.options.platform.clock.now() >= expiresAt - before
  }

  // Async, so that an invalid key rejects instead of throwing synchronously.
  async #toProofHeaders(credential: Credential, { method, url }: TokenUse): Promise<HttpHeaders> {
    const { tokens, proofKey = {} } = credential
    const now = this.#logins.options.platform.clock.now()
    const proof = createProof(proofKey, { method, url, now, accessToken: tokens.access, nonce: this.#nonce })
    return { authorization: `DPoP ${tokens.access}`, dpop: proof }
  }

  #toHeaders(credential: Credential | undefined, use: TokenUse): HttpHeaders | Promise<HttpHeaders> {
    if (!credential) return {}
    if (credential.tokens.type === 'DPoP' && credential.proofKey) return this.#toProofHeaders(credential, use)
    return { authorization: `Bearer ${credential.tokens.access}` }
  }
}

function readToken(headers: HttpHeaders): string | undefined {
  return /^(?:Bearer|DPoP) (.+)$/.exec(headers['authorization'] ?? '')?.[1]
}
