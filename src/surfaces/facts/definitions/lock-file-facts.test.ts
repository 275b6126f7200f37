import { expect, test } from 'vitest'
import type { Discovery } from '../../../index.ts'
import { describeLocks } from './lock-file-facts.ts'

test('each lock file is described once, with each of its servers', () => {
  const file = '/home/ada/shop/mcp.lock.json'
  const [declaration, locked] = ['sha256:aa', { declaration: 'sha256:aa' }]
  const states = {
    same: { kind: 'locked', file, declaration, locked },
    other: { kind: 'locked', file, declaration: 'sha256:bb', locked },
    missing: { kind: 'missing', file, declaration },
    broken: {
      kind: 'broken',
      file,
      problem: 'It does not parse\u202E.',
      line: 1,
      column: 1,
      hint: 'Mend it.',
    },
  }
  // Only the name of a server is read, and of a locked one its declaration.
  const locks = new Map(
    Object.entries(states).map(([name, state]) => [{ name }, state]),
  ) as unknown as NonNullable<Discovery['locks']>
  const [found, ...more] = describeLocks({ locks }, () => '~/shop/mcp.lock.json')
  expect(more).toEqual([])
  expect(found).toMatchObject({ file, shown: '~/shop/mcp.lock.json', command: 'plugboard lock --check' })
  expect(found?.servers.map(({ name, isAsLocked }) => [name, isAsLocked])).toEqual([
    ['same', true],
    ['other', false],
    ['missing', false],
    ['broken', false],
  ])
  expect(found?.servers[3]?.sentence).toBe('It does not parse\\u{202e}. Mend it.')
  expect(describeLocks({}, (path) => path)).toEqual([])
})
