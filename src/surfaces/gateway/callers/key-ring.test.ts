import { afterEach, describe, expect, test } from 'vitest'
import { createKeySecret } from '../../../internal.ts'
import type { GatewayKey, OwnKeys } from '../../../store.ts'
import { createCallerCheck } from './check-caller.ts'
import { KeyRing } from './key-ring.ts'

let ring: KeyRing | undefined
afterEach(() => ring?.close())

/** A ring over keys whose reading a test replaces. */
function ringOver(list: () => Promise<readonly GatewayKey[]>, options: { readonly waitMs?: number } = {}) {
  const never = () => Promise.reject(new Error('nothing is written here'))
  const keys: OwnKeys = { list, add: never, replace: never, remove: never, close: async () => undefined }
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
})
