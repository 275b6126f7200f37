import { expect, test } from 'vitest'
import { emptyDraft, splitWords, toBody, wrongPairs } from './add-draft.ts'

test('a command line is split at blanks, quotes keep words together, nothing is expanded', () => {
  expect(splitWords(`npx -y "a b" --name='c d' $HOME ""`)).toEqual([
    'npx',
    '-y',
    'a b',
    '--name=c d',
    '$HOME',
    '',
  ])
})

test('a command has its arguments from both fields, and only the values that were typed', () => {
  const draft = {
    ...emptyDraft,
    name: ' files ',
    command: 'npx -y pkg',
    args: '/a b\n\n--flag\n',
    env: 'A=1=2\nB=',
  }
  expect(toBody(draft)).toEqual({
    name: 'files',
    scope: 'user',
    command: 'npx',
    args: ['-y', 'pkg', '/a b', '--flag'],
    env: { A: '1=2', B: '' },
  })
  expect(toBody({ ...emptyDraft, name: 'x', command: 'run' })).toEqual({
    name: 'x',
    scope: 'user',
    command: 'run',
  })
})

test('an address leaves out what was typed for a command', () => {
  const draft = {
    ...emptyDraft,
    name: 'api',
    kind: 'address',
    command: 'npx',
    url: ' https://a.example/mcp ',
  } as const
  expect(toBody({ ...draft, headers: 'X-Key: a:b' })).toEqual({
    name: 'api',
    scope: 'user',
    url: 'https://a.example/mcp',
    headers: { 'X-Key': 'a:b' },
  })
})

test('a line without its separator or without a name is reported, not dropped', () => {
  expect(wrongPairs('A=1\nB\n=c\n', '=')).toEqual(['B', '=c'])
})
