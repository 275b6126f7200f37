import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { untilGone, isRunning } from '../../../test/support/programs/alive.ts'
import { bundleScript, runScript } from '../../../test/support/programs/processes.ts'
import { nodePlatform } from '../../platform/node/node-platform.ts'
import { FileError } from '../../platform/platform.ts'
import type { Files } from '../../platform/platform.ts'
import { createFakeClock } from '../../testing/fake-clock.ts'
import { createStartedFile, readStarted } from './started-groups.ts'
import { sweepOrphans } from './sweep-orphans.ts'

const { files, processes, clock } = nodePlatform()
const hosts: ChildProcess[] = []
const escaped: number[] = []
let root = ''
let directory = ''

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'started-'))
  directory = join(root, 'state/started')
})
afterEach(async () => {
  for (const host of hosts.splice(0)) {
    host.kill('SIGKILL')
    if (host.exitCode === null && host.signalCode === null) await once(host, 'exit')
  }
  for (const pid of escaped.splice(0)) if (isRunning(pid)) process.kill(pid, 'SIGKILL')
  rmSync(root, { recursive: true })
})

function sleeper(): { readonly pid: number; readonly child: ChildProcess } {
  const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' })
  hosts.push(child)
  return { pid: child.pid ?? 0, child }
}

const markOf = async (pid: number) => (await processes.startMarkOf(pid)) ?? ''
const group = async (pid: number, id = 'fs-1') => ({
  pid,
  startMark: await markOf(pid),
  id,
  name: 'fs',
  command: '/usr/bin/node',
  tag: '',
  line: 'npx -y some-server',
})
const openFile = (over: Partial<Files> = {}) =>
  createStartedFile({
    directory,
    cwd: '/work',
    files: { ...files, ...over },
    processes,
    clock: createFakeClock(1000),
  })

/** A host file as left behind by another host. */
function leave(name: string, ...records: readonly object[]): string {
  const file = join(directory, name)
  writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''))
  return file
}

const linux = process.platform === 'linux'

describe.skipIf(!linux)('started groups: the file', () => {
  test('is private, lists what this host runs, and is removed on close', async () => {
    const file = openFile()
    const [one, two] = [await group(sleeper().pid), await group(sleeper().pid, 'fs-2')]
    file.started(one)
    file.started(two)
    await file.settled()
    const [name = ''] = readdirSync(directory)
    expect(statSync(directory).mode & 0o777).toBe(0o700)
    expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600)
    const host = {
      ...(await processes.self()),
      file: join(directory, name),
      cwd: '/work',
      at: 1000,
      isGone: false,
      left: [],
    }
    expect(await readStarted(directory, { files, processes })).toEqual([
      {
        ...host,
        groups: [
          { ...one, at: 1000 },
          { ...two, at: 1000 },
        ],
      },
    ])
    file.stopped(one)
    await file.settled()
    expect(await readStarted(directory, { files, processes })).toMatchObject([{ groups: [{ id: 'fs-2' }] }])
    await file.close()
    expect(readdirSync(directory)).toEqual([])
    expect(await readStarted(directory, { files, processes })).toEqual([])
  })

  test('does not exist before the first start, and closing it then is no error', async () => {
    await openFile().close()
    expect(await readStarted(directory, { files, processes })).toEqual([])
  })

  test('does not list a group that has exited without a record', async () => {
    const { pid, child } = sleeper()
    const file = openFile()
    file.started(await group(pid))
    await file.settled()
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(await readStarted(directory, { files, processes })).toEqual([])
    await file.close()
  })

  test('FI-73 that cannot be written reports the problem, and is written once it can be', async () => {
    let isFull = true
    const file = openFile({
      append: async (path, text, options) => {
        if (isFull) throw new FileError('no-space', 'no space left on the device')
        return files.append(path, text, options)
      },
    })
    const one = await group(sleeper().pid)
    file.started(one)
    await file.settled()
    expect(file.problem).toMatchObject({ problem: 'no-space' })
    isFull = false
    const two = await group(sleeper().pid, 'fs-2')
    file.started(two)
    await file.settled()
    expect(file.problem).toBeUndefined()
    expect(await readStarted(directory, { files, processes })).toMatchObject([
      { groups: [{ id: 'fs-1' }, { id: 'fs-2' }] },
    ])
    await file.close()
  })
})

