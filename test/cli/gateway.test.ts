import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { isRunning } from '../support/programs/alive.ts'
import { cliFile, createMachine } from '../support/programs/cli.ts'
import type { Machine } from '../support/programs/cli.ts'
import { echoServer } from '../support/gateway.ts'
import { ownFile } from '../support/servers.ts'

const files = { [ownFile]: { mcpServers: { echo: echoServer() } } }

function start(machine: Machine, ...args: readonly string[]) {
  const child = spawn(process.execPath, [cliFile, 'gateway', ...args], {
    cwd: machine.project,
    env: machine.env,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let output = ''
  const lines: string[] = []
  let wake = () => undefined as void
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk
    const parts = output.split('\n')
    output = parts.pop() ?? ''
    lines.push(...parts)
    wake()
  })
  child.stderr.resume()
  const nextLine = async () => {
    while (lines.length === 0) await new Promise<void>((resolve) => (wake = resolve))
    return JSON.parse(lines.shift() ?? '') as Record<string, unknown>
  }
  /** The document of `--json`, which has several lines. */
  const document = async () => {
    while (lines.at(-1) !== '}') await new Promise<void>((resolve) => (wake = resolve))
    return JSON.parse(lines.join('\n')) as Record<string, unknown>
  }
  const ended = once(child, 'exit') as Promise<[number | null]>
  return {
    child,
    nextLine,
    document,
    ended,
    send: (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`),
  }
}

const call = (name: string) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } })

function pidOf(answer: Record<string, unknown>): number {
  const { structuredContent } = answer['result'] as { structuredContent: { pid: number } }
  return structuredContent.pid
}

describe('gateway', () => {
  test('alone over stdio it ends with its client, and with it what it started', async () => {
    using machine = createMachine(files)
    const { child, nextLine, ended, send } = start(machine, '--alone')
    send(call('echo__echo'))
    const pid = pidOf(await nextLine())
    expect(isRunning(pid)).toBe(true)
    child.stdin.end()
    expect((await ended)[0]).toBe(0)
    expect(isRunning(pid)).toBe(false)
  })

  test('over stdio a cancelled request gets no answer, and its id may be used again', async () => {
    using machine = createMachine(files)
    const { child, nextLine, ended, send } = start(machine, '--alone')
    send(call('echo__echo'))
    await nextLine()
    send(call('echo__hang'))
    // Its answer shows that the server has the call before it: one that is cancelled earlier is not sent at all.
    send({ ...call('echo__echo'), id: 2 })
    expect(await nextLine()).toMatchObject({ id: 2 })
    send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    send(call('echo__cancelled'))
    expect(await nextLine()).toMatchObject({ id: 1, result: { content: [{ text: '1' }] } })
    child.stdin.end()
    await ended
  })

  test('over HTTP it prints one line, and Ctrl-C ends it with what it started', async () => {
    using machine = createMachine(files)
    const { child, document, ended } = start(machine, '--port', '0', '--json')
    const { url, token } = await document()
    const response = await fetch(String(url), {
      method: 'POST',
      headers: { authorization: `Bearer ${String(token)}`, 'content-type': 'application/json' },
      body: JSON.stringify(call('echo__echo')),
    })
    const pid = pidOf((await response.json()) as Record<string, unknown>)
    child.kill('SIGINT')
    expect((await ended)[0]).toBe(0)
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
    const { child, document, ended } = start(
      { ...machine, env: { ...machine.env, ...set } },
      '--port',
      '0',
      '--json',
    )
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
    await document()
    child.kill('SIGTERM')
    await ended
    expect(errors.match(/warning: PLUGBOARD_GATEWAY_SECRET is not set/g) ?? []).toHaveLength(warnings)
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
