import { describe, expect, test } from 'vitest'
import { hostWith } from '../support/hosted.ts'
import type { HostWithServer } from '../support/hosted.ts'
import { program } from './entries.ts'
import { serveTasks } from './servers/http.ts'

const elicit = () => Promise.resolve({ action: 'accept', content: { name: 'Ada' } } as const)

async function overHttp(
  work: (x: HostWithServer, untilNoted: (line: string) => Promise<void>) => Promise<void>,
) {
  const peer = await serveTasks()
  {
    await using x = await hostWith({ type: 'http', url: peer.url }, { elicit })
    await work(x, (line) => peer.notes.until(line))
  }
  const named = peer.requests.filter(({ headers }) => String(headers['mcp-method']).startsWith('tasks/'))
  expect(named.every(({ headers }) => headers['mcp-name'] === 'task-1')).toBe(true)
  await peer.close()
}

async function overStdio(
  work: (x: HostWithServer, untilNoted: (line: string) => Promise<void>) => Promise<void>,
) {
  await using x = await hostWith(program('tasks'), { elicit })
  await work(x, (line) => x.untilSaid(line))
}

describe.each([
  ['over stdio', overStdio],
  ['over HTTP', overHttp],
])('tasks extension %s', (_transport, withTasks) => {
  test('a call that becomes a task returns the result of the task', () =>
    withTasks(async (x) => expect(await x.call('bake')).toBe('a cake')))

  test('a failed task rejects with the server’s error', () =>
    withTasks(async (x) => {
      await expect(x.call('burn')).rejects.toMatchObject({
        code: 'request.refused',
        data: { error: { code: -32_603, message: 'the oven is on fire' } },
      })
    }))

  test('a task that needs input gets it from the elicit handler, once', () =>
    withTasks(async (x, untilNoted) => {
      expect(JSON.parse(await x.call('order'))).toEqual({
        name: { action: 'accept', content: { name: 'Ada' } },
      })
      await untilNoted('updated task-1')
    }))

  test('aborting a call cancels its task', () =>
    withTasks(async (x, untilNoted) => {
      const controller = new AbortController()
      const call = x.call('stew', {}, { signal: controller.signal })
      await untilNoted('looked at task-1')
      controller.abort()
      await expect(call).rejects.toMatchObject({ code: 'call.cancelled', data: { sent: true } })
      await untilNoted('cancelled task-1')
    }))
})
