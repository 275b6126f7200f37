/** The service name of our secrets in a keychain. */
export const ownService = 'plugboard'

/** Secrets by name. Every method rejects if there is no keychain, or it stays locked. */
export interface Keychain {
  read(name: string): Promise<string | undefined>
  write(name: string, secret: string): Promise<void>
  /** Does nothing if there is no such secret. */
  remove(name: string): Promise<void>
  /** Reads a secret that another program stored, by its service and account. */
  find?(service: string, account: string): Promise<string | undefined>
  /** Stores a secret under another service than ours, where `find` finds it; without a secret it is removed. */
  store?(service: string, account: string, secret: string | undefined): Promise<void>
}

export interface Browser {
  /** Opens a page in the person's browser, without a shell; `false` if no program can open it. */
  (url: URL): Promise<boolean>
}

export interface Listen {
  /** Accepts GET requests on the loopback address until it is closed. Port 0 means any free port. */
  (options: ListenOptions): Promise<ActiveListener>
}

export interface ListenOptions {
  readonly port: number
  /** Answers a GET request with a status and a page; other methods are refused before. */
  readonly onGet: (url: URL) => { readonly status: number; readonly page: string }
}

/** An open listener. */
export interface ActiveListener {
  readonly port: number
  close(): Promise<void>
}

/** The port is in use, or listening on it is not permitted. */
export class ListenError extends Error {
  override readonly name = 'ListenError'
}
