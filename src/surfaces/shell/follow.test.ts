import { expect, test } from 'vitest'
import { serverOf } from '../../../test/support/server.ts'
import type { Server, TrustState } from '../../index.ts'
import { compare, drawDifference, isSame } from './follow.ts'

const known = (servers: readonly Server[], trust: TrustState = 'trusted') => ({
  servers,
  trust: new Map(servers.map((server) => [server, trust])),
})

test('compare: added, removed and changed servers are named', () => {
  const before = known([serverOf('a'), serverOf('b'), serverOf('c'), serverOf('d')])
  const after = known([
    serverOf('a'),
    serverOf('b', { enabled: false }),
    serverOf('c', { id: 'c-2' }),
    serverOf('e'),
    serverOf('f'),
  ])
  const difference = compare(before, after)
  expect(difference).toEqual({ added: ['e', 'f'], removed: ['d'], changed: ['b', 'c'] })
  expect(drawDifference(difference)).toBe('"e", "f" are new, "b", "c" changed, "d" is gone')
})

test('compare: trusting an unchanged entry counts as a change', () => {
  const server = serverOf('a')
  const difference = compare(known([server], 'pending'), known([server]))
  expect({ ...difference, same: isSame(difference) }).toEqual({
    added: [],
    removed: [],
    changed: ['a'],
    same: false,
  })
  expect(isSame(compare(known([server]), known([serverOf('a')])))).toBe(true)
})
