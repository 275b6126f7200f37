import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, describe, expect, test } from 'vitest'
import { untilGone, isRunning } from '../../../test/support/programs/alive.ts'
import { nodePlatform } from './node-platform.ts'

const { processes } = nodePlatform()
const children: ChildProcess[] = []

afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.pid !== undefined) await processes.killGroup(await markOf(child.pid), 'SIGKILL')
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
})

function shell(line: string) {
  const child = spawn('sh', ['-c', line], { detached: true, stdio: ['pipe', 'pipe', 'ignore'] })
  children.push(child)
  let text = ''
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
  return {
    child,
    pid: child.pid ?? 0,
    async numbers(count: number): Promise<readonly number[]> {
      await expect.poll(() => text.split('\n').length - 1).toBe(count)
      return text.trim().split('\n').map(Number)
    },
  }
}

const markOf = async (pid: number) => ({ pid, startMark: (await processes.startMarkOf(pid)) ?? '' })

describe.skipIf(process.platform !== 'linux')('T40 processes', () => {
  test('startMarkOf: differs between processes and stays the same for one', async () => {
    const self = await processes.self()
    expect(self).toEqual({
      ...(await markOf(process.pid)),
      machine: expect.stringMatching(/^.+\/pid:\[\d+\]$/),
    })
    expect(await processes.startMarkOf(process.pid)).toBe(self.startMark)
    expect(await processes.startMarkOf(2 ** 22 + 1)).toBeUndefined()
  })

  test('startMarkOf: undefined for an exited process, also for a zombie', async () => {
    const { child, pid } = shell('exit 0')
    await once(child, 'exit')
    expect(await processes.startMarkOf(pid)).toBeUndefined()
    const parent = shell('sleep 0 & echo $!; exec sleep 60')
    const [zombie = 0] = await parent.numbers(1)
    await untilGone(zombie)
    expect(await processes.startMarkOf(zombie)).toBeUndefined()
  })

  test('descendants: lists them whatever their group and name', async () => {
    const parent = shell(
      `sh -c 'echo $$; sleep 60 & echo $!; wait' & setsid sh -c 'echo $$; exec sleep 60' & wait`,
    )
    const below = await parent.numbers(3)
    const found = await processes.descendants(parent.pid)
    expect(new Set(found.map(({ pid }) => pid))).toEqual(new Set(below))
    expect(found.filter(({ group }) => group !== parent.pid).length).toBe(1)
    expect(await Promise.all(found.map(async ({ pid }) => (await markOf(pid)).startMark))).toEqual(
      found.map(({ startMark }) => startMark),
    )
    for (const one of found) await processes.kill(one, 'SIGKILL')
    await untilGone(...below)
  })

  test('FI-24 kill: signals only the process with the same start time, not one that reuses its pid', async () => {
    const { child, pid } = shell('echo $$; exec sleep 60')
    const real = await markOf(pid)
    for (const startMark of ['', '1@x', `${real.startMark}0`]) {
      expect(await processes.kill({ pid, startMark }, 'SIGKILL')).toBe(false)
      expect(await processes.killGroup({ pid, startMark }, 'SIGKILL')).toBe(false)
    }
    expect(isRunning(pid)).toBe(true)
    expect(await processes.kill(real, 'SIGTERM')).toBe(true)
    expect(await once(child, 'exit')).toEqual([null, 'SIGTERM'])
  })

  test.each([0, 1, -1, 1.5, Number.NaN])('kill: sends no signal to %d', async (pid) => {
    const { startMark } = await markOf(1)
    expect(await processes.kill({ pid, startMark }, 'SIGTERM')).toBe(false)
    expect(await processes.killGroup({ pid, startMark }, 'SIGTERM')).toBe(false)
    expect(await processes.isGroupAlive(pid)).toBe(false)
  })

  test('isGroupAlive: true and signals are delivered while the group has a member', async () => {
    const parent = shell('sleep 60 & echo $!; read go')
    const mark = await markOf(parent.pid)
    const [child = 0] = await parent.numbers(1)
    parent.child.stdin?.end('go\n')
    await once(parent.child, 'exit')
    expect(await processes.isGroupAlive(parent.pid)).toBe(true)
    expect(await processes.killGroup(mark, 'SIGKILL')).toBe(true)
    await untilGone(child)
    expect(await processes.isGroupAlive(parent.pid)).toBe(false)
  })
})

test('FI-90 tagged: servers that stop together share one search', async () => {
  const [one, other] = await Promise.all([processes.tagged('orphans'), processes.tagged('orphans')])
  expect(one).toBe(other)
  expect(await processes.tagged('orphans')).not.toBe(one)
})
