import { mkdirSync } from 'node:fs'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { faultyServer } from '../../src/testing/faulty-server.ts'
import { startServed } from '../support/served.ts'
import type { ServedMachine } from '../support/served.ts'

let it: ServedMachine
const own = '~/.config/plugboard/mcp.json'
const cursor = '~/.cursor/mcp.json'
const text = `{
  // what the shop needs
  "mcpServers": {
    "orders": {
      "command": "no-such-program", // keep
      "arg": ["x.js"],
      "env": { "API_KEY": "hush-hush-4711" }
    }
  }
}
`

beforeAll(async () => {
  it = await startServed(
    {},
    {
      files: {
        [own]: text,
        [cursor]: { mcpServers: { notes: faultyServer() } },
        '~/.ssh/id_rsa': '-----BEGIN PRIVATE KEY-----',
        '~/.config/plugboard/settings.json': { registry: 'https://r.example' },
      },
    },
  )
  mkdirSync(it.machine.path('empty'), { recursive: true })
})
afterAll(() => it[Symbol.asyncDispose]())

const fileOf = (name: string) => ({ query: { file: it.machine.path(name) } })
const failure = (sent: Promise<unknown>) =>
  sent.then(
    () => 'done',
    (error: { readonly status: number; readonly fault: { readonly code: string } }) =>
      `${error.status} ${error.fault.code}`,
  )

test('the configuration: files with their problems, clients that are off, settings with their meaning', async () => {
  const { files, sources, problems, settings } = await it.client.send('GET /api/config')
  expect(files.find(({ file }) => file === it.machine.path(own))).toMatchObject({
    shown: own,
    source: 'plugboard',
    isFound: true,
    isInUse: true,
    servers: 1,
    errors: 0,
  })
  expect(files.find(({ file }) => file === it.machine.path(cursor))).toMatchObject({
    source: 'cursor',
    isInUse: false,
    servers: 1,
  })
  expect(sources.find(({ id }) => id === 'cursor')).toMatchObject({ title: 'Cursor', use: 'off', servers: 1 })
  expect(problems.find(({ code }) => code === 'unknown-key')).toMatchObject({
    place: { shown: `${own}:6`, line: 6, pointer: '/mcpServers/orders/arg' },
    meant: 'args',
  })
  expect(settings.place.shown).toBe('~/.config/plugboard/settings.json')
  expect(settings.values.find(({ name }) => name === 'registry')).toMatchObject({
    value: 'https://r.example',
  })
})

test('settings that nobody has written are listed as not found, and shown as empty', async () => {
  const bare = await startServed()
  onTestFinished(() => bare[Symbol.asyncDispose]())
  const { files } = await bare.client.send('GET /api/config')
  const settings = files.find(({ scope }) => scope === 'settings')
  expect(settings).toMatchObject({ isFound: false, shown: '~/.config/plugboard/settings.json' })
  const shown = await bare.client.send('GET /api/config/file', { query: { file: settings?.file ?? '' } })
  expect(shown.lines).toEqual([])
})

test('T35 a file is shown with its problems in their lines and its secrets hidden', async () => {
  const shown = await it.client.send('GET /api/config/file', fileOf(own))
  expect(shown.lines[4]).toEqual({ number: 5, text: '      "command": "no-such-program", // keep' })
  expect(shown.lines[6]?.text).toBe('      "env": { "API_KEY": "•••" }')
  expect(shown.problems.find(({ code }) => code === 'unknown-key')?.place?.line).toBe(6)
  expect(shown.servers).toEqual([{ name: 'orders', line: 4 }])
  const other = await it.client.send('GET /api/config/file', fileOf(cursor))
  expect(other.servers).toEqual([{ name: 'notes', line: 3 }])
})

test.each(['~/.ssh/id_rsa', '/etc/passwd', '~/.config/plugboard/../../.ssh/id_rsa', '', 'empty'])(
  'T37 a file that the configuration does not name is not shown: %s',
  async (name) => {
    const file = name.startsWith('/') || name === '' ? name : it.machine.path(name)
    for (const query of [{ file }, { file: name }])
      expect(await failure(it.client.send('GET /api/config/file', { query }))).toBe('422 config.invalid')
  },
)

test('a key that was probably meant is shown as a change, then written; the comments stay', async () => {
  const file = it.machine.path(own)
  const body = { file, pointer: '/mcpServers/orders/arg', meant: 'args' }
  const plan = await it.client.send('POST /api/config/fix', { body: { ...body, isDryRun: true } })
  expect(plan.isWritten).toBe(false)
  expect(plan.differences[0]?.hunks[0]?.lines.filter(({ kind }) => kind !== 'same')).toEqual([
    { kind: 'removed', text: '      "arg": ["x.js"],' },
    { kind: 'added', text: '      "args": ["x.js"],' },
  ])
  expect(it.machine.read(own)).toBe(text)
  const done = await it.client.send('POST /api/config/fix', { body })
  expect(done.isWritten).toBe(true)
  expect(it.machine.read(own)).toBe(text.replace('"arg"', '"args"'))
  expect(await failure(it.client.send('POST /api/config/fix', { body }))).toBe('409 config.conflict')
})

test('T37 only a key that the configuration reports is renamed', async () => {
  const file = it.machine.path(own)
  const body = { file, pointer: '/mcpServers/orders/env', meant: 'command' }
  expect(await failure(it.client.send('POST /api/config/fix', { body }))).toBe('409 config.conflict')
})

