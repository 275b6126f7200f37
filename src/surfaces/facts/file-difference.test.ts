import { expect, test } from 'vitest'
import { describeChanges } from './file-difference.ts'

const shorten = (file: string) => file.replace('/home/me/', '~/')

test('T35 describeChanges: the changed lines with their numbers and some context, without secrets', () => {
  const before = '{\n  "a": 1,\n  "b": 2,\n  "env": { "TOKEN": "hush" },\n  "c": 3\n}\n'
  const after = before.replace('"c": 3', '"c": 4')
  expect(describeChanges([{ file: '/home/me/x.json', before, after }], shorten)).toEqual([
    {
      file: '/home/me/x.json',
      shown: '~/x.json',
      isNew: false,
      hunks: [
        {
          before: 3,
          after: 3,
          lines: [
            { kind: 'same', text: '  "b": 2,' },
            { kind: 'same', text: '  "env": { "TOKEN": "•••" },' },
            { kind: 'removed', text: '  "c": 3' },
            { kind: 'added', text: '  "c": 4' },
            { kind: 'same', text: '}' },
          ],
        },
      ],
    },
  ])
})

test('describeChanges: a new file is all added, an unchanged one is left out', () => {
  const changes = [
    { file: '/new.json', before: '', after: '{}\n' },
    { file: '/same.json', before: 'a', after: 'a' },
  ]
  expect(describeChanges(changes, shorten)).toEqual([
    {
      file: '/new.json',
      shown: '/new.json',
      isNew: true,
      hunks: [{ before: 1, after: 1, lines: [{ kind: 'added', text: '{}' }] }],
    },
  ])
})
