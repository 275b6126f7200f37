import { describe, expect, test } from 'vitest'
import { isRunning } from '../support/programs/alive.ts'
import { createMachine, startCli } from '../support/programs/cli.ts'
import type { Program } from '../support/programs/program.ts'
import { echoServer } from '../support/gateway.ts'
import { ownFile } from '../support/servers.ts'

const files = { [ownFile]: { mcpServers: { echo: echoServer() } } }

type Message = Record<string, unknown>

const nextMessage = async (program: Program) => JSON.parse((await program.nextLine()) ?? '') as Message

const call = (name: string) => ({ id: 1, method: 'tools/call', params: { name } })

function pidOf(answer: Message): number {
  const { structuredContent } = answer['result'] as { structuredContent: { pid: number } }
  return structuredContent.pid
}

describe('gateway', () => {
  test('alone over stdio it ends with its client, and with it what it started', async () => {
    using machine = createMachine(files)
    await using gateway = startCli(machine, ['gateway', '--alone'], { stdin: 'pipe' })
    gateway.send(call('echo__echo'))
    const pid = pidOf(await nextMessage(gateway))
    expect(isRunning(pid)).toBe(true)
    gateway.closeInput()
    expect((await gateway.ended).code).toBe(0)
    expect(isRunning(pid)).toBe(false)
  })

  test('over stdio a cancelled request gets no answer, and its id may be used again', async () => {
    using machine = createMachine(files)
    await using gateway = startCli(machine, ['gateway', '--alone'], { stdin: 'pipe' })
    gateway.send(call('echo__echo'))
    await gateway.nextLine()
    gateway.send(call('echo__hang'))
    // Its answer shows that the server has the call before it: one that is cancelled earlier is not sent at all.
    gateway.send({ ...call('echo__echo'), id: 2 })
    expect(await nextMessage(gateway)).toMatchObject({ id: 2 })
    gateway.send({ method: 'notifications/cancelled', params: { requestId: 1 } })
    gateway.send(call('echo__cancelled'))
    expect(await nextMessage(gateway)).toMatchObject({ id: 1, result: { content: [{ text: '1' }] } })
    gateway.closeInput()
    await gateway.ended
  })

  test('over HTTP it prints one line, and Ctrl-C ends it with what it started', async () => {
    using machine = createMachine(files)
    await using gateway = startCli(machine, ['gateway', '--port', '0', '--json'])
    const { url, token } = await gateway.document<Message>()
    const response = await fetch(String(url), {
      method: 'POST',
      headers: { authorization: `Bearer ${String(token)}`, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', ...call('echo__echo') }),
    })
    const pid = pidOf((await response.json()) as Message)
    expect((await gateway.kill('SIGINT')).code).toBe(0)
    expect(isRunning(pid)).toBe(false)
  })

  test.each([
    [['--stdio', '--port', '0'], 'Choose one'],
    [['--sessions'], 'add --port N'],
    [['--json'], 'the output is the protocol'],
    [['--port', '0', '--view', 'a'], 'the address chooses'],
    [['--port', '0', '--search'], 'the address chooses'],
    [['--port', '70000'], '0 to 65535'],
    [['--tls-cert', 'a', '--tls-key', 'b'], 'add --port N'],
    [['--port', '0', '--tls-cert', 'a'], 'TLS needs both'],
    [['--port', '0', '--host', '0.0.0.0'], 'serves TLS, or a proxy'],
    [['--scope', 'user'], 'leave out --scope'],
    [['--port', '0', '--alone'], '--alone is for stdio'],
  ])('%j is refused', async (args, message) => {
    using machine = createMachine(files)
    const { code, stderr } = await machine.run('gateway', ...args)
    expect(stderr).toContain(message)
    expect(code).toBe(2)
  })
})

test.each([
  { store: 'PostgreSQL', secret: undefined, warnings: 1 },
  { store: 'PostgreSQL', secret: '', warnings: 1 },
  { store: 'PostgreSQL', secret: 'a secret of at least 32 characters', warnings: 0 },
  { store: 'files', secret: undefined, warnings: 0 },
])(
  'gateway --port with $store and the secret $secret: $warnings warnings that other gateways cannot go on with its tasks',
  async ({ store, secret, warnings }) => {
    using machine = createMachine(files)
    const set = {
      ...(store === 'PostgreSQL' && { PLUGBOARD_DATABASE_URL: 'postgres://plugboard@127.0.0.1:1/none' }),
      ...(secret !== undefined && { PLUGBOARD_GATEWAY_SECRET: secret }),
    }
    await using gateway = startCli(machine, ['gateway', '--port', '0', '--json'], { env: set })
    await gateway.document()
    await gateway.kill('SIGTERM')
    expect(gateway.stderr().match(/warning: PLUGBOARD_GATEWAY_SECRET is not set/g) ?? []).toHaveLength(
      warnings,
    )
  },
)

test('gateway --port refuses a secret that is too short', async () => {
  using machine = createMachine(files)
  const { code, stderr } = await machine.runWith(
    { env: { PLUGBOARD_GATEWAY_SECRET: 'short' } },
    'gateway',
    '--port',
    '0',
  )
  expect([code, stderr]).toEqual([2, expect.stringContaining('at least 32 characters')])
})
