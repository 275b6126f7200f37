import { afterAll, beforeAll, expect, test } from 'vitest'
import { faultyServer } from '../../src/testing/faulty-server.ts'
import { startServed } from '../support/served.ts'
import type { ServedMachine } from '../support/served.ts'

let it: ServedMachine
const own = '~/.config/plugboard/mcp.json'
const cursor = '~/.cursor/mcp.json'

beforeAll(async () => {
  it = await startServed(
    { orders: faultyServer({ tools: 2 }) },
    {
      files: {
        [cursor]: {
          mcpServers: { notes: { command: 'notes', args: ['--from', 'cursor', `a${' '.repeat(900)}b`] } },
        },
        '.mcp.json': { mcpServers: { deploy: { command: 'rm', args: ['-rf', 'x'] } } },
      },
    },
  )
})
afterAll(() => it[Symbol.asyncDispose]())

interface Copy {
  readonly only?: readonly string[]
  readonly isDryRun?: boolean
  readonly isReplacing?: boolean
  readonly request?: string
  readonly code?: string
}

const copy = (direction: 'import' | 'export', body: Copy, source = 'cursor') =>
  it.client.send(`POST /api/sources/:source/${direction}`, { params: { source }, body })
const failure = (sent: Promise<unknown>) =>
  sent.then(
    () => 'done',
    (error: { readonly status: number; readonly fault: { readonly code: string } }) =>
      `${error.status} ${error.fault.code}`,
  )
/** What the terminal shows for a code, and the fields that use it. */
const ask = async (direction: 'import' | 'export', about: Copy) => {
  const { request } = await it.client.send('POST /api/codes', {
    body: { for: direction, subject: 'cursor', about: { ...about } },
  })
  const shown = it.printed.at(-1) ?? ''
  return { shown, used: { request, code: /Code for the page: (\w+)/.exec(shown)?.[1] ?? '' } }
}

test('T37 an import shows its change, and is written with the code of the terminal only', async () => {
  const before = it.machine.read(own)
  const plan = await copy('import', { isDryRun: true })
  expect(plan).toMatchObject({ copied: ['notes'], skipped: [], isWritten: false })
  expect(plan.differences.map(({ shown }) => shown)).toEqual([own])
  expect(await failure(copy('import', {}))).toBe('403 code.needed')
  const { shown, used } = await ask('import', {})
  expect(shown).toContain(`The page asks to copy servers of Cursor into ${own}:`)
  expect(shown).toContain('"a␠×900b"')
  expect(await failure(copy('export', used))).toBe('403 code.wrong')
  expect(it.machine.read(own)).toBe(before)
  const { used: again } = await ask('import', {})
  expect(await copy('import', again)).toMatchObject({ copied: ['notes'], isWritten: true })
  const { servers } = await it.client.send('GET /api/servers')
  expect(servers.map(({ name }) => name).sort()).toEqual(['deploy', 'notes', 'orders'])
})

test('T01 T37 an export needs its own code; an untrusted server of the project is never copied', async () => {
  const about = { only: ['orders', 'deploy'] }
  const plan = await copy('export', { ...about, isDryRun: true })
  expect(plan.copied).toEqual(['orders'])
  expect(plan.skipped).toMatchObject([{ name: 'deploy' }])
  const { shown, used } = await ask('export', about)
  expect(shown).toContain(`The page asks to copy servers into ${cursor} of Cursor:`)
  expect(await failure(copy('export', { ...used, only: ['orders'] }))).toBe('403 code.wrong')
  const { used: again } = await ask('export', about)
  expect(await copy('export', { ...about, ...again })).toMatchObject({ copied: ['orders'], isWritten: true })
  const { mcpServers } = JSON.parse(it.machine.read(cursor)) as { readonly mcpServers: object }
  expect(Object.keys(mcpServers)).toEqual(['notes', 'orders'])
})

test('a name that is there is skipped with the reason, and replaced on request; an unknown client is refused', async () => {
  const plan = await copy('import', { isDryRun: true })
  expect(plan).toMatchObject({ copied: [], differences: [], isWritten: false })
  expect(plan.skipped).toEqual([
    { name: 'notes', reason: expect.stringContaining('already exists') },
    { name: 'orders', reason: expect.stringContaining('already exists') },
  ])
  expect(await failure(copy('export', { only: ['orders'], isDryRun: true }))).toBe('409 config.exists')
  expect((await copy('export', { only: ['orders'], isReplacing: true, isDryRun: true })).copied).toEqual([
    'orders',
  ])
  expect(await failure(copy('import', { isDryRun: true }, 'nope'))).toBe('404 source.unknown')
  expect(await failure(copy('import', { isDryRun: true }, 'plugboard'))).toBe('400 usage')
})

test('the cache of a server is forgotten once; an unknown server is a 404', async () => {
  const forget = (server: string) =>
    it.client.send('DELETE /api/servers/:server/cache', { params: { server } })
  await it.client.send('POST /api/servers/:server/start', { params: { server: 'orders' } })
  await expect.poll(() => forget('orders')).toEqual({ cleared: 1 })
  expect(await failure(forget('nope'))).toBe('404 server.unknown')
})
