import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { createHost, HostError, nodePlatform } from '../../src/index.ts'
import type { RequestOptions, Host, HostOptions, Json, JsonObject, Status } from '../../src/index.ts'
import type { Child } from '../../src/platform/platform.ts'
import { createFakeClock } from '../../src/testing/fake-clock.ts'
import type { FakeClock } from '../../src/testing/fake-clock.ts'
import { faultyServer } from '../../src/testing/faulty-server.ts'
import type { FaultyScript } from '../../src/testing/faulty-server.ts'
import { isRunning } from './programs/alive.ts'
import { collectEvents } from './programs/host-events.ts'
import type { HostEvents } from './programs/host-events.ts'

/**
 * A host with faulty servers and one correct server, `good`. Time stands still unless the test advances it, so a call
 * never ends by a timeout. Disposing checks what every fault test requires: no unhandled rejection, no open call, no
 * running process, no open pipe.
 */
export interface FaultHost extends AsyncDisposable, HostEvents {
  readonly host: Host
  readonly home: string
  readonly clock: FakeClock
  /** Calls a tool and returns the text of its result; by default the first tool of `x`. */
  call(
    tool?: string,
    options?: RequestOptions & { readonly server?: string; readonly args?: JsonObject },
  ): Promise<string>
  request(server: string, method: string, params?: JsonObject, options?: RequestOptions): Promise<Json>
  /** Runs a step in a server and waits for its end. */
  act(step: Json, server?: string): Promise<string>
  /** Checks that the server `good` answers. */
  goodAnswers(): Promise<void>
  status(server?: string): Status
  untilStatus(state: Status['state'], server?: string): Promise<Status>
  /** The processes that were started for a server, in order. */
  pids(server?: string): readonly number[]
  warnings(server?: string): readonly string[]
  /** The messages and events that a server received. */
  journal(server?: string): Promise<readonly JournalEntry[]>
  /** Advances the clock in small steps until the promise settles. */
  advanceUntil<T>(promise: Promise<T>): Promise<T>
}

export interface JournalEntry {
  readonly message?: { readonly id?: number; readonly method: string; readonly params?: JsonObject }
  readonly event?: string
  readonly pid?: number
}

interface FaultOptions extends HostOptions {
  /** Files to write below the home before the host starts: `{ name: text }`. */
  readonly files?: Readonly<Record<string, string>>
  /** `files` contains the configuration, so no `servers.json` is written. */
  readonly isConfigGiven?: boolean
  readonly home?: string
}

/** An entry whose server follows the script. */
export function faulty(script: FaultyScript = {}, fields: JsonObject = {}): JsonObject {
  const { command, args } = faultyServer(script)
  return { command, args, ...fields }
}

export async function faultHost(
  servers: Readonly<Record<string, JsonObject>>,
  { files = {}, isConfigGiven = false, platform, home: given, ...options }: FaultOptions = {},
): Promise<FaultHost> {
  const home = given ?? newHome()
  const config = join(home, 'servers.json')
  const entries = withGood(servers)
  const all = isConfigGiven ? files : { ...files, 'servers.json': JSON.stringify({ mcpServers: entries }) }
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(home, name)), { recursive: true })
    writeFileSync(join(home, name), text)
  }
  const rejections: unknown[] = []
  const onRejection = (reason: unknown) => void rejections.push(reason)
  process.on('unhandledRejection', onRejection)
  const openBefore = openPipes()
  const clock = createFakeClock()
  const started: { readonly args: string; readonly pid: number }[] = []
  const { onEvent, events, until } = collectEvents()
  const base = nodePlatform(platform)
  const host = await createHost({
    cwd: home,
    ...(!isConfigGiven && { config, sources: ['plugboard'] }),
    ...options,
    platform: {
      home,
      env: { HOME: home, PATH: process.env['PATH'] },
      clock,
      ...platform,
      async spawn(how): Promise<Child> {
        const child = await base.spawn(how)
        started.push({ args: JSON.stringify(how.args), pid: child.pid })
        return child
      },
    },
    on(event) {
      options.on?.(event)
      onEvent(event)
    },
  })
  let open = 0
  const count = <T>(promise: Promise<T>): Promise<T> => {
    open++
    return ignoreRejection(promise.finally(() => open--))
  }
  const argsOf = (server: string) => JSON.stringify(entries[server]?.['args'] ?? [])
  const fault: FaultHost = {
    host,
    home,
    clock,
    events,
    until,
    request: (server, method, params, callOptions) =>
      count(host.request(server, method, params, callOptions)),
    call(tool = 'tool-0', { server = 'x', args = {}, ...callOptions } = {}) {
      const params = { name: tool, arguments: args }
      return ignoreRejection(fault.request(server, 'tools/call', params, callOptions).then(textOf))
    },
    act: (step, server = 'x') => fault.call('do', { server, args: { step } }),
    async goodAnswers() {
      expect(JSON.parse(await fault.call('still-here', { server: 'good' }))).toEqual({
        name: 'still-here',
        arguments: {},
      })
    },
    status(server = 'x') {
      const found = host.servers().find(({ name }) => name === server)
      if (!found) throw new Error(`no server ${server}`)
      return found.status
    },
    async untilStatus(state, server = 'x') {
      const now = fault.status(server)
      if (now.state === state) return now
      const seen = events.length
      const event = await until('server.changed', (each) => {
        return each.server === server && each.status.state === state && events.indexOf(each) >= seen
      })
      return event.status
    },
    pids: (server = 'x') => started.filter(({ args }) => args === argsOf(server)).map(({ pid }) => pid),
    warnings: (server = 'x') =>
      events.flatMap((event) =>
        event.type === 'server.warned' && event.server === server ? [event.message] : [],
      ),
    async journal(server = 'x') {
      return JSON.parse(await fault.call('journal', { server })) as readonly JournalEntry[] // the result of the faulty server
    },
    advanceUntil: (promise) => advanceUntil(promise, clock, started),
    async [Symbol.asyncDispose]() {
      await advanceUntil(host.close(), clock, started)
      await turn()
      process.off('unhandledRejection', onRejection)
      const grandchildren = events.flatMap((event) =>
        event.type === 'server.said'
          ? (/^grandchild (\d+)$/.exec(event.line)?.slice(1).map(Number) ?? [])
          : [],
      )
      expect({
        rejections,
        open,
        running: [...membersOf(started.map(({ pid }) => pid)), ...grandchildren.filter(isRunning)],
      }).toEqual({ rejections: [], open: 0, running: [] })
      await expect.poll(openPipes).toBeLessThanOrEqual(openBefore)
      rmSync(home, { recursive: true, force: true })
    },
  }
  return fault
}

