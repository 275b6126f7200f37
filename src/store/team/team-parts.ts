/** What a team keeps in its database, as other rooms see it: free of the library that asks the database. */

/** Parts of the store whose changes other processes follow. */
export const storeParts = ['config', 'keys', 'acceptances', 'logins'] as const
export type StorePart = (typeof storeParts)[number]

export interface WatchOptions {
  /** What has changed. The first call, with every part, comes when the store was read for the first time. */
  readonly onChange: (parts: readonly StorePart[]) => void
  /** The store could not be read, or can be read again (`undefined`). */
  readonly onProblem?: (problem: unknown) => void
  /** How often the counts are read: changes are noticed after this long even if every signal is lost. */
  readonly everyMs?: number
}

/** Whose acceptance it is: one declaration of one server, as one account. */
export interface AcceptancePlace {
  readonly key: string
  readonly account: string
  /** The server's name: an edited declaration finds what was accepted before by it. */
  readonly server: string
}

export interface AcceptanceText {
  readonly text: string
  /** It is that of an earlier declaration of the server. */
  readonly isEarlier: boolean
}

/** Acceptances that all gateways of a team share, as the texts of their files. */
export interface StoredAcceptances {
  read(place: AcceptancePlace): Promise<AcceptanceText | undefined>
  /** Replaces an acceptance by one made from the current one, while no other process changes any. */
  change(place: AcceptancePlace, change: (current: AcceptanceText | undefined) => string): Promise<void>
}

export interface StoredLogin {
  /** The hash of its server, issuer and account. */
  readonly id: string
  /** JSON without secrets. */
  readonly account: string
  /** Readable only with the secret of the gateways. */
  readonly sealed: string
}

/** The logins of gateways, sealed. */
export interface StoredLogins {
  all(): Promise<readonly StoredLogin[]>
  read(id: string): Promise<StoredLogin | undefined>
  write(login: StoredLogin): Promise<void>
  remove(id: string): Promise<void>
  /** Runs `work` while no other process runs one for this login. The database frees the lock of a process that ends. */
  locked<T>(id: string, work: () => Promise<T>): Promise<T>
}

export interface QuotaRequest {
  /** Of one rule and one caller. */
  readonly id: string
  /** Such as 2026-11-18, in UTC. */
  readonly day: string
  readonly limit: number
  /** How many calls were made before they were taken; counted even beyond the limit. */
  readonly spent: number
  /** How many more are wanted. */
  readonly wanted: number
}

/** Counts of quotas that several processes take portions of. */
export interface StoredQuotas {
  /** Counts what was spent, and takes what is wanted as far as the limit goes. Returns how many were taken. */
  take(request: QuotaRequest): Promise<number>
  /** Gives back what was taken and not used. */
  giveBack(id: string, day: string, count: number): Promise<void>
  /** Removes the counts of days before this one. */
  forget(before: string): Promise<void>
}
