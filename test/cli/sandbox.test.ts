import { once } from 'node:events'
import { mkdirSync, readFileSync, readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { thiefServerFile } from '../../src/testing/thief-server.ts'
import { isRunning, untilGone } from '../support/programs/alive.ts'
import { createMachine, startCli } from '../support/programs/cli.ts'
import type { Machine } from '../support/programs/cli.ts'
import { noBwrap, noStrace } from '../support/programs/runners.ts'
import { ownFile } from '../support/servers.ts'

const repository = fileURLToPath(new URL('../..', import.meta.url))
const thief = { command: process.execPath, args: [thiefServerFile] }

interface Observed {
  readonly tools: number
  readonly read: readonly { readonly folder: string }[]
  readonly write: readonly { readonly folder: string }[]
  readonly hosts: readonly unknown[]
  readonly runner: { readonly read: readonly string[]; readonly write?: readonly string[] }
}

/** The traces that are kept: none after a command. */
function tracesOf(machine: Machine): readonly string[] {
  return machine.has('~/.local/state/plugboard/traces')
    ? readdirSync(machine.path('~/.local/state/plugboard/traces'))
    : []
}

describe('sandbox NAME', () => {
  test('D-20 says what the box opens and cannot limit, and starts nothing', async () => {
    using machine = createMachine({
      [ownFile]: {
        mcpServers: {
          boxed: { command: 'no-such-program', runner: { use: 'bwrap', read: ['~/data'], network: true } },
          free: { command: 'no-such-program' },
          far: { url: 'https://example.test/mcp' },
        },
      },
    })
    const { stdout, code } = await machine.run('sandbox', 'boxed')
    expect(code).toBe(0)
    expect(stdout.split('\n').map((line) => line.trim())).toEqual([
      'boxed',
      'It runs in a box (bwrap): the system read-only, an empty home and an empty /tmp that are not kept.',
      'It reads of your folders: ~/data',
      'It has the network, and with it the services on this machine (loopback, abstract sockets): bwrap cannot part them.',
      'bwrap limits neither memory nor processors nor the number of processes.',
      '',
    ])
    expect(await machine.json('sandbox', 'free')).toMatchObject({
      name: 'free',
      runner: null,
      lines: [
        { text: 'It runs without a box, with all of your rights.', isWarning: true },
        expect.anything(),
      ],
    })
    expect((await machine.run('sandbox', 'far')).stdout).toContain('It runs elsewhere')
    expect((await machine.run('sandbox', 'none')).code).toBe(5)
    expect((await machine.run('sandbox', 'free', '--write')).code).toBe(2)
  })

  test('D-20 without strace, --observe says how to get it and starts nothing', async () => {
    using machine = createMachine({ [ownFile]: { mcpServers: { x: thief } } })
    const { stderr, stdout, code } = await machine.runWith(
      { env: { PATH: machine.home } },
      'sandbox',
      'x',
      '--observe',
    )
    expect({ code, stdout }).toEqual({ code: 7, stdout: '' })
    expect(stderr).toContain('sudo apt install strace')
    expect(machine.has('~/.local/state/plugboard/started')).toBe(false)
  })
})

describe.skipIf(noStrace !== '')(`sandbox --observe ${noStrace}`, { timeout: 60_000 }, () => {
  const observe = (machine: Machine, ...more: readonly string[]) =>
    machine.json<Observed>('sandbox', 'x', '--observe', ...more)

  test('D-20 a run opens what it read and wrote, and nothing else', async () => {
    using machine = createMachine({ [ownFile]: { mcpServers: { x: thief } }, '~/data/a': 'opened' })
    const read = await observe(machine, '--call', 'read', `path=${machine.path('~/data/a')}`)
    const programs = [join(repository, 'src/testing/thief-server')]
    expect(read).toMatchObject({ hosts: [], call: { tool: 'read', failed: false } })
    expect(read.runner).toEqual({ use: 'bwrap', read: expect.arrayContaining([...programs, '~/data']) })
    mkdirSync(machine.path('~/out'))
    const written = await observe(machine, '--call', 'write', `path=${machine.path('~/out/b')}`)
    expect(written.runner).toMatchObject({ use: 'bwrap', write: ['~/out'] })
    expect(tracesOf(machine)).toEqual([])
  })

  test('D-20 a run that reaches a port opens the network, and the port is shown', async () => {
    using machine = createMachine({ [ownFile]: { mcpServers: { x: thief } } })
    const service = createServer((socket) => socket.destroy())
    onTestFinished(() => void service.close())
    service.listen(0, '127.0.0.1')
    await once(service, 'listening')
    const { port } = service.address() as AddressInfo // it listens on TCP
    expect(await observe(machine, '--call', 'reach', `port=${port}`)).toMatchObject({
      hosts: [{ address: '127.0.0.1', port }],
      runner: { network: true },
    })
  })

  test('T18 hostile names of files are escaped, and do not become folders of a box', async () => {
    using machine = createMachine({ [ownFile]: { mcpServers: { x: thief } } })
    const folder = machine.path('~/a\u001b[2J\nb")>=1')
    mkdirSync(folder)
    const { stdout } = await machine.run(
      'sandbox',
      'x',
      '--observe',
      '--call',
      'write',
      `path=${join(folder, 'c')}`,
    )
    expect(stdout).not.toContain('\u001b')
    expect(stdout).toContain('which no folder of a box should open')
    expect(stdout.slice(stdout.indexOf('"runner"'))).not.toContain('a\\u001b')
  })

  test('T35 a secret in a path is masked, and such a folder is not proposed', async () => {
    const secret = 'canary-5f1d9c7e2b'
    using machine = createMachine({
      [ownFile]: { mcpServers: { x: { ...thief, env: { API_TOKEN: '${TOKEN_OF_TEST}' } } } },
    })
    mkdirSync(machine.path(`~/${secret}`))
    const { stdout, stderr } = await machine.runWith(
      { env: { TOKEN_OF_TEST: secret } },
      'sandbox',
      'x',
      '--observe',
      '--call',
      'write',
      `path=${machine.path(`~/${secret}/a`)}`,
    )
    expect(stdout).toContain('The smallest box')
    expect(stdout + stderr).not.toContain(secret)
    for (const content of Object.values(machine.files()))
      expect(content.replace('stolen', '')).not.toContain(secret)
  })

  test('D-20 an untrusted server is not run, also not for that', async () => {
    using machine = createMachine({ '.mcp.json': { mcpServers: { x: thief } } })
    const { code, stderr } = await machine.run('sandbox', 'x', '--observe')
    expect(code).toBe(4)
    expect(stderr).toContain('plugboard trust x')
    expect(tracesOf(machine)).toEqual([])
  })

  test('D-20 --write shows the change and needs a yes; then the server runs in its box', async () => {
    using machine = createMachine({ [ownFile]: { mcpServers: { x: thief } }, '~/data/a': 'opened' })
    const before = machine.read(ownFile)
    const path = machine.path('~/data/a')
    const words = ['sandbox', 'x', '--observe', '--write', '--call', 'read', `path=${path}`]
    const asked = await machine.run(...words)
    expect(asked).toMatchObject({ code: 4, stderr: expect.stringContaining('+') })
    expect(machine.read(ownFile)).toBe(before)
    expect((await machine.run(...words, '--dry-run')).code).toBe(0)
    expect(machine.read(ownFile)).toBe(before)
    expect((await machine.run(...words, '--yes')).code).toBe(0)
    const { mcpServers } = JSON.parse(machine.read(ownFile)) as {
      mcpServers: { x: { runner: { read: string[] } } }
    }
    expect(mcpServers.x.runner.read).toContain('~/data')
    if (noBwrap !== '') return
    expect((await machine.run('call', 'x/read', `path=${path}`)).stdout).toContain('opened')
    machine.write('~/private/a', 'mine')
    const { stdout } = await machine.run('call', 'x/read', `path=${machine.path('~/private/a')}`)
    expect(stdout).toContain('refused: ENOENT')
    // Observed in its box, it needs no more than that.
    const again = await observe(machine, '--call', 'read', `path=${path}`)
    expect(again.runner.read).toEqual(mcpServers.x.runner.read)
  })

  test('D-20 Ctrl-C ends the server and leaves no trace', async () => {
    using machine = createMachine({ [ownFile]: { mcpServers: { x: thief } } })
    const words = ['--observe', '--call', 'run', 'command=sleep', 'args=["600"]']
    await using program = startCli(machine, ['sandbox', 'x', ...words])
    const started = machine.path('~/.local/state/plugboard/started')
    await expect.poll(() => sleepersBelow(program.pid), { timeout: 30_000 }).not.toEqual([])
    const family = descendantsOf(program.pid)
    expect(await program.kill('SIGINT')).toEqual({ code: 130, signal: null })
    await untilGone(...family)
    expect(family.filter(isRunning)).toEqual([])
    expect([tracesOf(machine), readdirSync(started)]).toEqual([[], []])
  })
})

function sleepersBelow(pid: number): readonly number[] {
  return descendantsOf(pid).filter((each) => commandOf(each).startsWith('sleep'))
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

function descendantsOf(pid: number): readonly number[] {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`)
    const children = tasks.flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    )
    return children.flatMap((child) => [child, ...descendantsOf(child)])
  } catch {
    return []
  }
}
