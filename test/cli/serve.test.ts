import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { describe, expect, test } from 'vitest'
import { createClient } from '../../src/client.ts'
import { createMachine, startCli } from '../support/programs/cli.ts'
import type { Machine } from '../support/programs/cli.ts'

interface Running extends AsyncDisposable {
  readonly url: string
  readonly address: string
  readonly token: string
  readonly pid: number
  readonly cwd: string
  /** Sends a signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<{ readonly code: number | null; readonly stderr: string }>
}

async function startServe(machine: Machine, ...args: readonly string[]): Promise<Running> {
  const program = startCli(machine, ['serve', '--json', '--port', '0', ...args])
  const document = await program.document<Omit<Running, 'end'>>() // checked by the published schema elsewhere
  const end = async (signal: NodeJS.Signals) => {
    const { code } = await program.kill(signal)
    return { code, stderr: program.stderr() }
  }
  return { ...document, end, [Symbol.asyncDispose]: async () => void (await end('SIGTERM')) }
}

const file = '~/.local/state/plugboard/serve.json'

describe('serve', () => {
  test('T36 the address with its token is in a file that only its person can read, and is gone at the end', async () => {
    using machine = createMachine()
    const running = await startServe(machine)
    expect(machine.mode(file)).toBe(0o600)
    expect(JSON.parse(machine.read(file))).toMatchObject({ address: running.address, token: running.token })
    const { snapshot } = { snapshot: await createClient(running).send('GET /api/snapshot') }
    expect(snapshot).toMatchObject({ cwd: machine.project, shownCwd: '~/shop', isDemo: false })
    expect(await running.end('SIGINT')).toMatchObject({ code: 0, stderr: expect.stringContaining('Ended.') })
    expect(machine.has(file)).toBe(false)
  })

  test('a second one says where the first runs; --address prints it again, with the command for ssh', async () => {
    using machine = createMachine()
    await using running = await startServe(machine)
    const second = await machine.run('serve', '--port', '0')
    expect(second).toMatchObject({ code: 6, stdout: '' })
    expect(second.stderr).toContain(`"plugboard serve" runs already: ${running.address}`)
    expect(second.stderr).not.toContain(running.token)
    const port = new URL(running.address).port
    const shown = await machine.run('serve', '--address')
    expect(shown.stdout).toContain(`${running.address}/#k=${running.token}\n`)
    expect(shown.stdout).toMatch(new RegExp(`^  ssh -N -L ${port}:127\\.0\\.0\\.1:${port} \\S+@\\S+$`, 'm'))
    expect(await machine.json('serve', '--address')).toMatchObject({ url: running.url, pid: running.pid })
  })

  test('a file that a killed one left is no hindrance, and --address says that none runs', async () => {
    using machine = createMachine()
    const first = await startServe(machine)
    await first.end('SIGKILL')
    expect(machine.has(file)).toBe(true)
    expect(await machine.run('serve', '--address')).toMatchObject({
      code: 7,
      stderr: 'No "plugboard serve" runs.\nStart it: plugboard serve\n',
    })
    await using again = await startServe(machine)
    expect(again.token).not.toBe(first.token)
    const old = await fetch(`${again.address}/api/snapshot`, {
      headers: { authorization: `Bearer ${first.token}` },
    })
    expect(old.status).toBe(401)
  })

  test('T36 an address file that others can write is not believed', async () => {
    using machine = createMachine()
    machine.write(file, { address: 'http://127.0.0.1:9', token: 'x', pid: 1, cwd: '/' }, 0o666)
    expect((await machine.run('serve', '--address')).code).toBe(7)
  })

  test('a port that another program uses is an error if it was chosen', async () => {
    using machine = createMachine()
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as { readonly port: number } // of a TCP server
    const { code, stderr } = await machine.run('serve', '--port', String(port))
    other.close()
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `The port ${port} cannot be used. Another program uses it.\nChoose another one with --port, or leave it out.\n`,
    })
  })

  test.each([
    [['--port', 'x'], 'expected a number from 0 to 65535'],
    [['--address', '--demo'], '--address only prints'],
    [['--demo', '--trust'], '--demo has a folder and servers of its own'],
    [['--scope', 'user'], 'leave out --scope'],
  ])('serve %j is a usage error', async (args, message) => {
    using machine = createMachine()
    const { code, stderr } = await machine.run('serve', ...args)
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
  })

  test('--demo uses nothing of the person and leaves nothing', async () => {
    using machine = createMachine({
      '~/.config/plugboard/mcp.json': { mcpServers: { mine: { command: 'mine' } } },
    })
    const before = { files: machine.files(), homes: demoHomes() }
    const running = await startServe(machine, '--demo')
    expect(running.cwd).toMatch(/plugboard-demo-\w+\/project$/)
    const snapshot = await createClient(running).send('GET /api/snapshot')
    expect(snapshot).toMatchObject({ isDemo: true, shownCwd: '~/project' })
    expect(await running.end('SIGINT')).toMatchObject({ code: 0 })
    expect({ files: machine.files(), homes: demoHomes() }).toEqual(before)
    expect(existsSync(running.cwd)).toBe(false)
  })
})

function demoHomes(): readonly string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith('plugboard-demo-'))
}
