import type { HttpHeaders, HttpOptions } from '../platform/platform.ts'
import { createAsk, guardFor, trustedFor } from './guarded-http.ts'
import type { Ask, AskOptions, Guard } from './guarded-http.ts'
import { parseChallenge } from './challenge.ts'
import { hashOf } from './credential.ts'
import type { Account, Credential } from './credential.ts'
import type { Declared } from './declared-login.ts'
import { proofFor } from './jwt.ts'
import type { Logins, OnLogin } from './logins.ts'

/** What a token is put on. */
export interface Use {
  readonly method: string
  readonly url: URL
  /** The headers of the answer that refused the last one. */
  readonly answer?: HttpHeaders
}

interface ServerLoginOptions {
  readonly onOther: () => void
  readonly tls: HttpOptions['tls'] | undefined
}

/** Before a token runs out it is renewed; how long before depends on how long it lives, and on chance (T33). */
const early = { mostMs: 60_000, part: 0.1 } as const
/** An issuer that does not answer is not waited for by every request. */
const restMs = 30_000

/** The login of one server, as its requests use it. */
export class ServerLogin {
  readonly server: URL
  readonly declared: Declared
  readonly #logins: Logins
  readonly #ending = new AbortController()
  readonly #trusted: AskOptions['trusted']
  readonly onOther: () => void
  readonly #jitter = 0.8 + Math.random() * 0.4
  #known: Credential | undefined
  #isKnown = false
  #nonce: string | undefined
  #restsUntil = 0

  constructor(logins: Logins, server: URL, declared: Declared, { onOther, tls }: ServerLoginOptions) {
    this.#logins = logins
    this.#trusted = trustedFor(server, tls)
    this.onOther = onOther
    this.server = server
    this.declared = declared
  }

  /** At once where nothing has to be looked up. */
  headers(use: Use): HttpHeaders | Promise<HttpHeaders> {
    if (this.#isKnown && !this.#isDue(this.#known)) return this.#toHeaders(this.#known, use)
    return this.#current().then((credential) => this.#toHeaders(credential, use))
  }

  /** Newer ones than these, or the same where there are none. Throws where renewing failed. */
  async renewed(refused: HttpHeaders, use: Use): Promise<HttpHeaders> {
    const { answer = {} } = use
    const nonce = answer['dpop-nonce']
    if (nonce !== undefined && parseChallenge(answer['www-authenticate'])?.error === 'use_dpop_nonce') {
      this.#nonce = nonce
      return this.headers(use)
    }
    this.forget()
    const credential = await this.#read()
    if (!credential) return this.#logInAlone(refused, use)
    if (tokenOf(refused) !== credential.tokens.access) return this.#toHeaders(credential, use)
    return this.#toHeaders(await this.#renew(credential), use)
  }

  /** For who has no use for headers. */
  async token(account: Account): Promise<string | undefined> {
    this.#know(await this.#logins.read(account))
    return (await this.#current())?.tokens.access
  }

  /** Scopes that a login could ask for and has not asked for yet: asking twice for the same helps nobody. */
  lacking(challenge: string | undefined): readonly string[] | undefined {
    const { error, scopes = [] } = parseChallenge(challenge) ?? {}
    const asked = this.#known?.asked
    if (error !== 'insufficient_scope' || !asked) return undefined
    const missing = scopes.filter((scope) => !asked.includes(scope))
    return missing.length > 0 ? missing : undefined
  }

  /** Calls back once when somebody has logged in. */
  wait(owner: string, onLogin: OnLogin): Promise<void> {
    return this.#logins.wait(this, owner, onLogin)
  }

  /** The account it is used with, as far as it was looked for. */
  get account(): string | undefined {
    return this.#known && hashOf(this.#known)
  }

  /** Something about logins changed. */
  forget(): void {
    this.#isKnown = false
  }

  close(): void {
    this.#ending.abort()
    this.#logins.drop(this)
  }

  async #current(): Promise<Credential | undefined> {
    const credential = this.#isKnown ? this.#known : await this.#read()
    const { clock } = this.#logins.options.platform
    if (!credential || !this.#isDue(credential) || clock.monotonic() < this.#restsUntil) return credential
    try {
      return await this.#renew(credential)
    } catch {
      // The server has the last word: if it does not take the old one any more, renewing is tried once again.
      this.#restsUntil = clock.monotonic() + restMs
      return credential
    }
  }

  async #read(): Promise<Credential | undefined> {
    const account = await this.#logins.choose(this.server, this.declared)
    const credential = await this.#logins.read(account)
    if (credential) await this.#logins.watch()
    this.#know(credential)
    return credential
  }

  async #renew(credential: Credential): Promise<Credential> {
    const { renew } = await import('./renew.ts')
    const { store, options } = this.#logins
    // Once a token was sent for renewal, only the answer is worth anything: nobody gives that up.
    const { ask } = this.#asking()
    const now = () => options.platform.clock.now()
    const renewed = await renew(credential, { store, ask, now, declared: this.declared })
    this.#know(renewed)
    return renewed
  }

  /** Where no person is needed, none is asked. */
  async #logInAlone(refused: HttpHeaders, use: Use): Promise<HttpHeaders> {
    const { declared, server } = this
    if (declared.grant !== 'client_credentials' || declared.isOff) return refused
    const { logIn } = await import('./log-in.ts')
    const { store, options } = this.#logins
    const credential = await logIn({
      server,
      declared,
      account: declared.account ?? 'default',
      challenge: parseChallenge(use.answer?.['www-authenticate']),
      version: use.answer?.['mcp-protocol-version'] ?? '2025-11-25',
      signal: this.#ending.signal,
      store,
      platform: options.platform,
      ...this.#asking(this.#ending.signal),
    })
    this.#know(credential)
    return this.#toHeaders(credential, use)
  }

  #asking(signal?: AbortSignal): { readonly ask: Ask; readonly guard: Guard } {
    const guard = guardFor(this.server, this.declared)
    const { platform } = this.#logins.options
    return { guard, ask: createAsk({ platform, guard, signal, trusted: this.#trusted }) }
  }

  #know(credential: Credential | undefined): void {
    this.#known = credential
    this.#isKnown = true
  }

  #isDue(credential: Credential | undefined): credential is Credential {
    if (!credential) return false
    const { expiresAt, issuedAt, refresh } = credential.tokens
    if (expiresAt === undefined || (refresh === undefined && credential.grant === 'authorization_code'))
      return false
    const before = Math.min(early.mostMs, (expiresAt - issuedAt) * early.part) * this.#jitter
    return this.#logins.options.platform.clock.now() >= expiresAt - before
  }

  // Waited for: a key that is no key must not throw at who asks.
  async #toProof(credential: Credential, { method, url }: Use): Promise<HttpHeaders> {
    const { tokens, proofKey = {} } = credential
    const now = this.#logins.options.platform.clock.now()
    const proof = proofFor(proofKey, { method, url, now, accessToken: tokens.access, nonce: this.#nonce })
    return { authorization: `DPoP ${tokens.access}`, dpop: proof }
  }

  #toHeaders(credential: Credential | undefined, use: Use): HttpHeaders | Promise<HttpHeaders> {
    if (!credential) return {}
    if (credential.tokens.type === 'DPoP' && credential.proofKey) return this.#toProof(credential, use)
    return { authorization: `Bearer ${credential.tokens.access}` }
  }
}

function tokenOf(headers: HttpHeaders): string | undefined {
  return /^(?:Bearer|DPoP) (.+)$/.exec(headers['authorization'] ?? '')?.[1]
}
