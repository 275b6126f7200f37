import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { faultyServer } from '../../src/testing/faulty-server.ts'
import { startServed } from '../support/served.ts'
import type { ServedMachine } from '../support/served.ts'

let it: ServedMachine
/** Writes what it got, and ends. */
const asks = {
  command: process.execPath,
  args: [
    '-e',
    'require("fs").appendFileSync(process.argv[1], process.argv[2] + "\\n")',
    '${GOT}',
    '${input:x}',
  ],
}

beforeAll(async () => {
  it = await startServed(
    {
      orders: faultyServer({ tools: 1 }),
      broken: { command: process.execPath, args: ['-e', 'process.exit(3)'] },
    },
    {},
  )
})
afterAll(() => it[Symbol.asyncDispose]())

test('a server that was connected before the first request has its process', async () => {
  await it.served.host.connect('orders')
  expect(await rowOf('orders')).toMatchObject({
    state: { state: 'ready' },
    pid: expect.any(Number) as number,
  })
})

test('an image that is no base64, and numbers that are none, are refused', async () => {
  const { conversation } = await it.client.send('POST /api/conversations', { body: {} })
  for (const data of ['!!!', '', 'aGVsbG8', 'aGVs bG8='])
    await expect(
      it.client.send('POST /api/conversations/:conversation/turns', {
        params: { conversation: conversation.id },
        body: { text: 'Look', images: [{ mediaType: 'image/png', data }] },
      }),
    ).rejects.toMatchObject({ status: 400 })
  for (const lines of ['-1', 'NaN', '0', '1e9'])
    await expect(
      it.client.send('GET /api/servers/:server/log', { params: { server: 'orders' }, query: { lines } }),
    ).rejects.toMatchObject({ status: 400 })
})

const rowOf = async (server: string) =>
  (await it.client.send('GET /api/servers')).servers.find(({ name }) => name === server)

test('T42 a body that is nested too deep is refused before anything walks it', async () => {
  const head = [
    'POST /api/calls HTTP/1.1',
    `Host: 127.0.0.1:${it.port}`,
    `Authorization: Bearer ${it.served.token}`,
    'Content-Type: application/json',
  ]
  const send = (depth: number) => {
    const body = `{"ref":"orders/nothing","args":${'{"a":'.repeat(depth)}"]}]"${'}'.repeat(depth)}}`
    return it.send([...head, `Content-Length: ${body.length}`], body)
  }
  expect(await send(2000)).toMatchObject({ status: 400, body: expect.stringContaining('256 levels') })
  expect(await send(200)).toMatchObject({ status: 200 })
})

test('T36 a service worker of a program that had the port before gets one that ends itself', async () => {
  const answer = await it.send([
    'GET /sw.js HTTP/1.1',
    `Host: 127.0.0.1:${it.port}`,
    'Service-Worker: script',
  ])
  expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'text/javascript' } })
  expect(answer.body).toContain('unregister()')
})

test('an input typed again is used by the next start; only inputs of the declaration are kept', async () => {
  const got = it.machine.path('~/got')
  writeFileSync(got, '')
  const args = asks.args.map((arg) => (arg === '${GOT}' ? got : arg))
  const own = JSON.parse(it.machine.read('~/.config/plugboard/mcp.json')) as { mcpServers: object }
  it.machine.write('~/.config/plugboard/mcp.json', {
    mcpServers: { ...own.mcpServers, asks: { ...asks, args } },
  })
  await it.client.send('POST /api/reload')
  const put = (input: string, value: string) =>
    it.client.send('PUT /api/servers/:server/inputs/:input', {
      params: { server: 'asks', input },
      body: { value },
    })
  for (const value of ['one', 'two']) {
    await put('x', value)
    await it.client.send('POST /api/servers/:server/restart', { params: { server: 'asks' } })
    expect(readFileSync(got, 'utf8').trim().split('\n').at(-1)).toBe(value)
  }
  await expect(put('other', 'v')).rejects.toMatchObject({ status: 400 })
  await expect(put('x', 'v'.repeat(20_000))).rejects.toMatchObject({ status: 400 })
})

test('a change of one server leaves the others as they are, also those that failed', async () => {
  await it.client.send('POST /api/servers/:server/start', { params: { server: 'broken' } })
  const before = (await rowOf('broken'))?.state
  expect(before).toMatchObject({ word: 'failed' })
  await it.client.send('POST /api/servers', {
    body: { name: 'docs', scope: 'user', url: 'http://127.0.0.1:9/mcp' },
  })
  expect((await rowOf('docs'))?.name).toBe('docs')
  // As a change of a file does, to its end.
  await it.client.send('GET /api/tools')
  await it.served.host.reload({ keepFailed: true })
  expect((await rowOf('broken'))?.state).toEqual(before)
})
