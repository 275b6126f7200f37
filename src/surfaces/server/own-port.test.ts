import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { listenOnLoopback } from './listen-locally.ts'
import { keepPort, ownPorts } from './own-port.ts'

const folder = mkdtempSync(join(tmpdir(), 'plugboard-port-'))
const file = join(folder, 'serve.json')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('T36 the port is one of the person, chosen at random and kept; a taken one is given up', async () => {
  const first = await ownPorts(file)
  expect(first.slice(0, -1).every((port) => port >= 20_000 && port <= 32_767)).toBe(true)
  const { server, port } = await listenOnLoopback(() => () => undefined, { ports: [0] })
  await keepPort(file, port)
  expect(statSync(join(folder, 'serve-port')).mode & 0o077).toBe(0)
  const next = await ownPorts(file)
  expect([next[0], next.length]).toEqual([port, first.length + 1])
  // Another program has it.
  const second = await listenOnLoopback(() => () => undefined, { ports: [port, 0] })
  expect(second.port).not.toBe(port)
  await expect(listenOnLoopback(() => () => undefined, { chosen: port })).rejects.toMatchObject({
    code: 'usage',
  })
  server.close()
  second.server.close()
})

test.each(['', 'x', '80', '99999', '1.5'])('a kept port that is none (%j) is not used', async (text) => {
  writeFileSync(join(folder, 'serve-port'), text)
  expect((await ownPorts(file))[0]).toBeGreaterThanOrEqual(20_000)
})
