import { expect, test } from 'vitest'
import { turn } from '../../test/support/outcome.ts'
import { InUse } from './in-use.ts'

test('nothing is under way before anything begins', async () => {
  await expect(new InUse().idle()).resolves.toBeUndefined()
})

test('it is idle when the last of what began is over, not before', async () => {
  const use = new InUse()
  const seen: string[] = []
  use.begin()
  use.begin()
  void use.idle().then(() => seen.push('idle'))
  use.end()
  await turn()
  seen.push('one left')
  use.end()
  await turn()
  expect(seen).toEqual(['one left', 'idle'])
})
