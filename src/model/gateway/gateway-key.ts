/** A key of the gateway as it is kept: who may use which views. The key itself is not in it, only its hash. */
export interface GatewayKey {
  /** What the audit trail and people call it. */
  readonly name: string
  /** The part of the key by which it is found. It is no secret. */
  readonly id: string
  /** The SHA-256 of the whole key. */
  readonly hash: string
  /** The views that it opens; absent for everything. */
  readonly views?: readonly string[]
  /** ISO 8601, as all times here. */
  readonly createdAt: string
  readonly expiresAt?: string
  /** The key before the last rotation, which is valid for a while. */
  readonly previous?: { readonly hash: string; readonly until: string }
}

/** Where keys are kept: in the store, or in a private file. */
export interface GatewayKeys {
  /** By name. */
  list(): Promise<readonly GatewayKey[]>
  /** `false` if there is a key of this name. */
  add(key: GatewayKey): Promise<boolean>
  /** Replaces the key of the same name; `false` if there is none. */
  replace(key: GatewayKey): Promise<boolean>
  /** `false` if there is no key of this name. */
  remove(name: string): Promise<boolean>
}

const keyForm = /^pbk_([0-9a-f]{12})_[A-Za-z0-9_-]{43}$/
const nameForm = /^[A-Za-z0-9][A-Za-z0-9_.@-]{0,63}$/

export function isKeyName(name: string): boolean {
  return nameForm.test(name)
}

/** A new key: the text for its holder, and what is kept of it. A rotated key keeps its id. */
export function createKeySecret(ownId?: string): {
  readonly secret: string
  readonly kept: Pick<GatewayKey, 'id' | 'hash'>
} {
  const { randomBytes } = process.getBuiltinModule('node:crypto')
  const id = ownId ?? randomBytes(6).toString('hex')
  const secret = `pbk_${id}_${randomBytes(32).toString('base64url')}`
  return { secret, kept: { id, hash: hashKey(secret).toString('hex') } }
}

/** The id in a text that has the form of a key. */
export function keyIdOf(text: string): string | undefined {
  return keyForm.exec(text)?.[1]
}

export type KeyVerdict =
  | { readonly kind: 'valid'; readonly key: GatewayKey }
  | { readonly kind: 'expired'; readonly key: GatewayKey }
  | { readonly kind: 'unknown' }

/**
 * Whether a text is one of these keys now. The hashes have 256 random bits behind them, so one round of SHA-256 is enough;
 * comparing takes the same time for every text, also for one whose id is unknown.
 */
export function judgeKey(byId: ReadonlyMap<string, GatewayKey>, text: string, now: number): KeyVerdict {
  const key = byId.get(keyIdOf(text) ?? '')
  const given = hashKey(text)
  const isCurrent = isEqual(given, key?.hash)
  const isPrevious = isEqual(given, key?.previous?.hash)
  if (!key || !(isCurrent || isPrevious)) return { kind: 'unknown' }
  const until = isCurrent ? key.expiresAt : earlier(key.previous?.until, key.expiresAt)
  return until !== undefined && now >= Date.parse(until) ? { kind: 'expired', key } : { kind: 'valid', key }
}

function earlier(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return one < other ? one : other
}

function hashKey(text: string): Buffer {
  const { createHash } = process.getBuiltinModule('node:crypto')
  return createHash('sha256').update(text).digest()
}

function isEqual(given: Buffer, hash: string | undefined): boolean {
  const { timingSafeEqual } = process.getBuiltinModule('node:crypto')
  const kept = Buffer.from(hash ?? '', 'hex')
  const isWhole = kept.length === given.length
  return timingSafeEqual(given, isWhole ? kept : Buffer.alloc(given.length)) && isWhole
}