test('T37 a client is turned on with the code only; turning it off needs none', async () => {
  const params = { source: 'cursor' }
  const put = (body: { enabled: boolean; request?: string; code?: string }) =>
    it.client.send('PUT /api/sources/:source', { params, body })
  expect(await failure(put({ enabled: true }))).toBe('403 code.needed')
  const { request } = await it.client.send('POST /api/codes', {
    body: { for: 'source', subject: 'cursor', about: { enabled: true } },
  })
  const shown = it.printed.at(-1) ?? ''
  expect(shown).toContain('The page asks to use the servers of Cursor:\n  notes (~/.cursor/mcp.json:3)')
  const code = /Code for the page: (\w+)/.exec(shown)?.[1] ?? ''
  const { source } = await put({ enabled: true, request, code })
  expect(source).toMatchObject({ use: 'on', servers: 1 })
  const { servers } = await it.client.send('GET /api/servers')
  expect(servers.map(({ name }) => name).sort()).toEqual(['notes', 'orders'])
  expect((await put({ enabled: false })).source.use).toBe('off')
  expect(
    await failure(
      it.client.send('PUT /api/sources/:source', { params: { source: 'nope' }, body: { enabled: false } }),
    ),
  ).toBe('404 source.unknown')
})

test('T37 an endpoint of models is added with the code only; what its key runs is printed, a literal key is not', async () => {
  const body = {
    name: 'mine',
    address: 'http://127.0.0.1:9/v1',
    kind: 'openai-compatible',
    key: '!pass show me',
  }
  const send = (more: { request?: string; code?: string } = {}) =>
    it.client.send('POST /api/models/endpoints', { body: { ...body, ...more } })
  const ask = (key: string) =>
    it.client.send('POST /api/codes', { body: { for: 'model', subject: 'mine', about: { ...body, key } } })
  expect(await failure(send())).toBe('403 code.needed')
  await ask('sk-hush-hush-4711')
  expect(it.printed.at(-1)).not.toContain('hush-hush')
  const { request } = await ask(body.key)
  const lines = (it.printed.at(-1) ?? '').split('\n')
  expect(lines.slice(0, -2)).toEqual([
    'The page asks to add the model endpoint "mine":',
    '  name: mine',
    '  address: http://127.0.0.1:9/v1',
    '  kind: openai-compatible',
    '  key: !pass show me',
  ])
  const code = lines.at(-1)?.split(': ')[1] ?? ''
  expect(await send({ request, code })).toEqual({ name: 'mine' })
  const remove = (endpoint: string) =>
    it.client.send('DELETE /api/models/endpoints/:endpoint', { params: { endpoint } })
  const isThere = async () => {
    const { endpoints } = await it.client.send('GET /api/models')
    return endpoints.some(({ name, isBuiltIn }) => name === 'mine' && !isBuiltIn)
  }
  expect(await isThere()).toBe(true)
  expect(await remove('mine')).toEqual({ name: 'mine' })
  expect(await isThere()).toBe(false)
  expect(await failure(remove('mine'))).toBe('404 model.unknown')
  expect(await failure(remove('openai'))).toBe('400 usage')
})

test('a text that does not parse: its place is said, and since when the one before it counts', async () => {
  const brokenFiles = async () => (await it.client.send('GET /api/snapshot')).counts.brokenFiles
  expect(await brokenFiles()).toBe(0)
  it.machine.write(own, '{ "mcpServers": { "orders": ')
  await it.client.send('POST /api/reload')
  expect(await brokenFiles()).toBe(1)
  const shown = await it.client.send('GET /api/config/file', fileOf(own))
  expect(shown.file.errors).toBeGreaterThan(0)
  expect(shown.problems[0]).toMatchObject({ code: 'parse-error', place: { line: expect.any(Number) } })
  expect(shown.lastGood?.since).toBeGreaterThan(0)
  expect((await it.client.send('GET /api/servers')).servers.map(({ name }) => name)).toEqual(['orders'])
  it.machine.write(own, text)
  await it.client.send('POST /api/reload')
  expect((await it.client.send('GET /api/config/file', fileOf(own))).lastGood).toBeUndefined()
})

test('why: sentences about a server; an unknown name says so', async () => {
  const { kind, sentences, detail } = await it.client.send('GET /api/why', { query: { name: 'orders' } })
  expect(kind).toBe('server')
  expect(sentences.slice(0, 2)).toEqual([
    'It is the only declaration of this name (user).',
    `It is declared in ${own}:4.`,
  ])
  expect(JSON.stringify(detail)).not.toContain('hush-hush')
  expect(await failure(it.client.send('GET /api/why', { query: { name: 'nope' } }))).toBe(
    '404 server.unknown',
  )
})

test('doctor: what is wrong with each server, with the next command; store: where conversations are', async () => {
  const { checks, failed } = await it.client.send('GET /api/doctor')
  expect(failed).toBe(1)
  expect(checks[0]).toMatchObject({
    name: 'orders',
    health: 'broken',
    next: expect.stringContaining('plugboard'),
  })
  expect(JSON.stringify(checks)).not.toContain('hush-hush')
  const store = await it.client.send('GET /api/store')
  expect(store).toMatchObject({ driver: expect.any(String), place: expect.stringMatching(/store\.db$/) })
})
