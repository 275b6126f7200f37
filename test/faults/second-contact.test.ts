import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { toOpenAi } from '../../src/adapters/openai.ts'
import type { Host, JsonObject } from '../../src/index.ts'
import { callOutcome, faultHost, faulty, newHome } from '../support/fault-host.ts'
import type { FaultHost } from '../support/fault-host.ts'

const hanging = faulty({ on: { 'server/discover': 'hang', initialize: 'hang' } })
const offered = {
  capabilities: { tools: {}, prompts: {}, resources: {} },
  tools: [{ name: 'w', inputSchema: { type: 'object' } }],
  prompts: [{ name: 'p' }],
  resources: [{ uri: 'note://one', name: 'one' }],
}
const on = {
  'tools/call:w': { text: 'ok' },
  'prompts/get': { result: { messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }] } },
  'resources/read': { result: { contents: [{ uri: 'note://one', text: 'first note' }] } },
} as const

/** A server that exits at once until `mend` is called, beside a hanging one. */
async function brokenHost(servers: Readonly<Record<string, JsonObject>> = { hang: hanging }) {
  const home = newHome()
  const flag = join(home, 'mended')
  const { command, args } = faulty({ ...offered, on }) as {
    readonly command: string
    readonly args: string[]
  }
  const script = `[ -e '${flag}' ] || exit 1; exec "$0" "$@"`
  const x = { command: '/bin/sh', args: ['-c', script, command, ...args] }
  const fault = await faultHost({ x, ...servers }, { home })
  return { fault, mend: () => writeFileSync(flag, '') }
}

/** Lets the pause before the next attempt pass. */
async function untilRetry(fault: FaultHost): Promise<void> {
  const status = await fault.untilStatus('waiting')
  if (status.state === 'waiting') await fault.clock.advance(status.retryAt - fault.clock.now())
}

describe('FI-93 a server whose first start failed', () => {
  const acts: Readonly<Record<string, (host: Host) => Promise<unknown>>> = {
    'a call by name': (host) => host.call('x__w').then(({ text }) => text),
    'a call by ref': (host) => host.call('x/w').then(({ text }) => text),
    'a prompt': (host) => host.prompt('x', 'p').then(({ messages }) => messages.length),
    'a prompt as a command': (host) => host.command('/x:p').then(({ messages }) => messages.length),
    'a resource': (host) => host.read('note://one', { server: 'x' }).then((parts) => parts.length),
  }

  test.each(Object.entries(acts))('FI-93 %s tries it again once its pause is over', async (_what, act) => {
    const { fault, mend } = await brokenHost()
    await using _ = fault
    expect(await callOutcome(act(fault.host))).toMatchObject({ code: 'server.failed', server: 'x' })
    mend()
    // The pause is not over.
    const { length: started } = fault.pids()
    expect(await callOutcome(act(fault.host))).toMatchObject({ code: 'server.failed', server: 'x' })
    expect(fault.pids()).toHaveLength(started)
    await untilRetry(fault)
    expect(await act(fault.host)).toEqual(await act(fault.host))
    expect(fault.status('hang').state).not.toBe('failed')
  })

  test('FI-93 after ready() with a limit, it recovers while another server still hangs', async () => {
    const { fault, mend } = await brokenHost()
    await using _ = fault
    const waited = fault.host.ready({ timeoutMs: 500 })
    await untilRetry(fault)
    await fault.clock.advance(500)
    await waited
    mend()
    expect((await fault.host.call('x__w')).text).toBe('ok')
    expect(fault.status('hang')).toMatchObject({ state: 'connecting' })
  })

  test('FI-93 an adapter tries it again once its pause is over', async () => {
    const { fault, mend } = await brokenHost({})
    await using _ = fault
    const names = async () => (await toOpenAi(fault.host)).chat.tools.map((tool) => tool.function.name)
    expect(await names()).toEqual(['good__tool-0'])
    const { length: started } = fault.pids()
    expect(await names()).toEqual(['good__tool-0'])
    expect(fault.pids()).toHaveLength(started)
    await untilRetry(fault)
    mend()
    expect(await names()).toEqual(['good__tool-0', 'x__w'])
  })
})

