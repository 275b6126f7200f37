import { expect, test } from 'vitest'
import { api } from '../../src/surfaces/api/api.ts'
import type { Route } from '../../src/surfaces/api/route.ts'
import { commands } from '../../src/surfaces/cli/app.ts'

/** Commands that no route does, and why not. */
const withoutRoute: Readonly<Record<string, string>> = {
  adopt: 'changes files of other programs, which must be restarted then',
  completion: 'of a shell',
  find: 'asks a registry of others, which the page never does',
  generate: 'writes programs into a folder',
  help: 'of the terminal',
  keys: 'shows keys, which the page never has',
  lock: 'reviewed and written with the command',
  sandbox: 'runs a program under strace; what a box opens is shown with trust',
  release: 'the opposite of adopt',
  presets: 'documentation; serve has one preset from its start on',
  request: 'sends what no rule has seen',
  scan: 'read with the command',
  serve: 'the server itself',
  shell: 'a terminal',
  status: 'what other programs run; the page shows its own by GET /api/servers',
  version: 'GET /api/snapshot has it',
  whoami: 'GET /api/servers/:server has the login of each server',
}

test('every command has a route, or a reason for none', () => {
  const routes: readonly Route[] = Object.values(api)
  const done = new Set(routes.flatMap(({ command }) => command?.split(' ')[1] ?? []))
  // One route switches both ways, by its body.
  if (done.has('enable')) done.add('disable')
  const all = Object.keys(commands)
  expect(all.filter((name) => !done.has(name) && !(name in withoutRoute))).toEqual([])
  const named = [...done, ...Object.keys(withoutRoute)]
  expect(named.filter((name) => !all.includes(name))).toEqual([])
})
