import { randomBytes } from 'node:crypto'
import type { OwnConnection } from '../../index.ts'
import { matchGlob } from '../../internal.ts'
import type { Caller, GatewayServerSettings } from '../../internal.ts'

/** A server that is not used is stopped after this long, unless its entry or the settings say otherwise. */
const defaultIdleMs = 30 * 60_000

/** The requests that a server of the operator gets at the same time. */
const defaultConcurrent = 1024

/**
 * What the settings say about servers behind a gateway: which requests share a connection, how many a server gets at a time, and
 * when an idle server is stopped.
 * The first pattern that matches its name counts.
 */
export class ServerIsolation {
  #rules: readonly (readonly [pattern: string, GatewayServerSettings])[] = []

  constructor(rules: Readonly<Record<string, GatewayServerSettings>> = {}) {
    this.apply(rules)
  }

  apply(rules: Readonly<Record<string, GatewayServerSettings>>): void {
    this.#rules = Object.entries(rules)
  }

  /**
   * The connection of a request: by server, identity and credential, never by client. On a pipe there is one identity, that of
   * the person who started the process. That person uses the login of the entry; other callers do so only where they share it.
   */
  connectionFor(server: string, caller: Caller | undefined): OwnConnection | undefined {
    if (this.#rules.length === 0) return undefined
    const { isolation = 'shared' } = this.#settingsOf(server)
    const login = caller && this.hasOwnLogin(server, caller) ? { caller: caller.id } : undefined
    if (isolation === 'call')
      return { key: `call ${randomBytes(9).toString('base64url')}`, isOnce: true, ...login }
    // The connection of lists has no calls of the person whose login it has: what they do there must not show in lists.
    const identity =
      isolation === 'principal' || (caller && !login && this.isPerCaller(server)) ? caller?.id : undefined
    if (identity === undefined && !login) return undefined
    return { key: JSON.stringify([identity ?? null, login?.caller ?? null]), ...login }
  }

  /** Whether a caller logs in to a server with an account of its own. */
  hasOwnLogin(server: string, caller: Caller | undefined): boolean {
    return caller !== undefined && caller.kind !== 'owner' && this.isPerCaller(server)
  }

  /** Whether callers log in to a server with accounts of their own. */
  isPerCaller(server: string): boolean {
    return this.#rules.length > 0 && this.#settingsOf(server).credentials === 'caller'
  }

  idleMsOf(server: string, declared: number | undefined): number {
    const { idleSeconds } = this.#settingsOf(server)
    return idleSeconds === undefined ? (declared ?? defaultIdleMs) : idleSeconds * 1000
  }

  /** Servers of the operator get many requests at a time, which is what a gateway is for; those of a project as few as elsewhere. */
  maxInFlightOf(server: string, isOfProject: boolean): number | undefined {
    return this.#settingsOf(server).maxConcurrent ?? (isOfProject ? undefined : defaultConcurrent)
  }

  #settingsOf(server: string): GatewayServerSettings {
    return this.#rules.find(([pattern]) => matchGlob(pattern, server))?.[1] ?? {}
  }
}