describe.skipIf(!linux)('FI-24 started groups: sweepOrphans', () => {
  let script = ''
  beforeAll(async () => {
    script = await bundleScript('spawner.ts')
  })
  const sweep = (fake = clock) => sweepOrphans(directory, { files, processes, clock: fake })
  const self = () => processes.self()
  /** A process that has exited: no process has its pid and start mark. */
  const ended = async () => ({ host: { ...(await self()), startMark: '1@long ago', cwd: '/', at: 0 } })

  test('ends what a killed host has left running, and removes its file', async () => {
    const host = runScript(script, ['host', directory, '20'])
    hosts.push(host.child)
    const { pids } = JSON.parse((await host.nextLine()) ?? '') as { pids: number[] } // printed by the script
    const [listed] = await readStarted(directory, { files, processes })
    expect(listed?.groups.map(({ pid }) => pid)).toEqual(pids)
    expect(await sweep()).toEqual([])
    host.child.kill('SIGKILL')
    await host.ended
    expect(pids.filter(isRunning)).toEqual(pids)
    expect(await readStarted(directory, { files, processes })).toMatchObject([{ isGone: true }])
    expect((await sweep()).map(({ id }) => id)).toEqual(pids.map((_, index) => `server-${index}`))
    await untilGone(...pids)
    expect(readdirSync(directory)).toEqual([])
  })

  test('leaves a process alone that only reuses a recorded pid', async () => {
    await files.makePrivateDirectory(directory)
    const { pid } = sleeper()
    const reused = { ...(await group(pid)), startMark: `1@${(await markOf(pid)).split('@')[1]}` }
    leave('1.jsonl', await ended(), { started: reused })
    expect(await sweep()).toEqual([])
    expect(isRunning(pid)).toBe(true)
    expect(readdirSync(directory)).toEqual([])
  })

  test('leaves alone stopped groups, groups without a start mark, and invalid pids', async () => {
    await files.makePrivateDirectory(directory)
    const [stopped, unmarked] = [await group(sleeper().pid), await group(sleeper().pid)]
    leave(
      '1.jsonl',
      await ended(),
      { started: stopped },
      { stopped },
      { started: { ...unmarked, startMark: '' } },
      ...[0, 1, -1, 1.5, '5', null].map((pid) => ({ started: { ...unmarked, pid } })),
    )
    expect(await sweep()).toEqual([])
    expect([stopped.pid, unmarked.pid].map(isRunning)).toEqual([true, true])
  })

  test('reads truncated or damaged files as far as possible', async () => {
    await files.makePrivateDirectory(directory)
    const orphan = await group(sleeper().pid)
    const file = leave('1.jsonl', await ended(), { started: orphan })
    writeFileSync(file, `${readFileSync(file, 'utf8')}null\n[1]\n"x"\n{"stopped":{"pid":${orphan.pid},"sta`)
    leave('2.jsonl', { hello: 1 })
    leave('notes.txt', { started: orphan })
    expect((await sweep()).map(({ pid }) => pid)).toEqual([orphan.pid])
    await untilGone(orphan.pid)
    expect(readdirSync(directory)).toEqual(['2.jsonl', 'notes.txt'])
  })

  test('does not touch files of other machines, and removes them after a week', async () => {
    await files.makePrivateDirectory(directory)
    const { pid } = sleeper()
    const { host } = await ended()
    const file = leave('1.jsonl', { host: { ...host, machine: 'elsewhere' } }, { started: await group(pid) })
    expect(await sweep()).toEqual([])
    expect(readdirSync(directory)).toEqual(['1.jsonl'])
    utimesSync(file, 0, 0)
    expect(await sweep()).toEqual([])
    expect(readdirSync(directory)).toEqual([])
    expect(isRunning(pid)).toBe(true)
  })

  test('also ends processes that a server started outside its group', async () => {
    await files.makePrivateDirectory(directory)
    const child = spawn('sh', ['-c', 'setsid sleep 60 & sleep 60 & echo $!; wait'], { detached: true })
    hosts.push(child)
    await once(child.stdout, 'data')
    const leader = await group(child.pid ?? 0)
    const strays = async () =>
      (await processes.descendants(leader.pid)).filter((one) => one.group !== leader.pid).length
    await expect.poll(strays).toBe(1)
    const below = await processes.descendants(leader.pid)
    leave('1.jsonl', await ended(), { started: leader })
    expect((await sweep()).map(({ pid }) => pid)).toEqual([leader.pid])
    await untilGone(leader.pid, ...below.map(({ pid }) => pid))
  })

  test('FI-90 ends what has left its group, also of servers that have ended, and nothing with another tag', async () => {
    await files.makePrivateDirectory(directory)
    const [first, second, other] = [
      await escape('firsttag'),
      await escape('secondtag'),
      await escape('othertag'),
    ]
    const over = { ...(await group(await endedPid())), startMark: '1@gone' }
    const [running, stopped] = [
      { ...over, tag: 'firsttag' },
      { ...over, pid: over.pid + 1, tag: 'secondtag' },
    ]
    leave('1.jsonl', await ended(), { started: running }, { started: stopped }, { stopped })
    expect((await sweep()).map(({ tag }) => tag)).toEqual(['firsttag', 'secondtag'])
    await untilGone(first, second)
    expect(isRunning(other)).toBe(true)
    expect(readdirSync(directory)).toEqual([])
  })
})

describe.skipIf(!linux)('FI-90 started groups: what could not be ended', () => {
  test('is named with its server, by its tag or as recorded, and its file stays', async () => {
    const file = openFile()
    const [tagged, recorded] = [await escape('sometag'), sleeper().pid]
    const over = { ...(await group(await endedPid())), tag: 'sometag' }
    file.started(over)
    file.stopped(over)
    file.left([
      { pid: recorded, startMark: await markOf(recorded), id: 'fs-1', name: 'fs', isCertain: false },
    ])
    await file.close()
    expect(await readStarted(directory, { files, processes })).toMatchObject([
      {
        groups: [],
        left: [
          { pid: recorded, name: 'fs', isCertain: false },
          { pid: tagged, name: 'fs', isCertain: true, program: 'sleep' },
        ],
      },
    ])
    expect(readdirSync(directory)).toHaveLength(1)
    for (const pid of [tagged, recorded]) process.kill(pid, 'SIGKILL')
    await untilGone(tagged, recorded)
    expect(await readStarted(directory, { files, processes })).toEqual([])
  })
})

/** Starts a process with this tag in a session of its own, and loses it: its parent has ended. */
async function escape(tag: string): Promise<number> {
  const env = { PATH: process.env['PATH'], PLUGBOARD_STARTED: tag }
  const parent = spawn('sh', ['-c', "exec setsid -f sh -c 'echo $$; exec sleep 60'"], { env })
  const pid = Number(String((await once(parent.stdout, 'data'))[0]))
  await expect.poll(() => readFileSync(`/proc/${pid}/comm`, 'utf8')).toBe('sleep\n')
  escaped.push(pid)
  return pid
}

/** The pid of a process that has ended. */
async function endedPid(): Promise<number> {
  const child = spawn('true')
  await once(child, 'exit')
  return child.pid ?? 0
}
