import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { dirname } from 'node:path'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { findRunning, writeAddress } from '../../src/surfaces/server/address-file.ts'
import { createMachine } from '../support/programs/cli.ts'
import { startServed } from '../support/served.ts'

const place = '~/.local/state/plugboard/serve.json'
const own = { address: 'http://127.0.0.1:9', token: 'new', pid: 1, cwd: '/x' }

function openFile() {
  const machine = createMachine()
  const file = machine.path(place)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  return { machine, file, [Symbol.dispose]: () => machine[Symbol.dispose]() }
}

describe('the file with the address', () => {
  test.each<[string, (file: string) => void]>([
    ['an empty file', (file) => writeFileSync(file, '', { mode: 0o600 })],
    ['half a file', (file) => writeFileSync(file, '{"address":"http://127', { mode: 0o600 })],
    [
      'a file that others can read',
      (file) => {
        writeFileSync(file, JSON.stringify(own))
        chmodSync(file, 0o644)
      },
    ],
    ['a link to nowhere', (file) => symlinkSync('/nowhere/else', file)],
  ])('%s is replaced at the next start', async (_, prepare) => {
    using opened = openFile()
    prepare(opened.file)
    await writeAddress(opened.file, own)
    expect(JSON.parse(opened.machine.read(place))).toEqual(own)
    expect(opened.machine.mode(place)).toBe(0o600)
    expect(readdirSync(dirname(opened.file))).toEqual(['serve.json'])
  })

  test('a folder of that name is reported, and nothing is left', async () => {
    using opened = openFile()
    mkdirSync(opened.file)
    await expect(writeAddress(opened.file, own)).rejects.toMatchObject({
      code: 'config.unwritable',
      message: expect.stringContaining(opened.file),
    })
    expect(readdirSync(dirname(opened.file))).toEqual(['serve.json'])
  })

  test('T36 a program that took the port is not told the token, and is not believed', async () => {
    using opened = openFile()
    const asked: string[] = []
    const other = createServer(({ url, headers }, response) => {
      asked.push(`${url} ${JSON.stringify(headers)}`)
      response.end(JSON.stringify({ proof: '0'.repeat(64) }))
    }).listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo // it listens on a port
    const stale = { ...own, address: `http://127.0.0.1:${port}`, token: 'secret-of-the-old-one' }
    writeFileSync(opened.file, JSON.stringify(stale), { mode: 0o600 })
    expect(await findRunning(opened.file)).toBeUndefined()
    expect(asked).toHaveLength(1)
    expect(asked.join()).not.toContain(stale.token)
    other.close()
  })

  test('the one that runs proves that it knows the token', async () => {
    await using it = await startServed()
    expect(await findRunning(it.machine.path(place))).toMatchObject({ token: it.served.token })
  })
})

test('T18 T50 an unexpected failure begins no line of its own in the terminal, and a folder that cannot be is no failure', async () => {
  await using it = await startServed()
  const forged = 'Code for the page: ABCDEF'
  for (const cwd of [`/etc/passwd/x\n${forged}`, `/${'x'.repeat(300)}`, '/a\0b'])
    await expect(it.client.send('POST /api/conversations', { body: { cwd } })).rejects.toMatchObject({
      status: 400,
      fault: { code: 'usage' },
    })
  expect(it.printed).toEqual([])
})
