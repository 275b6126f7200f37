import { expect, test } from 'vitest'
import { createFakePlatform } from '../testing/fake-platform.ts'
import { noAcceptance } from './acceptance.ts'
import type { Acceptance } from './acceptance.ts'
import { createAcceptanceFiles } from './file-acceptances.ts'

const at = '2026-11-17T00:00:00.000Z'
const offer = {
  hash: 'sha256:1',
  definition: { name: 'a', note: 'secret-value' },
  at,
  how: 'first-sight',
} as const
const acceptance: Acceptance = {
  ...noAcceptance,
  instructions: { ...offer, definition: 'Be brief.' },
  tools: new Map([
    ['a', offer],
    ['__proto__', offer],
  ]),
  rejected: [{ kind: 'tool', name: 'b', hash: 'sha256:2', at }],
}
const owner = { key: 'a'.repeat(64), placeKey: 'c'.repeat(64), server: 'a', account: '' }

test('T12 acceptances: what was written is read again, and another account sees nothing of it', async () => {
  const store = createAcceptanceFiles({ directory: '/state/acceptances', platform: createFakePlatform() })
  expect(await store.read(owner)).toEqual({ kind: 'none' })
  await store.change(owner, () => acceptance)
  expect(await store.read(owner)).toEqual({ kind: 'known', acceptance })
  expect(await store.read({ ...owner, account: 'other' })).toEqual({ kind: 'none' })
})

test('T12 acceptances: another entry of the same name and file carries them over, in another place it does not', async () => {
  const store = createAcceptanceFiles({ directory: '/state/acceptances', platform: createFakePlatform() })
  await store.change(owner, () => acceptance)
  const edited = { ...owner, key: 'b'.repeat(64) }
  const carried = await store.read(edited)
  expect(carried.kind === 'known' && [...carried.acceptance.tools.values()].map(({ how }) => how)).toEqual([
    'carried',
    'carried',
  ])
  expect(await store.read({ ...edited, placeKey: 'd'.repeat(64) })).toEqual({ kind: 'none' })
})

test('T12 acceptances: a definition with a secret is kept by its hash alone', async () => {
  const isStorable = (text: string) => !text.includes('secret-value')
  const platform = createFakePlatform()
  const store = createAcceptanceFiles({ directory: '/state/acceptances', platform, isStorable })
  await store.change(owner, () => acceptance)
  const found = await store.read(owner)
  expect(found.kind === 'known' && found.acceptance.tools.get('a')).toEqual({ ...offer, definition: {} })
})
