import { expect, test } from 'vitest'
import { createPerson } from '../../test/support/person.ts'
import type { JsonObject } from '../model/json.ts'
import { requestTrust, trustServer } from './trust/request-trust.ts'

const settings = '~/.config/plugboard/settings.json'

async function runnerOf(
  runner: JsonObject | string | null | undefined,
  runners?: JsonObject | string,
  file = '.mcp.json',
) {
  const entry = { command: 'node', ...(runner !== undefined && { runner }) }
  const person = createPerson({
    [file]: { mcpServers: { a: entry } },
    ...(runners !== undefined && { [settings]: { runners } }),
  })
  const { servers, diagnostics } = await person.discover()
  const [server] = servers
  return {
    runner: server?.runner,
    notes: server?.runnerNotes,
    problems: diagnostics.map(({ message }) => message),
  }
}

const bwrap = (read: readonly string[] = [], write: readonly string[] = [], network = false) => ({
  kind: 'bwrap',
  read,
  write,
  network,
})

test('D-20 an entry asks for a box; without a rule it gets that', async () => {
  expect(await runnerOf({ use: 'bwrap', read: ['.'] })).toEqual({ runner: bwrap(['.']), problems: [] })
  expect(await runnerOf(undefined)).toEqual({ problems: [] })
})

test('T41 the rule of the person holds for every server of a project, and for no other', async () => {
  const rule = { project: { use: 'bwrap', read: ['.'] } }
  expect(await runnerOf(undefined, rule)).toEqual({ runner: bwrap(['.']), problems: [] })
  expect(await runnerOf(undefined, rule, '~/.config/plugboard/mcp.json')).toEqual({ problems: [] })
})

test('T41 an entry of a project cannot loosen the rule: it gets what both allow, and that is said', async () => {
  const asked = { use: 'bwrap', read: ['src', '~/.ssh'], write: ['.', 'out/x'], network: true }
  const rule = { project: { use: 'bwrap', read: ['.'], write: ['out'] } }
  expect(await runnerOf(asked, rule)).toEqual({
    runner: bwrap(['src', '.'], ['out/x']),
    notes: [
      'Its entry asks to write ., which your rule for servers of projects does not allow.',
      'Its entry asks to read ~/.ssh, which your rule for servers of projects does not allow.',
      'Its entry asks for the network, which your rule for servers of projects does not allow.',
    ],
    problems: [],
  })
})

test('T41 a folder that an entry reads and may not write is listed once', async () => {
  const { runner } = await runnerOf(
    { use: 'bwrap', read: ['data'], write: ['data'] },
    { project: { use: 'bwrap', read: ['.'] } },
  )
  expect(runner).toEqual(bwrap(['data']))
})

test('T41 a rule of one kind is not replaced by another kind; limits are the smaller ones', async () => {
  const podman = { use: 'podman', image: 'node:22', memory: '1g', pids: 64, network: true }
  expect(
    await runnerOf({ ...podman, memory: '4g', cpus: 1, image: 'python:3' }, { project: podman }),
  ).toMatchObject({
    runner: { kind: 'podman', image: 'python:3', memory: '1g', pids: 64, cpus: 1, network: true },
  })
  expect(await runnerOf('mine', { project: { use: 'bwrap' }, mine: ['sh', '{command}'] })).toMatchObject({
    runner: bwrap(),
    notes: ['Its entry asks for mine; your rule for servers of projects is bwrap.'],
  })
  expect(await runnerOf({ use: 'bwrap' }, { project: podman })).toMatchObject({
    runner: { kind: 'podman', image: 'node:22', network: false },
  })
})

test('T41 a rule that cannot be read stops the servers of projects; so do settings that cannot be read', async () => {
  for (const broken of [{ project: { use: 'bwrap', memory: '1g' } }, { project: 7 }, 'bwrap']) {
    const found = await runnerOf(undefined, broken)
    expect(found.runner).toEqual({ kind: 'template', name: 'project' })
    expect(found.problems.join()).toContain('o server of a project is started.')
  }
  const person = createPerson({
    '.mcp.json': { mcpServers: { a: { command: 'node' } } },
    [settings]: '{"runners": ',
  })
  expect((await person.discover()).servers[0]?.runner).toEqual({ kind: 'template', name: 'project' })
})

test('D-20 options of an engine and templates come from the person only', async () => {
  const mine = {
    podman: { engine: ['--runtime', 'runc'], run: ['--ulimit', 'nofile=1024'] },
    pod: ['kubectl', 'run', '-i', '--', '{command}'],
    jail: { argv: ['firejail', '{command}'], env: 'process' },
  }
  expect(await runnerOf({ use: 'podman', image: 'a' }, mine)).toMatchObject({
    runner: { options: mine.podman },
  })
  expect(await runnerOf('pod', mine)).toMatchObject({ runner: { template: { argv: mine.pod, env: 'none' } } })
  expect(await runnerOf('jail', mine)).toMatchObject({ runner: { template: mine.jail } })
  expect(await runnerOf('other', mine)).toEqual({ runner: { kind: 'template', name: 'other' }, problems: [] })
})

test.each<[JsonObject, string]>([
  [{ pod: ['kubectl'] }, 'Settings: "runners.pod" must be a list of words'],
  [{ pod: ['{command}', 'x'] }, 'Settings: "runners.pod" must be a list of words'],
  [{ bwrap: ['bwrap', '{command}'] }, 'Settings: "runners.bwrap" is not a name for a runner.'],
  [{ podman: ['--privileged'] }, 'Settings: "runners.podman" must be an object with the lists'],
  [{ jail: { argv: ['a', '{command}'], env: 'all' } }, 'Settings: "runners.jail" "env" must be'],
])('settings: %j is reported', async (runners, message) => {
  expect((await runnerOf(undefined, runners)).problems.join()).toContain(message)
})

test('T41 an entry whose box cannot be made as written is not used', async () => {
  const { runner, problems } = await runnerOf({ use: 'bwrap', memory: '1g' })
  expect({ runner, problems }).toEqual({
    runner: undefined,
    problems: ['bwrap cannot limit "memory"; podman and docker can.'],
  })
  expect(await runnerOf(null)).toEqual({
    problems: ['"runner" must be the name of a runner, or an object with "use".'],
  })
})

test('T02 a trusted entry whose box opens more is not trusted any more, and the difference is shown', async () => {
  const declare = (runner: JsonObject) => JSON.stringify({ mcpServers: { a: { command: 'node', runner } } })
  const person = createPerson({ '.mcp.json': declare({ use: 'bwrap', read: ['src'] }) })
  await trustServer(await requestTrust('a', { platform: person.platform }), { platform: person.platform })
  expect([...(await person.discover()).trust.values()]).toEqual(['trusted'])
  const [file = ''] = [...person.files.texts.keys()].filter((path) => path.endsWith('.mcp.json'))
  person.files.texts.set(file, declare({ use: 'bwrap', read: ['src'], network: true }))
  expect([...(await person.discover()).trust.values()]).toEqual(['changed'])
  expect((await requestTrust('a', { platform: person.platform })).changes).toEqual([
    { pointer: '/runner/network', after: true },
  ])
})
