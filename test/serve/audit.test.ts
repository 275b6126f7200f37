import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { AuditFacts } from '../../src/client.ts'
import { startServed } from '../support/served.ts'
import type { ServedMachine } from '../support/served.ts'

const program = fileURLToPath(new URL('offer-server.mjs', import.meta.url))
const servers = { kit: { command: process.execPath, args: [program] } }
const openFile = '~/.local/state/plugboard/audit/open.jsonl'

/** Three calls of a terminal: one that works, one that fails, one of wrong arguments. */
async function callFromTerminal({ machine }: ServedMachine): Promise<void> {
  await machine.run('call', 'kit__echo', '{"text":"private words"}')
  await machine.run('call', 'kit__fails')
  await machine.run('call', 'kit__echo', '{"text":5}')
}

function inShort({ by, about, decision, outcome, tone }: AuditFacts) {
  return { by: by.split(' ')[0], about, decision, outcome, tone }
}

const echoed = { by: 'cli', about: 'kit/echo', decision: 'allow', outcome: 'done', tone: 'ok' }
const failed = { by: 'cli', about: 'kit/fails', decision: 'allow', outcome: 'failed', tone: 'bad' }
const refused = {
  by: 'cli',
  about: 'kit/echo',
  decision: '',
  outcome: 'refused (call.invalid-args)',
  tone: 'warn',
}

test('GET /api/audit has the calls of terminals and of the page at once, the newest first, without values', async () => {
  await using it = await startServed(servers)
  await callFromTerminal(it)
  const { client } = it
  const first = await client.send('GET /api/audit', {})
  expect(first.rows.map(inShort)).toEqual([refused, failed, echoed])
  expect(JSON.stringify(first)).not.toContain('private words')
  const shape = first.rows[2]?.details.find(({ name }) => name === 'argument types')
  expect(shape?.value).toBe('{"text":"string(13)"}')

  await it.served.host.call('kit__echo', { text: 'a' })
  const { rows } = await client.send('GET /api/audit', {})
  expect(rows.map(inShort)).toEqual([{ ...echoed, by: 'page' }, refused, failed, echoed])
})

test('GET /api/audit filters by server, outcome and time, and has an address for each page and row', async () => {
  await using it = await startServed(servers)
  await callFromTerminal(it)
  const list = async (query: object) => {
    const { rows, next } = await it.client.send('GET /api/audit', { query })
    return { rows: rows.map(({ about }) => about), next }
  }
  expect(await list({ server: 'kit' })).toEqual({ rows: ['kit/echo', 'kit/fails', 'kit/echo'] })
  expect(await list({ outcome: 'failed' })).toEqual({ rows: ['kit/fails'] })
  expect(await list({ since: '2h' })).toMatchObject({ rows: ['kit/echo', 'kit/fails', 'kit/echo'] })
  expect(await list({ since: '2999-01-01' })).toEqual({ rows: [] })

  const start = await list({ limit: '2' })
  expect(start).toEqual({ rows: ['kit/echo', 'kit/fails'], next: expect.any(String) })
  expect(await list({ limit: '2', before: start.next })).toEqual({ rows: ['kit/echo'] })

  const { rows } = await it.client.send('GET /api/audit', {})
  const one = await it.client.send('GET /api/audit', { query: { row: rows[1]!.id } })
  expect(one.rows).toEqual([rows[1]])

  for (const query of [{ since: 'yesterday' }, { before: 'x' }, { row: 'x' }, { limit: '0' }])
    await expect(it.client.send('GET /api/audit', { query })).rejects.toMatchObject({
      fault: { code: 'usage' },
    })
})

test('GET /api/audit/verify finds a row that was changed, and says the same as the command', async () => {
  await using it = await startServed(servers)
  await callFromTerminal(it)
  const whole = await it.client.send('GET /api/audit/verify', {})
  expect(whole).toMatchObject({
    isWhole: true,
    rows: 3,
    problems: [],
    head: { hash: expect.stringMatching(/^sha256:/) },
  })
  const kept = whole.head!.hash
  const missing = `sha256:${'0'.repeat(64)}`
  expect(await it.client.send('GET /api/audit/verify', { query: { head: kept } })).toEqual(whole)
  expect(await it.client.send('GET /api/audit/verify', { query: { head: missing } })).toMatchObject({
    isWhole: false,
    problems: [{ kind: 'cut', message: `There is no row with the hash ${missing}.` }],
  })

  await it.machine.run('call', 'kit__fails')
  it.machine.write(openFile, it.machine.read(openFile).replace('"failed"', '"done"'), 0o600)
  const changed = await it.client.send('GET /api/audit/verify', {})
  expect(changed).toMatchObject({
    isWhole: false,
    verdict: '4 rows of 4 writers: the trail is not whole.',
    problems: [{ kind: 'changed', message: 'Row 1 was changed after it was written.' }],
  })
  const { code, stdout } = await it.machine.run('audit', '--verify')
  expect(code).toBe(3)
  expect(stdout).toContain(changed.verdict)
  expect(stdout).toContain(changed.problems[0]!.message)
})
