import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createHost, nodePlatform } from '../../src/index.ts'
import type { Host, HostEvent, HostOptions, JsonObject } from '../../src/index.ts'
import { program } from '../interop/entries.ts'
import { bundleScript, runScript } from '../support/programs/processes.ts'
import type { Script } from '../support/programs/processes.ts'
import { startTaskPeer } from '../support/programs/task-peer.ts'
import type { TaskPeer } from '../support/programs/task-peer.ts'

let script = ''
beforeAll(async () => {
  script = await bundleScript('task-caller.ts')
})

interface Place {
  readonly home: string
  readonly config: string
  /** `isHasty`: its pauses are short, so that a test does not wait as long as a person would. */
  open(
    options?: HostOptions & { readonly isHasty?: boolean },
  ): Promise<Host & { readonly events: readonly HostEvent[]; readonly pauses: readonly number[] }>
  /** A process that has called the tool, and the id of its task. */
  call(...args: readonly string[]): Promise<{ readonly caller: Script; readonly id: string }>
  rewrite(entry: JsonObject): void
}

function createPlace(entry: JsonObject): Place {
  const home = mkdtempSync(join(tmpdir(), 'plugboard-tasks-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }))
  const config = join(home, 'mcp.json')
  const rewrite = (next: JsonObject) => writeFileSync(config, JSON.stringify({ mcpServers: { peer: next } }))
  rewrite(entry)
  return {
    home,
    config,
    rewrite,
    async open({ isHasty = false, ...options } = {}) {
      const events: HostEvent[] = []
      const pauses: number[] = []
      const { clock } = nodePlatform()
      const sleep: typeof clock.sleep = (ms, ...rest) => {
        pauses.push(ms)
        return clock.sleep(ms < 60_000 ? Math.min(ms, 5) : ms, ...rest)
      }
      const host = await createHost({
        cwd: home,
        config,
        sources: ['plugboard'],
        lifecycle: 'on-demand',
        platform: {
          home,
          env: { HOME: home, PATH: process.env['PATH'] },
          ...(isHasty && { clock: { ...clock, sleep } }),
        },
        on: (event) => void events.push(event),
        ...options,
      })
      onTestFinished(() => host.close())
      return Object.assign(host, { events, pauses })
    },
    async call(...args) {
      const caller = runScript(script, [home, config, ...args])
      onTestFinished(async () => {
        caller.child.kill('SIGKILL')
        await caller.ended
      })
      const line = (await caller.nextLine()) ?? ''
      return { caller, id: line.replace('task ', '') }
    },
  }
}

async function kill({ child, ended }: Script): Promise<void> {
  child.kill('SIGKILL')
  await ended
}

/** Settles with the id of the task that a call has become. */
function untilTask() {
  let resolve: (id: string) => void = () => undefined
  const promise = new Promise<string>((done) => (resolve = done))
  return { promise, resolve: (id: string) => resolve(id) }
}

const countOf = async (peer: TaskPeer, method: string) =>
  (await peer.tell('state')).seen.filter((each) => each === method).length

describe.each(['modern', 'legacy'] as const)('tasks of a remote %s server', (era) => {
  test('a task is listed while it runs, and its result is kept when it has ended', async () => {
    const peer = await startTaskPeer(era)
    const place = createPlace({ type: 'http', url: peer.url })
    const host = await place.open()
    const { promise: begun, resolve: onTask } = untilTask()
    const called = host.call('peer/brew', { what: 'mocha' }, { onTask })
    const id = await begun
    expect(await host.tasks.list()).toMatchObject([
      { id, ref: 'peer/brew', server: 'peer', status: 'working', isFollowed: true },
    ])
    await peer.tell('finish')
    expect((await called).text).toBe('brewed mocha null')
    expect(await host.tasks.wait(id)).toMatchObject({ status: 'completed', text: 'brewed mocha null' })
    const states = host.events.flatMap((event) => (event.type === 'task.changed' ? [event.status] : []))
    expect(states).toEqual(['working', 'completed'])
  })

  test('a task outlives a killed host: the next one waits for it and calls the tool no second time', async () => {
    const peer = await startTaskPeer(era)
    const place = createPlace({ type: 'http', url: peer.url })
    const { caller, id } = await place.call()
    await kill(caller)
    const host = await place.open()
    expect(await host.tasks.list()).toMatchObject([{ id, status: 'working', isFollowed: false }])
    const waiting = host.tasks.wait(id.slice(0, 6))
    await peer.tell('finish')
    expect(await waiting).toMatchObject({ id, status: 'completed', text: 'brewed coffee null' })
    expect(await countOf(peer, 'tools/call')).toBe(1)
  })

  test('a task is left running when its host closes, and is followed again by resume', async () => {
    const peer = await startTaskPeer(era)
    const place = createPlace({ type: 'http', url: peer.url })
    const { caller, id } = await place.call()
    caller.go()
    await caller.ended
    expect((await peer.tell('state')).statuses).toEqual(['working'])
    const host = await place.open()
    expect(await host.tasks.resume()).toMatchObject([{ id, isFollowed: true }])
    await peer.tell('finish')
    expect(await host.tasks.wait(id)).toMatchObject({ status: 'completed' })
  })

  test('a task that its server does not know any more is lost', async () => {
    const peer = await startTaskPeer(era)
    const place = createPlace({ type: 'http', url: peer.url })
    const { caller, id } = await place.call()
    await kill(caller)
    await peer.tell('forget')
    const host = await place.open()
    expect(await host.tasks.wait(id)).toMatchObject({
      status: 'lost',
      message: 'The server does not know it any more: it was lost or has expired.',
    })
    expect(await countOf(peer, 'tools/call')).toBe(1)
  })

  test('a task that no process follows is cancelled at its server', async () => {
    const peer = await startTaskPeer(era)
    const place = createPlace({ type: 'http', url: peer.url })
    const { caller, id } = await place.call()
    await kill(caller)
    const host = await place.open()
    // Known before a short program ends.
    expect(await host.tasks.cancel(id)).toMatchObject({ status: 'cancelled', isCancelRequested: true })
    expect((await peer.tell('state')).statuses).toEqual(['cancelled'])
  })

  test('a wait ends when the server fails to say how the task goes, and a later one follows it again', async () => {
    const peer = await startTaskPeer(era)
    const place = createPlace({ type: 'http', url: peer.url })
    const { caller, id } = await place.call()
    await kill(caller)
    await peer.tell('refuse/tasks/get/-32603')
    const before = await countOf(peer, 'tasks/get')
    const host = await place.open({ isHasty: true })
    await expect(host.tasks.wait(id)).rejects.toMatchObject({
      code: 'task.unreachable',
      data: { task: id, server: 'peer' },
      message: `The task ${id} cannot be followed: "peer" was asked 5 times in vain. "peer" answered: It is broken. The task may still run there.`,
      hint: `Wait for it again later: plugboard tasks wait ${id}`,
    })
    expect({
      asked: (await countOf(peer, 'tasks/get')) - before,
      cancelled: await countOf(peer, 'tasks/cancel'),
      pauses: host.pauses.filter((ms) => ms >= 500 && ms < 60_000),
    }).toEqual({ asked: 5, cancelled: 0, pauses: [500, 1000, 2000, 4000] })
    expect(await host.tasks.list()).toMatchObject([{ id, status: 'working', isFollowed: false }])
    await peer.tell('mend')
    await peer.tell('finish')
    expect(await host.tasks.wait(id)).toMatchObject({ status: 'completed', text: 'brewed coffee null' })
  })

  test('a wait ends when the server of the task is gone', async () => {
    const peer = await startTaskPeer(era)
    const place = createPlace({ type: 'http', url: peer.url })
    const { caller, id } = await place.call()
    await kill(caller)
    await peer.stop()
    const host = await place.open({ isHasty: true })
    await expect(host.tasks.wait(id)).rejects.toMatchObject({
      code: 'task.unreachable',
      message: expect.stringContaining('"peer" was asked 5 times in vain.'),
    })
  })

  test('a wait ends when the server goes away meanwhile', async () => {
    const peer = await startTaskPeer(era)
    const place = createPlace({ type: 'http', url: peer.url })
    const { caller, id } = await place.call()
    await kill(caller)
    const host = await place.open({ isHasty: true })
    await host.tasks.resume()
    await expect.poll(() => countOf(peer, 'tasks/get')).toBeGreaterThan(1)
    const problem = host.tasks.wait(id).catch((error: unknown) => error)
    await peer.stop()
    expect(await problem).toMatchObject({ code: 'task.unreachable' })
  })

  test('a server that cannot cancel tasks is named, and no end was requested', async () => {
    const peer = await startTaskPeer(era)
    const place = createPlace({ type: 'http', url: peer.url })
    const { caller, id } = await place.call()
    await kill(caller)
    await peer.tell('refuse/tasks/cancel/-32601')
    const host = await place.open()
    await expect(host.tasks.cancel(id)).rejects.toMatchObject({
      code: 'request.refused',
      message: '"peer" cannot cancel tasks.',
    })
    const [task] = await host.tasks.list()
    expect(task).toMatchObject({ id, status: 'working' })
    expect(task).not.toHaveProperty('isCancelRequested')
  })
})

test('a question of a task is asked by the host that follows it, and not again after a restart', async () => {
  const peer = await startTaskPeer('modern')
  const place = createPlace({ type: 'http', url: peer.url })
  const asked: string[] = []
  const elicit: NonNullable<HostOptions['elicit']> = ({ message }) => {
    asked.push(message)
    return Promise.resolve({ action: 'accept', content: { cups: 2 } })
  }
  const first = await place.open({ elicit })
  const { promise: begun, resolve: onTask } = untilTask()
  const called = first.call('peer/brew', { asks: true }, { onTask }).catch(() => undefined)
  const id = await begun
  await expect.poll(() => countOf(peer, 'tasks/update')).toBe(1)
  await first.close()
  await called
  const second = await place.open({ elicit })
  await second.tasks.resume()
  await peer.tell('finish')
  expect((await second.tasks.wait(id)).text).toContain('"cups":2')
  expect({ asked, updates: await countOf(peer, 'tasks/update') }).toEqual({
    asked: ['How strong?'],
    updates: 1,
  })
})

test('a task of a program is lost with its host, and a wait says so', async () => {
  const place = createPlace(program('tasks'))
  const host = await place.open()
  const { promise: begun, resolve: onTask } = untilTask()
  const called = host.call('peer/stew', {}, { onTask }).catch(() => undefined)
  const id = await begun
  await host.close()
  await called
  const next = await place.open()
  expect(await next.tasks.wait(id)).toMatchObject({
    status: 'lost',
    message: 'The program that ran it has ended.',
  })
})

test('a task of a program that another process runs is cancelled by that process', async () => {
  const place = createPlace(program('tasks'))
  const owner = await place.open()
  const { promise: begun, resolve: onTask } = untilTask()
  const called = owner.call('peer/stew', {}, { onTask }).then(
    () => 'done',
    (error: unknown) => String(error),
  )
  const id = await begun
  const other = await place.open()
  expect(await other.tasks.cancel(id)).toMatchObject({ status: 'working', isCancelRequested: true })
  expect(await called).toContain('cancelled')
  expect(await other.tasks.wait(id)).toMatchObject({ status: 'cancelled' })
})

test('a task is not followed with another entry than it began with', async () => {
  const peer = await startTaskPeer('modern')
  const place = createPlace({ type: 'http', url: peer.url })
  const { caller, id } = await place.call()
  await kill(caller)
  place.rewrite({ type: 'http', url: peer.url, headers: { 'x-team': 'other' } })
  const host = await place.open()
  await expect(host.tasks.wait(id)).rejects.toMatchObject({
    code: 'task.unreachable',
    message: `The task ${id} cannot be followed: "peer" has another entry or login than when the task began.`,
  })
  expect(await countOf(peer, 'tasks/cancel')).toBe(0)
})

test('the server’s id of a task is in a private file only', async () => {
  const peer = await startTaskPeer('modern')
  const place = createPlace({ type: 'http', url: peer.url })
  const host = await place.open()
  const { promise: begun, resolve: onTask } = untilTask()
  const called = host.call('peer/brew', {}, { onTask })
  const id = await begun
  const folder = join(place.home, '.local/state/plugboard/tasks')
  const [file = ''] = readdirSync(folder)
  expect({ file, mode: statSync(join(folder, file)).mode & 0o777 }).toEqual({
    file: `${id}.json`,
    mode: 0o600,
  })
  expect(readFileSync(join(folder, file), 'utf8')).toContain('secret-task-id-1')
  await peer.tell('finish')
  await called
  expect(JSON.stringify([await host.tasks.list(), host.events])).not.toContain('secret-task-id')
})
