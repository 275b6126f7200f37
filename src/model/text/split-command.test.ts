import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitCommand } from './split-command.ts'

test.each([
  ['npx -y some-mcp@1.0.0', ['npx', '-y', 'some-mcp@1.0.0']],
  ['  op   read\t"op://vault/My item/token"  ', ['op', 'read', 'op://vault/My item/token']],
  ['echo \'a b\' "c d"', ['echo', 'a b', 'c d']],
  ['echo a\\ b', ['echo', 'a b']],
  ['echo "say \\"hi\\""', ['echo', 'say "hi"']],
  ["echo 'no \\ escape'", ['echo', 'no \\ escape']],
  ['a""b \'\'', ['ab', '']],
  ['echo $HOME; rm -rf `x` | y > z', ['echo', '$HOME;', 'rm', '-rf', '`x`', '|', 'y', '>', 'z']],
  ['', []],
  ['   ', []],
])('T07 splitCommand: splits %j into words, without shell syntax', (line, words) => {
  expect(splitCommand(line)).toEqual(words)
})

test('splitCommand: quoted words survive the round trip', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (words) => {
      const line = words.map((word) => `"${word.replace(/["\\]/g, '\\$&')}"`).join(' ')
      expect(splitCommand(line)).toEqual(words)
    }),
  )
})
