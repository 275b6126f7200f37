import { readFileSync, readdirSync, symlinkSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { isRunning, untilGone } from '../support/programs/alive.ts'
import { cliFile } from '../support/programs/cli.ts'
import type { Machine } from '../support/programs/cli.ts'
import { startDesk } from '../support/programs/desk.ts'
import type { DeskMachine } from '../support/programs/desk.ts'
import { echoServer } from '../support/gateway.ts'
import { ownFile } from '../support/servers.ts'

const minute = 60_000
const reason =
  'Plugboard started this gateway as one of its own servers: it would serve itself without end. ' +
  'Remove the entry that starts it, or let the entry start the server that it is meant to be.'

/** Entries whose text does not show what they start. */
const disguises: readonly (readonly [string, (machine: Machine, ...flags: string[]) => object])[] = [
  ['a script that becomes it', (machine, ...flags) => script(machine, `exec ${own(...flags)}`)],
  ['a script that waits for it', (machine, ...flags) => script(machine, `${own(...flags)}\nexit $?`)],
  [
    'a link with another name',
    (machine, ...flags) => {
      symlinkSync(cliFile, machine.path('~/innocent.cjs'))
      return { command: process.execPath, args: [machine.path('~/innocent.cjs'), 'gateway', ...flags] }
    },
  ],
]

function own(...flags: readonly string[]): string {
  return [process.execPath, cliFile, 'gateway', ...flags].map((word) => `'${word}'`).join(' ')
}

function script(machine: Machine, text: string): object {
  return { command: machine.write('~/wrap.sh', `#!/bin/sh\n${text}\n`, 0o755) }
}

function declare({ machine }: DeskMachine, x: object): void {
  machine.write(ownFile, { mcpServers: { x, echo: echoServer() } })
}

/** Processes with the home of this machine. */
function processesOf({ home }: Machine): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && environ(name).includes(`HOME=${home}`))
    .map(Number)
}

function environ(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
  } catch {
    return []
  }
}

describe.each(disguises)('a gateway that is its own server by %s', (_, entryOf) => {
  test.each([
    ['alone', ['--alone']],
    ['at the desk', []],
  ])(
    'is refused, the other servers are served, and everything ends with its client: %s',
    async (_place, flags) => {
      await using desk = startDesk({})
      declare(desk, entryOf(desk.machine, ...flags))
      const client = desk.connect({ args: flags })
      await client.serverPid()
      const tools = (await client.request('tools/list'))['result'] as {
        readonly tools: readonly { readonly name: string }[]
      }
      expect(tools.tools.filter(({ name }) => name.startsWith('x__'))).toEqual([])
      expect(tools.tools.filter(({ name }) => name.startsWith('echo__'))).not.toEqual([])
      const pids = processesOf(desk.machine)
      await client.leave()
      await untilGone(...pids)
      expect(processesOf(desk.machine).filter(isRunning)).toEqual([])
    },
    minute,
  )

  test(
    'says so as the reason why it fails',
    async () => {
      await using desk = startDesk({})
      declare(desk, entryOf(desk.machine))
      const tested = await desk.machine.run('test', 'x')
      expect(tested.code).toBe(7)
      expect((tested.stdout + tested.stderr).replace(/\s+/g, ' ')).toContain(reason)
    },
    minute,
  )
})

test(
  'a gateway that a server starts in a session of its own, as a terminal does, is served',
  async () => {
    await using desk = startDesk({})
    const { machine } = desk
    const other = machine.write('~/other.json', { mcpServers: { echo: echoServer() } })
    declare(desk, script(machine, `exec setsid -w ${own('--alone', '--trust', '--config', other)}`))
    const { tools } = await machine.json<{ readonly tools: readonly { readonly ref: string }[] }>(
      'tools',
      'x',
    )
    expect(tools.map(({ ref }) => ref)).toContain('x/echo__echo')
  },
  minute,
)

test(
  'gateways that start each other in sessions of their own are refused at the fourth',
  async () => {
    await using desk = startDesk({})
    declare(desk, script(desk.machine, `exec setsid -w ${own('--alone')}`))
    const client = desk.connect({ args: ['--alone'] })
    await client.serverPid('echo')
    const { tools } = (await client.request('tools/list'))['result'] as {
      readonly tools: readonly { readonly name: string }[]
    }
    expect(tools.map(({ name }) => name).filter((name) => name.startsWith('x__x__x__x__'))).toEqual([])
    await client.leave()
    await untilGone(...processesOf(desk.machine))
  },
  minute,
)
