/** How our secrets are marked in a keychain, among those of others. */
export const ownService = 'plugboard'

/** Secrets by name. Every method rejects where there is no keychain, or nobody unlocks it. */
export interface Keychain {
  read(name: string): Promise<string | undefined>
  write(name: string, secret: string): Promise<void>
  /** One that is not there is fine. */
  remove(name: string): Promise<void>
  /** A secret that somebody else put there, by their service and account. */
  find?(service: string, account: string): Promise<string | undefined>
}

export interface Browser {
  /** Shows a page to the person, without a shell; `false` when there is nothing to show it with. */
  (url: URL): Promise<boolean>
}

export interface Listen {
  /** Takes GET requests on this machine alone, until it is closed. A port of 0 is any that is free. */
  (options: ListenOptions): Promise<ActiveListener>
}

export interface ListenOptions {
  readonly port: number
  /** A page with a status; what is asked for in any other way never gets here. */
  readonly onGet: (url: URL) => { readonly status: number; readonly page: string }
}

export interface ActiveListener {
  readonly port: number
  close(): Promise<void>
}

/** The port is taken, or may not be listened on. */
export class ListenError extends Error {
  override readonly name = 'ListenError'
}
