import { describe, expect, test } from 'vitest'
import { createKeySecret } from '../../src/model/gateway/gateway-key.ts'
import { openOwnKeys } from '../../src/store.ts'
import { untilGone } from '../support/programs/alive.ts'
import { askingServer, callEarly, echoServer, lateServer, startGateway } from '../support/gateway.ts'
import type { GatewayMachine, Reply } from '../support/gateway.ts'

/** Makes a key, and returns the headers of its caller. */
async function callerOf({ machine }: GatewayMachine, name: string) {
  const keys = await openOwnKeys({
    cwd: machine.project,
    platform: { home: machine.home, env: machine.env },
  })
  const { secret, kept } = createKeySecret()
  await keys.add({ name, ...kept, createdAt: '2026-01-01T00:00:00.000Z' })
  await keys.close()
  return { headers: { authorization: `Bearer ${secret}` } }
}

const isolated = (isolation: string) => ({ settings: { gateway: { servers: { 'ech*': { isolation } } } } })
const call = { name: 'echo__echo', arguments: {} }

function pidOf({ body }: Reply): number {
  const { structuredContent } = body.result as { structuredContent?: { pid: number } }
  return structuredContent?.pid ?? 0
}

/** Resolves when the server is in this state. */
function untilState({ gateway: { host } }: GatewayMachine, server: string, state: string): Promise<void> {
  return new Promise((resolve) => {
    host.on((event) => {
      if (event.type === 'server.changed' && event.server === server && event.status.state === state)
        resolve()
    })
  })
}

describe('servers of a gateway', () => {
  test('T38 by default all callers share one process', async () => {
    await using started = await startGateway({ echo: echoServer() })
    const [ada, bob] = [await callerOf(started, 'ada'), await callerOf(started, 'bob')]
    const pids = [pidOf(await started.legacy('tools/call', call))]
    for (const caller of [ada, bob]) pids.push(pidOf(await started.modern('tools/call', call, caller)))
    expect(new Set(pids).size).toBe(1)
  })

  test('T38 with "principal" each caller has a process of its own, whatever client it uses', async () => {
    await using started = await startGateway({ echo: echoServer() }, isolated('principal'))
    const [ada, bob] = [await callerOf(started, 'ada'), await callerOf(started, 'bob')]
    const adas = [
      pidOf(await started.legacy('tools/call', call, ada)),
      pidOf(await started.modern('tools/call', call, ada)),
    ]
    const bobs = await Promise.all([1, 2, 3].map((id) => started.modern('tools/call', call, { ...bob, id })))
    const [adasPid, bobsPid] = [adas[0], pidOf(bobs[0] as Reply)]
    expect(adas).toEqual([adasPid, adasPid])
    expect(bobs.map(pidOf)).toEqual([bobsPid, bobsPid, bobsPid])
    expect(adasPid).not.toBe(bobsPid)
    // A crash of one is no crash of the other.
    await started.modern('tools/call', { name: 'echo__crash', arguments: {} }, bob)
    expect(pidOf(await started.modern('tools/call', call, ada))).toBe(adasPid)
    expect(pidOf(await started.modern('tools/call', call, bob))).not.toBe(bobsPid)
  })

  test('T38 so it is with the tools that search and call, before anything of the server is known', async () => {
    await using started = await startGateway(
      { echo: echoServer(), late: lateServer() },
      { settings: { gateway: { servers: { late: { isolation: 'principal' } } } } },
    )
    const callers = [await callerOf(started, 'ada'), await callerOf(started, 'bob')]
    const late = { name: 'late__echo', arguments: {} }
    const named = { name: 'call_tool', arguments: late }
    const answers = await callEarly(started, () =>
      callers.map((caller) => started.modern('tools/call', named, { ...caller, path: '?mode=search' })),
    )
    const pids = answers.map(pidOf)
    expect(new Set(pids).size).toBe(2)
    const later = await Promise.all(callers.map((caller) => started.modern('tools/call', late, caller)))
    expect(later.map(pidOf)).toEqual(pids)
  })

  test('T38 with "call" each call has a process of its own, which ends with it', async () => {
    await using started = await startGateway({ echo: echoServer() }, isolated('call'))
    const replies = await Promise.all([1, 2, 3].map((id) => started.modern('tools/call', call, { id })))
    const pids = replies.map(pidOf)
    expect(new Set(pids).size).toBe(3)
    await untilGone(...pids)
    expect((await started.modern('tools/list')).body.result).toHaveProperty('tools')
  })

  test('T38 a question from the process of one caller reaches that caller alone', async () => {
    await using started = await startGateway(
      { ask: askingServer('legacy') },
      {
        settings: { gateway: { servers: { '*': { isolation: 'principal' } } } },
      },
    )
    const [ada, bob] = [await callerOf(started, 'ada'), await callerOf(started, 'bob')]
    const options = { capabilities: { elicitation: {} } }
    const ask = { name: 'ask__test_elicitation', arguments: { message: 'Who?' } }
    // Both calls run at once; with one process it would not be clear which of them asks.
    const [first, second] = await Promise.all([
      started.modern('tools/call', ask, { ...options, ...ada }),
      started.modern('tools/call', ask, { ...options, ...bob }),
    ])
    expect([first.body.result?.['resultType'], second.body.result?.['resultType']]).toEqual([
      'input_required',
      'input_required',
    ])
  })

  test('an idle server is stopped, stays listed, and the next call starts it', async () => {
    await using started = await startGateway(
      { echo: echoServer() },
      {
        settings: { gateway: { servers: { echo: { idleSeconds: 1 } } } },
      },
    )
    const idle = untilState(started, 'echo', 'idle')
    const pid = pidOf(await started.legacy('tools/call', call))
    const before = await started.legacy('tools/list')
    await idle
    await untilGone(pid)
    expect((await started.legacy('tools/list')).body).toEqual(before.body)
    expect((await started.modern('tools/list')).body.result).not.toHaveProperty('_meta')
    const after = await started.legacy('tools/call', call)
    expect(pidOf(after)).not.toBe(pid)
  })
})
