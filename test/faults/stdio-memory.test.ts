import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import type { FaultyScript } from '../../src/testing/faulty-server.ts'
import { callOutcome, faultHost, faulty, newHome } from '../support/fault-host.ts'
import { bundleScript, runScript } from '../support/programs/processes.ts'

const MiB = 1024 * 1024
const cap = 10 * MiB
/**
 * Memory that a flooding server may cost. Chunks that only the garbage collector frees would exceed it on every Node
 * version.
 */
const bounded = 32_000_000
let program = ''

beforeAll(async () => {
  program = await bundleScript('host-process.ts')
})

interface Measurement {
  readonly ends: readonly unknown[]
  /** Growth of the host's peak memory, in bytes. */
  readonly grown: number
  readonly said: readonly string[]
  /** Number of broken connections. */
  readonly crashes: number
}

/** Runs in its own process, because only there the peak is the host's alone. */
async function measure(
  on: FaultyScript['on'],
  calls: readonly string[],
  limits: object = {},
): Promise<Measurement> {
  const home = newHome()
  const config = join(home, 'servers.json')
  writeFileSync(config, JSON.stringify({ mcpServers: { x: faulty({ ...(on && { on }) }), good: faulty() } }))
  const detail = JSON.stringify({ limits: { maxBytes: cap, ...limits }, calls })
  const script = runScript(program, ['measure', home, config, detail])
  const line = await script.nextLine()
  expect(await script.ended).toEqual({ code: 0, signal: null })
  rmSync(home, { recursive: true })
  return JSON.parse(line ?? '') as Measurement // printed by the script
}

const answered = { good: 'answered' }

test('FI-08 a line just below the limit is delivered, in bounded memory', async () => {
  const large = { answer: { bytes: 9_500_000 } }
  const { ends, grown } = await measure({ 'tools/call:large': large }, ['large', 'large', 'tool-0'])
  expect(ends).toEqual([
    { answered: 9_499_927, ...answered },
    { answered: 9_499_927, ...answered },
    { answered: 32, ...answered },
  ])
  // Bytes, text and value, twice: no garbage collection is needed in between.
  expect(grown).toBeLessThan(6 * cap)
})

test.each([
  ['at the start', { bytes: 100_000_000 }],
  ['at the end', { bytes: 100_000_000, idLast: true }],
])(
  'FI-09 a line of 100 MB with its id %s fails its own call at the limit, and the stream continues',
  async (_where, answer) => {
    const limits = { hardMaxBytes: 128 * MiB }
    const { ends, grown, crashes } = await measure(
      { 'tools/call:large': { answer } },
      ['large', 'tool-0'],
      limits,
    )
    expect(ends).toEqual([
      { code: 'call.too-large', ...answered },
      { answered: 32, ...answered },
    ])
    expect(crashes).toBe(0)
    expect(grown).toBeLessThan(bounded)
  },
)

test('FI-10 an endless line resets the connection after 64 MiB, in bounded memory, and the next call gets a new server', async () => {
  const { ends, grown, crashes } = await measure({ 'tools/call:endless': 'endless' }, ['endless', 'tool-0'])
  expect(crashes).toBe(1)
  expect(ends).toEqual([
    { code: 'call.too-large', ...answered },
    { answered: 32, ...answered },
  ])
  expect(grown).toBeLessThan(bounded)
})

test('FI-09 a line above the limit without an id resets the connection: no call is guessed', async () => {
  const nameless = [{ raw: '{"result":{"text":"' }, { raw: 'x'.repeat(11 * MiB) }, { raw: '"}}\n' }]
  await using fault = await faultHost(
    { x: faulty({ on: { 'tools/call:large': 'hang' } }) },
    { limits: { maxBytes: cap } },
  )
  await fault.call()
  const large = fault.call('large')
  const written = fault.act(nameless)
  await fault.goodAnswers()
  for (const call of [large, written])
    expect(await callOutcome(call)).toMatchObject({ code: 'call.too-large', sent: true })
  expect(fault.status()).toMatchObject({ state: 'waiting', reason: 'crashed' })
  expect(JSON.parse(await fault.advanceUntil(fault.call()))).toEqual({ name: 'tool-0', arguments: {} })
})

test('FI-26 a flood of 1 GiB on stderr is drained and reported, and calls are still answered', async () => {
  const flood = { 'tools/call:flood': [{ stderrFlood: 1024 * MiB }, 'answer'] }
  const { ends, grown, said } = await measure(flood, ['flood', 'tool-0'])
  expect(ends).toEqual([
    { answered: 31, ...answered },
    { answered: 32, ...answered },
  ])
  expect(said.at(-1)).toMatch(/^\d+ bytes of its stderr arrived too fast and were skipped\.$/)
  expect(grown).toBeLessThan(bounded)
})
