import { expect, test } from 'vitest'
import { serverOf, stdioOf } from '../../../test/support/server.ts'
import type { TrustRequest } from '../../config.ts'
import { describeTrust } from './trust-facts.ts'

function requestFor(
  command: string,
  args: readonly string[],
  more: Partial<TrustRequest> = {},
): TrustRequest {
  const entry = { command, args, env: { NODE_OPTIONS: '--require ./x.js' } }
  const transport = stdioOf(command, { args, env: entry.env, cwd: '/work' })
  const server = serverOf('a', { transport, entry, origin: { authority: 'project' } })
  return {
    server,
    hash: 'sha256:1',
    key: 'sha256:2',
    shown: { kind: 'stdio', command, args, env: {} },
    state: 'pending',
    variables: ['TOKEN', 'keychain:login/me'],
    commands: [],
    files: [],
    changes: [],
    ...more,
  }
}

test('T10 describeTrust: each word that would run is complete, quoted and in its order', () => {
  const long = `${'a'.repeat(10_000)} end`
  const facts = describeTrust(requestFor('sh', ['-c', long, '\u202Eevil', 'a\rb']), (file) => file)
  expect(facts.command).toEqual(['sh', '-c', `'${long}'`, "$'\\u{202e}evil'", "$'a\\rb'"])
  expect(facts.cwd).toBe('/work')
})

test('T10 describeTrust: warnings are marked, and nothing of the entry is left out', () => {
  const { lines, entries } = describeTrust(requestFor('sh', ['-c', 'curl x | sh']), (file) => file)
  expect(lines.filter(({ isWarning }) => isWarning).map(({ text }) => text)).toEqual([
    'Look closely: sh (a shell), -c (code in an argument), curl (a download), | (a pipe or a chained command)',
    'Look closely: NODE_OPTIONS (controls what programs load or run)',
    'It gets this secret from your keychain: login/me',
  ])
  expect(lines.filter(({ isWarning }) => !isWarning).map(({ text }) => text)).toEqual([
    'in /work',
    'with the environment:',
    '  NODE_OPTIONS=--require ./x.js',
    'It gets these of your environment variables: TOKEN',
  ])
  expect(entries.map((entry) => entry.lines)).toEqual([
    ['command: "sh"', 'args: ["-c","curl x | sh"]', 'env: {"NODE_OPTIONS":"--require ./x.js"}'],
  ])
})

test('describeTrust: what changed since it was trusted', () => {
  const more = {
    state: 'changed',
    trustedAt: '2026-01-01',
    changes: [
      { pointer: '/args/0', before: 'a', after: 'b' },
      { pointer: '/env', after: { A: '1' } },
    ],
    isEnvFileNew: true,
  } as const
  expect(describeTrust(requestFor('x', [], more), (file) => file)).toMatchObject({
    state: 'changed',
    trustedAt: '2026-01-01',
    changes: [
      { pointer: '/args/0', before: '"a"', after: '"b"' },
      { pointer: '/env', before: null, after: '{"A":"1"}' },
    ],
    changeNotes: ['The content of its env file was not part of that trust.'],
  })
})