describe('FI-93 what concerns no server waits for none', () => {
  const acts: Readonly<Record<string, (host: Host) => Promise<unknown>>> = {
    'tool.unknown': (host) => host.call('nope/echo'),
    'server.unknown': (host) => host.prompt('nope', 'p'),
    'server.unknown ': (host) => host.read('note://one', { server: 'nope' }),
  }

  test.each(Object.entries(acts))('FI-93 an undeclared server is %s at once', async (code, act) => {
    await using fault = await faultHost({ x: hanging })
    expect(await callOutcome(act(fault.host))).toMatchObject({ code: code.trim() })
    expect(fault.pids()).toEqual([])
  })
})

describe('FI-93 host.add of a server that hangs, while tools are in use', () => {
  const entry = hanging as { readonly command: string; readonly args: string[] }

  const outcomeAfter = async (end: (fault: FaultHost) => Promise<unknown>) => {
    await using fault = await faultHost({})
    await fault.host.ready()
    const added = callOutcome(fault.host.add('late', entry))
    await fault.until(
      'server.changed',
      ({ server, status }) =>
        server === 'late' && status.state === 'connecting' && status.step === 'greeting',
    )
    await fault.advanceUntil(end(fault))
    return fault.advanceUntil(added)
  }

  test('FI-93 it is removed meanwhile: rejects', async () => {
    expect(await outcomeAfter(({ host }) => host.remove('late'))).toMatchObject({ code: 'server.unknown' })
  })

  test('FI-93 the host is closed meanwhile: rejects', async () => {
    expect(await outcomeAfter(({ host }) => host.close())).toMatchObject({ code: 'host.closed' })
  })

  test('FI-93 timeoutMs: the server stays declared, and goes on starting', async () => {
    await using fault = await faultHost({})
    await fault.host.ready()
    const state = { isOpen: true }
    const added = fault.host.add('late', entry, { timeoutMs: 50 }).finally(() => (state.isOpen = false))
    await fault.until(
      'server.changed',
      ({ server, status }) => server === 'late' && status.state === 'connecting',
    )
    expect(state.isOpen).toBe(true)
    await fault.clock.advance(50)
    await added
    expect(fault.status('late').state).toBe('connecting')
  })
})

test('FI-93 host.add beside host.close rejects, and nothing is left unhandled', async () => {
  await using fault = await faultHost({})
  const added = callOutcome(fault.host.add('late', { command: 'sleep', args: ['100'] }))
  const closed = fault.host.close()
  expect(await added).toMatchObject({ code: 'host.closed' })
  await closed
})

describe('FI-93 a declared server that cannot be started', () => {
  const acts: Readonly<Record<string, (host: Host) => Promise<unknown>>> = {
    'a prompt': (host) => host.prompt('gone', 'p'),
    'a prompt as a command': (host) => host.command('/gone:p'),
    'a resource of it': (host) => host.read('note://one', { server: 'gone' }),
    'a tool': (host) => host.call('gone__w'),
  }

  test('FI-93 each request says why, also the second time; a resource without a server names it', async () => {
    await using fault = await faultHost({ gone: { command: 'no-such-command-anywhere' } })
    for (const _round of [1, 2])
      for (const [what, act] of Object.entries(acts))
        expect({ what, ...Object(await callOutcome(act(fault.host))) }).toMatchObject({
          what,
          code: 'server.failed',
          failure: { code: 'spawn' },
        })
    await expect(fault.host.read('note://none')).rejects.toThrow(
      'The resources of these servers are unknown: gone.',
    )
  })
})

test('a server that was never asked is idle since the configuration was read', async () => {
  await using fault = await faultHost({ x: hanging })
  const since = () => fault.host.servers().find(({ name }) => name === 'x')?.status.since
  const before = since()
  await fault.clock.advance(5000)
  expect(since()).toBe(before)
})
