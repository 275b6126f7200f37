import { randomBytes } from 'node:crypto'
import type { OwnConnection } from '../../index.ts'
import { matchGlob } from '../../internal.ts'
import type { Caller, GatewayServerSettings } from '../../internal.ts'

/** A server that is not used is stopped after this long, unless its entry or the settings say otherwise. */
const defaultIdleMs = 30 * 60_000

/**
 * What the settings say about servers behind a gateway: which requests share a connection, and when an idle server is stopped.
 * The first pattern that matches its name counts.
 */
export class ServerIsolation {
  #rules: readonly (readonly [pattern: string, GatewayServerSettings])[] = []

  apply(rules: Readonly<Record<string, GatewayServerSettings>>): void {
    this.#rules = Object.entries(rules)
  }

  /**
   * The connection of a request: by server and identity, never by client. On a pipe there is one identity, that of the person
   * who started the process. `credential` is the id of what the request is made with, if that is not the entry's own.
   */
  connectionFor(
    server: string,
    { caller, credential }: { readonly caller: Caller | undefined; readonly credential?: string | undefined },
  ): OwnConnection | undefined {
    if (this.#rules.length === 0 && credential === undefined) return undefined
    const { isolation = 'shared' } = this.#settingsOf(server)
    if (isolation === 'call') return { key: `call ${randomBytes(9).toString('base64url')}`, isOnce: true }
    const identity = isolation === 'principal' ? caller?.id : undefined
    if (identity === undefined && credential === undefined) return undefined
    return { key: JSON.stringify([identity ?? null, credential ?? null]) }
  }

  idleMsOf(server: string, declared: number | undefined): number {
    const { idleSeconds } = this.#settingsOf(server)
    return idleSeconds === undefined ? (declared ?? defaultIdleMs) : idleSeconds * 1000
  }

  #settingsOf(server: string): GatewayServerSettings {
    return this.#rules.find(([pattern]) => matchGlob(pattern, server))?.[1] ?? {}
  }
}
