import { expect, test } from 'vitest'
import type { Json } from '../../index.ts'
import { commandOfCall } from './call-command.ts'

test.each<[Json, string]>([
  [{}, 'plugboard call x/y'],
  [{ path: 'a/b.txt', n: 5, on: true }, 'plugboard call x/y path=a/b.txt n=5 on=true'],
  [{ text: 'two words' }, "plugboard call x/y text='two words'"],
  [{ text: '5' }, `plugboard call x/y '{"text":"5"}'`],
  [{ text: '@file' }, `plugboard call x/y '{"text":"@file"}'`],
  [{ list: [1] }, `plugboard call x/y '{"list":[1]}'`],
  [{ text: "it's \u202e" }, `plugboard call x/y '{"text":"it'\\''s \\u202e"}'`],
])('the command for %j is one that makes the same call', (args, command) => {
  expect(commandOfCall('x/y', args)).toBe(command)
})
