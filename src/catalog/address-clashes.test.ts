import { expect, test } from 'vitest'
import { addressTimesOf, findAddressClashes } from './address-clashes.ts'
import type { AddressTimes } from './address-clashes.ts'

const [first, second, third] = ['2026-01-01', '2026-01-02', '2026-01-03']

/** A server whose lists of addresses were read at these times. */
function listed(...lists: readonly (readonly [at: string, ...uris: string[]])[]): AddressTimes {
  let snapshot: AddressTimes | undefined
  for (const [at, ...uris] of lists) {
    const resources = uris.map((uri) => ({ uri }))
    snapshot = { resources, at, ...addressTimesOf(resources, at, snapshot) }
  }
  return snapshot ?? { resources: [], at: '' }
}

test('T152 an address belongs to the server that listed it first, in whatever order they are sorted', () => {
  const shop = listed([first, 'x:///menu'], [third, 'x:///menu', 'x:///new'])
  const added = listed([second, 'x:///menu', 'x:///own'])
  expect(
    findAddressClashes([
      ['added', added],
      ['shop', shop],
    ]),
  ).toEqual([{ uri: 'x:///menu', kept: 'shop', others: ['added'] }])
})

test('T152 a server that lists an address later than another one does not get it, though it was known before', () => {
  const old = listed([first, 'x:///own'], [third, 'x:///own', 'x:///menu'])
  const shop = listed([second, 'x:///menu'])
  expect(
    findAddressClashes([
      ['old', old],
      ['shop', shop],
    ]),
  ).toEqual([{ uri: 'x:///menu', kept: 'shop', others: ['old'] }])
})

test('T152 an address that was away and came back is a new one; caches without times count from their last list', () => {
  const back = listed([first, 'x:///menu'], [second], [third, 'x:///menu'])
  const old: AddressTimes = { resources: [{ uri: 'x:///menu' }, { uri: '__proto__' }], at: second }
  expect(
    findAddressClashes([
      ['back', back],
      ['old', old],
    ]),
  ).toEqual([{ uri: 'x:///menu', kept: 'old', others: ['back'] }])
})

test('T152 addresses of the same time belong to the server that is sorted first', () => {
  expect(
    findAddressClashes([
      ['a', listed([first, 'x:///1'])],
      ['b', listed([first, 'x:///1'])],
    ]),
  ).toEqual([{ uri: 'x:///1', kept: 'a', others: ['b'] }])
})
