import { expect, test } from 'vitest'
import { inShell } from './shell-words.ts'

test('inShell: proposed commands are written as they are typed in the shell', () => {
  expect(
    [
      'Log in: plugboard login x',
      'plugboard logout x.',
      'See: plugboard list',
      'plugboard shell --cwd a',
    ].map(inShell),
  ).toEqual(['Log in: /mcp reauth x', '/mcp unauth x.', 'See: /mcp list', 'plugboard shell --cwd a'])
})