export function newHome(): string {
  return mkdtempSync(join(tmpdir(), 'plugboard-fault-'))
}

/** Adds the server `good`; its script has a name, so that its command line differs from the others. */
function withGood(servers: Readonly<Record<string, JsonObject>>): Readonly<Record<string, JsonObject>> {
  return { ...servers, good: faulty({ info: { name: 'good', version: '1.0.0' } }) }
}

/** Marks a rejection as handled, because a test may await the call later. */
function ignoreRejection<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined)
  return promise
}

/** The outcome of a call as plain data. */
export async function callOutcome(promise: Promise<unknown>): Promise<unknown> {
  try {
    return { answered: await promise }
  } catch (error) {
    if (!(error instanceof HostError)) throw error
    return { code: error.code, ...error.data }
  }
}

/**
 * Moves the clock in small steps until a promise settles, and only while no started program is running: a program that
 * received a signal or the end of its input acts on it before more time passes, however slow the machine is.
 */
async function advanceUntil<T>(
  promise: Promise<T>,
  clock: FakeClock,
  started: readonly { readonly pid: number }[],
): Promise<T> {
  let isSettled = false
  const done = promise.finally(() => (isSettled = true))
  done.catch(() => undefined)
  for (;;) {
    // Two turns: the first one writes and reads, the second one handles what was read.
    await turn()
    await turn()
    if (isSettled) return done
    if (!isBusy(started.map(({ pid }) => pid))) await clock.advance(10)
  }
}

/** Whether a process of these groups is on a processor or waits for a disk, or has ended and is not collected yet. */
function isBusy(groups: readonly number[]): boolean {
  return processIds().some((pid) => {
    if (!groups.includes(groupOf(pid))) return false
    return groups.includes(pid) && stateOf(`/proc/${pid}/stat`) === 'Z'
      ? true
      : threadsOf(pid).some((thread) => /[RD]/.test(stateOf(`/proc/${pid}/task/${thread}/stat`)))
  })
}

function threadsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

/** `R` runs, `S` sleeps, `D` waits for a disk, `Z` has ended; empty for one that is gone. */
function stateOf(file: string): string {
  try {
    const stat = readFileSync(file, 'latin1')
    return stat.charAt(stat.lastIndexOf(')') + 2)
  } catch {
    return ''
  }
}

function processIds(): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
}

/** The running processes of these process groups, without zombies. */
export function membersOf(groups: readonly number[]): readonly number[] {
  return processIds().filter((pid) => groups.includes(groupOf(pid)) && isRunning(pid))
}

function groupOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2])
  } catch {
    return 0
  }
}

/** The number of open pipes and sockets of this process. */
function openPipes(): number {
  const kindOf = (fd: string) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`)
    } catch {
      return ''
    }
  }
  return readdirSync('/proc/self/fd').filter((fd) => /^(?:pipe|socket):/.test(kindOf(fd))).length
}

function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}

function textOf(result: Json): string {
  const { content } = result as { readonly content: readonly { readonly text: string }[] } // the faulty server answers with text
  return content.map(({ text }) => text).join('')
}
