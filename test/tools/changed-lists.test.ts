import { describe, expect, test } from 'vitest'
import { isHostError } from '../../src/index.ts'
import type { Json } from '../../src/index.ts'
import type { AuditEntry } from '../../src/store.ts'
import { isObject } from '../../src/model/json.ts'
import { createFakeClock, createScriptedServer } from '../../src/testing.ts'
import { toDefinition, toolHost } from '../support/tool-host.ts'
import type { ToolHostOptions } from '../support/tool-host.ts'

const changed = 'notifications/tools/list_changed'
const pay = { ...toDefinition('pay'), description: 'Pays a bill.' }
const loose = { ...pay, description: 'Pays a bill, or any other one.' }

/** One server whose tools change. Requests wait where the test says so. */
async function changing(options: ToolHostOptions = {}) {
  const clock = createFakeClock(Date.parse('2026-07-28'))
  let tools: readonly Json[] = [pay]
  let [calls, announced] = [0, 0]
  let listing: Promise<void> = Promise.resolve()
  let calling: Promise<void> = Promise.resolve()
  let onCalled = () => undefined as void
  const server = createScriptedServer({
    on: {
      async 'tools/list'() {
        await listing
        return { tools }
      },
      async 'tools/call'() {
        calls++
        onCalled()
        await calling
        return { content: [{ type: 'text', text: 'paid' }] }
      },
    },
  })
  const rows: AuditEntry[] = []
  const trail = {
    record: (row: AuditEntry) => void rows.push(row),
    flush: async () => undefined,
    close: async () => undefined,
  }
  const host = await toolHost(
    { a: { command: 'not-started' } },
    {
      accept: 'tofu',
      platform: { clock },
      channels: { a: server.open },
      audit: { surface: 'test', trail },
      ...options,
    },
  )
  await host.host.ready({ from: 'servers' })
  return {
    host: host.host,
    clock,
    rows,
    calls: () => calls,
    until: host.until,
    /** Announces other tools. What the server sends next has arrived after the announcement. */
    async announce(...next: readonly Json[]) {
      tools = next
      const data = `announcement ${++announced}`
      const heard = host.until('server.notified', ({ params }) => isObject(params) && params['data'] === data)
      server.notify(changed)
      server.notify('notifications/message', { level: 'info', data })
      await heard
    },
    /** Lists wait until the returned function is called. */
    holdLists() {
      let go = () => undefined as void
      listing = new Promise((resolve) => (go = resolve))
      return go
    },
    holdCalls() {
      let go = () => undefined as void
      calling = new Promise((resolve) => (go = resolve))
      return go
    },
    called: () => new Promise<void>((resolve) => (onCalled = resolve)),
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  }
}

type Changing = Awaited<ReturnType<typeof changing>>

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    (error: unknown) => (isHostError(error, 'tool.held') ? [error.code, error.data] : error),
  )
const heldData = { ref: 'a/pay', server: 'a', reason: 'changed' }

/** What the trail has about calls: their outcome and the decision. */
async function rowsOf(x: Changing) {
  await x.host.flushAudit()
  return x.rows.map((row) => row.kind === 'call' && [row.outcome, row.error, row.decision])
}

describe('calls of a server that announces other tools', () => {
  test('T150 a second announcement within the quiet time: the next call waits for the list, and is not sent', async () => {
    await using x = await changing()
    await x.announce(pay)
    await x.host.ready({ from: 'servers' })
    await x.announce(loose)
    expect(await codeOf(x.host.call('a__pay', {}))).toEqual(['tool.held', heldData])
    expect(x.calls()).toBe(0)
  })

  test('T150 a list that does not come: a call waits 2 seconds for it, and is sent', async () => {
    await using x = await changing()
    const goOn = x.holdLists()
    await x.announce(pay)
    const called = x.called()
    const call = x.host.call('a__pay', {})
    await x.clock.advance(1999)
    expect(x.calls()).toBe(0)
    await x.clock.advance(1)
    await called
    goOn()
    expect((await call).text).toBe('paid')
    expect(await rowsOf(x)).toEqual([
      ['done', undefined, { effect: 'allow', by: 'default', judged: 'passed' }],
    ])
  })

  test('T150 without acceptances too, a call waits for the announced list', async () => {
    await using x = await changing({ accept: 'off' })
    const goOn = x.holdLists()
    await x.announce(loose)
    const call = x.host.call('a__pay', {})
    await x.clock.advance(1000)
    expect(x.calls()).toBe(0)
    goOn()
    expect((await call).text).toBe('paid')
    expect(x.host.tools()[0]?.description).toBe(loose.description)
  })

  test('T151 a call that was sent before the announcement: its answer is judged by the new list', async () => {
    await using x = await changing()
    const [answer, called] = [x.holdCalls(), x.called()]
    const call = codeOf(x.host.call('a__pay', {}))
    await called
    await x.announce(loose)
    answer()
    expect(await call).toEqual(['tool.held', { ...heldData, sent: true }])
    expect(await rowsOf(x)).toEqual([
      ['failed', 'tool.held', { effect: 'allow', by: 'default', judged: 'withheld' }],
    ])
  })

  test('T151 the answer waits for a list that is late', async () => {
    await using x = await changing()
    const [list, answer, called] = [x.holdLists(), x.holdCalls(), x.called()]
    const call = codeOf(x.host.call('a__pay', {}))
    await called
    await x.announce(loose)
    answer()
    list()
    expect(await call).toEqual(['tool.held', { ...heldData, sent: true }])
  })

  test('T151 a bare request is judged in the same way', async () => {
    await using x = await changing()
    const [answer, called] = [x.holdCalls(), x.called()]
    const call = codeOf(x.host.request('a', 'tools/call', { name: 'pay', arguments: {} }))
    await called
    await x.announce(loose)
    answer()
    expect(await call).toEqual(['tool.held', { ...heldData, sent: true }])
    expect(await rowsOf(x)).toEqual([
      ['failed', 'tool.held', { effect: 'allow', by: 'request', judged: 'withheld' }],
    ])
    await x.announce(pay)
    expect(await codeOf(x.host.request('a', 'tools/call', { name: 'pay', arguments: {} }))).toBe('done')
  })

  test('T151 a tool that takes itself off the list has done its work: its answer is passed on', async () => {
    await using x = await changing()
    const [answer, called] = [x.holdCalls(), x.called()]
    const call = x.host.call('a__pay', {})
    await called
    await x.announce()
    answer()
    expect((await call).text).toBe('paid')
    expect(x.host.tools()).toEqual([])
  })
})
