import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { controlLine, splitControl } from './control-lines.ts'
import { DeskCalls } from './desk-calls.ts'
import { DeskClient } from './desk-client.ts'
import { GatewayPool } from './gateway-pool.ts'

interface NeedReply {
  readonly need: readonly string[]
}

/** Two ends of a connection: what the desk has, and the shim, which answers each question for values. */
async function openConnection(folder: string, asked: string[]) {
  const path = join(folder, 'desk.sock')
  const server = createServer()
  const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve))
  await new Promise<void>((resolve) => server.listen(path, resolve))
  const shim = connect(path)
  const answer = (text: string) => {
    const { need } = JSON.parse(text) as NeedReply
    asked.push(...need)
    shim.write(controlLine({ values: Object.fromEntries(need.map((name) => [name, `of ${name}`])) }))
  }
  shim.on(
    'data',
    splitControl(() => undefined, answer),
  )
  const socket = await accepted
  server.close()
  return { socket, [Symbol.dispose]: () => [shim, socket].forEach((each) => each.destroy()) }
}

test('two changes of entries at once are followed one after the other, each with its own values', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'plugboard-client-'))
  const config = join(folder, 'mcp.json')
  const declare = (...names: readonly string[]) =>
    writeFileSync(
      config,
      JSON.stringify({
        mcpServers: { a: { command: 'a', args: names.map((name) => '${env:' + name + '}') } },
      }),
    )
  const asked: string[] = []
  using connection = await openConnection(folder, asked)
  const nothing = () => undefined
  const pool = new GatewayPool({
    log: nothing,
    idleMs: async () => 0,
    watch: new DeskCalls(nothing),
    onChange: nothing,
    onServers: nothing,
    onEmpty: nothing,
  })
  const client = new DeskClient({
    socket: connection.socket,
    request: { cwd: folder, config },
    variables: { values: { HOME: folder }, asked: new Set() },
    pid: 1,
    id: '1-1',
    pool,
    onChange: nothing,
    log: nothing,
  })
  declare('FIRST')
  await client.open()
  declare('FIRST', 'SECOND')
  await Promise.all([client.follow(), client.follow()])
  expect(asked.filter((name) => name.endsWith('ST') || name === 'SECOND')).toEqual(['FIRST', 'SECOND'])
  client.end()
  await pool.close()
  rmSync(folder, { recursive: true, force: true })
})
