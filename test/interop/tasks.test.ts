import { describe, expect, test } from 'vitest'
import { hostWith } from '../support/hosted.ts'
import type { Hosted } from '../support/hosted.ts'
import { program } from './entries.ts'
import { serveTasks } from './servers/http.ts'

const elicit = () => Promise.resolve({ action: 'accept', content: { name: 'Ada' } } as const)

async function overHttp(work: (x: Hosted, noted: (line: string) => Promise<void>) => Promise<void>) {
  const peer = await serveTasks()
  {
    await using x = await hostWith({ type: 'http', url: peer.url }, { elicit })
    await work(x, (line) => peer.notes.until(line))
  }
  const named = peer.requests.filter(({ headers }) => String(headers['mcp-method']).startsWith('tasks/'))
  expect(named.every(({ headers }) => headers['mcp-name'] === 'task-1')).toBe(true)
  await peer.close()
}

async function onPipe(work: (x: Hosted, noted: (line: string) => Promise<void>) => Promise<void>) {
  await using x = await hostWith(program('tasks'), { elicit })
  await work(x, (line) => x.untilSaid(line))
}

describe.each([
  ['on a pipe', onPipe],
  ['over HTTP', overHttp],
])('the tasks extension %s', (_way, withTasks) => {
  test('a call that becomes a task is followed to its end', () =>
    withTasks(async (x) => expect(await x.call('bake')).toBe('a cake')))

  test('a task that fails is the server’s error', () =>
    withTasks(async (x) => {
      await expect(x.call('burn')).rejects.toMatchObject({
        code: 'request.refused',
        data: { error: { code: -32_603, message: 'the oven is on fire' } },
      })
    }))

  test('a task that needs an answer gets it, once', () =>
    withTasks(async (x, noted) => {
      expect(JSON.parse(await x.call('order'))).toEqual({
        name: { action: 'accept', content: { name: 'Ada' } },
      })
      await noted('updated task-1')
    }))

  test('giving up a call cancels its task', () =>
    withTasks(async (x, noted) => {
      const giveUp = new AbortController()
      const call = x.call('stew', {}, { signal: giveUp.signal })
      await noted('looked at task-1')
      giveUp.abort()
      await expect(call).rejects.toMatchObject({ code: 'call.cancelled', data: { sent: true } })
      await noted('cancelled task-1')
    }))
})
