import { afterEach, describe, expect, test } from 'vitest'
import { createKeySecret } from '../../../internal.ts'
import type { GatewayKey, OwnKeys } from '../../../store.ts'
import { createCallerCheck } from './check-caller.ts'
import { KeyRing } from './key-ring.ts'
import type { KeyRingOptions } from './key-ring.ts'

let ring: KeyRing | undefined
afterEach(() => ring?.close())

/** A ring over keys whose reading a test replaces. */
function ringOver(
  list: () => Promise<readonly GatewayKey[]>,
  {
    close = async () => undefined,
    ...options
  }: Partial<KeyRingOptions> & Partial<Pick<OwnKeys, 'close'>> = {},
) {
  const never = () => Promise.reject(new Error('nothing is written here'))
  const keys: OwnKeys = { list, add: never, replace: never, remove: never, close }
  ring = new KeyRing({ open: async () => keys, warn: () => undefined, ...options })
  return ring
}

function keyOf(name: string, id?: string) {
  const { secret, kept } = createKeySecret(id)
  return { secret, key: { name, ...kept, createdAt: '2026-01-01T00:00:00.000Z' } }
}

describe('KeyRing', () => {
  test('a key that was rotated is valid with its first request', async () => {
    const before = keyOf('ci')
    let kept: readonly GatewayKey[] = [before.key]
    const keys = ringOver(async () => kept)
    expect(await keys.judge(before.secret)).toMatchObject({ kind: 'valid' })
    const after = keyOf('ci', before.key.id)
    kept = [after.key]
    expect(await keys.judge(after.secret)).toMatchObject({ kind: 'valid' })
    expect(await keys.judge(before.secret)).toEqual({ kind: 'unknown' })
  })

  test('while the store is away, known keys are valid and others get 503, not 401: they may be good ones', async () => {
    const known = keyOf('ci')
    const later = keyOf('later')
    let list = async (): Promise<readonly GatewayKey[]> => Promise.reject(new Error('away'))
    const keys = ringOver(() => list())
    const check = createCallerCheck({ keys, tokens: () => undefined })
    const ask = (secret: string) => check(`Bearer ${secret}`, () => [])
    const refused = { refused: 'The keys cannot be read now. Try again later.', isBad: false, status: 503 }
    expect(await ask(known.secret)).toEqual(refused)
    list = async () => [known.key]
    expect(await ask(known.secret)).toMatchObject({ caller: { name: 'ci' } })
    expect(await ask(later.secret)).toMatchObject({ isBad: true })
    list = async () => Promise.reject(new Error('away'))
    expect(await ask(later.secret)).toEqual(refused)
    expect(await ask(known.secret)).toMatchObject({ caller: { name: 'ci' } })
  })

  test('a gateway that reads its keys from the start is ready once they were read', async () => {
    let list = async (): Promise<readonly GatewayKey[]> => Promise.reject(new Error('away'))
    const keys = ringOver(() => list())
    expect(keys.isReady).toBe(true)
    keys.start()
    expect(keys.isReady).toBe(false)
    await keys.judge(keyOf('ci').secret)
    expect(keys.isReady).toBe(false)
    list = async () => []
    await keys.judge(keyOf('ci').secret)
    expect(keys.isReady).toBe(true)
  })

  test('a request does not wait for a store that never answers', async () => {
    const { secret } = keyOf('ci')
    let answer = (_keys: readonly GatewayKey[]) => undefined as void
    const keys = ringOver(() => new Promise((resolve) => (answer = resolve)), { waitMs: 1 })
    expect(await keys.judge(secret)).toEqual({ kind: 'unread' })
    answer([])
  })

  test('a known key and what has no form of a key are judged without a read', async () => {
    const { secret, key } = keyOf('ci')
    let reads = 0
    const keys = ringOver(async () => {
      reads++
      return [key]
    })
    expect(keys.judge('no-key')).toEqual({ kind: 'unknown' })
    expect(reads).toBe(0)
    await keys.judge(secret)
    expect(keys.judge(secret)).toEqual({ kind: 'valid', key })
    expect(reads).toBe(1)
  })

  test('an unknown key may be a good one if the read of the keys has not ended, too', async () => {
    let list = async (): Promise<readonly GatewayKey[]> => []
    const keys = ringOver(() => list(), { waitMs: 1 })
    keys.start()
    await new Promise<void>((resolve) => (keys.onRead = resolve))
    list = () => new Promise(() => undefined)
    expect(await keys.judge(keyOf('ci').secret)).toEqual({ kind: 'unread' })
    ring = undefined // what never ends cannot be closed
  })

  test('isValid: a key counts until its end', async () => {
    const endless = keyOf('endless')
    const ended = keyOf('ended')
    const at = Date.parse('2026-01-02T00:00:00.000Z')
    let now = at - 1
    const key = { ...ended.key, expiresAt: '2026-01-02T00:00:00.000Z' }
    const keys = ringOver(async () => [endless.key, key], { now: () => now })
    expect(keys.isValid(key.id)).toBe(false)
    await keys.judge(endless.secret)
    expect([keys.isValid(endless.key.id), keys.isValid(key.id), keys.isValid('x')]).toEqual([
      true,
      true,
      false,
    ])
    now = at
    expect([keys.isValid(endless.key.id), keys.isValid(key.id)]).toEqual([true, false])
  })

  test('keys are read again by themselves, and when another program has changed them', async () => {
    let reads = 0
    const readTwice = (options: Partial<KeyRingOptions>, again: (keys: KeyRing) => void) =>
      new Promise<void>((resolve) => {
        const keys = ringOver(async () => [], options)
        reads = 0
        keys.onRead = () => (++reads === 2 ? resolve() : again(keys))
        keys.start()
      })
    await readTwice({ everyMs: 1 }, () => undefined)
    expect(reads).toBe(2)
    await ring?.close()
    // After the first read has ended.
    await readTwice({}, (keys) => setImmediate(() => keys.readAgain()))
    expect(reads).toBe(2)
  })

  test('keys that were never needed are not read when another program has changed them', async () => {
    let isOpened = false
    const keys = ringOver(async () => [], {
      open: () => {
        isOpened = true
        return Promise.reject(new Error('away'))
      },
    })
    keys.readAgain()
    await keys.close()
    expect(isOpened).toBe(false)
  })

  test('a failure is said once, and again after the keys were read in between', async () => {
    const said: string[] = []
    const next: (() => Promise<readonly GatewayKey[]>)[] = [
      () => Promise.reject(new Error('away')),
      () => Promise.reject(new Error('still away')),
      async () => [],
      () => Promise.reject('gone'),
    ]
    const left = [...next]
    const keys = ringOver(() => left.shift()?.() ?? Promise.resolve([]), {
      warn: (message) => said.push(message),
    })
    const { secret } = keyOf('ci')
    for (const _ of next) await keys.judge(secret)
    expect(said).toEqual(['The keys were not read: away', 'The keys were not read: gone'])
  })

  test('close: closes what was opened, after the read that runs, and reads nothing more', async () => {
    const order: string[] = []
    let answer = (_keys: readonly GatewayKey[]) => undefined as void
    const keys = ringOver(
      () => {
        order.push('read')
        return new Promise((resolve) => (answer = resolve))
      },
      { close: async () => void order.push('closed') },
    )
    keys.onRead = () => void order.push('was read')
    keys.start()
    await Promise.resolve()
    const closed = keys.close()
    await new Promise(setImmediate)
    answer([])
    await closed
    expect(order).toEqual(['read', 'was read', 'closed'])
    keys.readAgain()
    await new Promise(setImmediate)
    expect(order).toEqual(['read', 'was read', 'closed'])
    ring = undefined
  })
})
