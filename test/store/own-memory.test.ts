import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Approve, Grant, Rule } from '../../src/index.ts'
import { openOwnStore } from '../../src/store.ts'
import type { Store } from '../../src/store.ts'
import { newHome, serverWithTools, toolHost } from '../support/tool-host.ts'

const servers = { a: serverWithTools(['write', 'read']) }
const policy: readonly Rule[] = [{ effect: 'ask', tools: ['*__write'], reason: 'It writes.' }]
const memoryOf = (home: string) => join(home, '.local/state/plugboard/memory.json')
const storeOf = (home: string) => join(home, '.local/state/plugboard/store.db')

async function storeIn(home: string): Promise<Store> {
  const cwd = join(home, 'project')
  const { store } = await openOwnStore({ platform: { home, cwd, env: { HOME: home } } })
  if (!store) throw new Error('no driver')
  onTestFinished(() => store.close())
  return store
}

function answering(...grants: readonly (Grant | 'no')[]) {
  let asked = 0
  const approve: Approve = async () => grants[asked++] ?? 'no'
  return { approve, asked: () => asked }
}

const endOf = (call: Promise<{ readonly failed: boolean }>) =>
  call.then(
    () => 'done',
    (error: { readonly code: string }) => error.code,
  )

describe('the memory of a host', () => {
  test('an approval in the memory file holds in the store from then on, until it is withdrawn there', async () => {
    const home = newHome()
    const person = answering('always', 'no')
    await using x = await toolHost(servers, { home, policy, approve: person.approve })
    expect(await endOf(x.host.call('a__write'))).toBe('done')
    expect(existsSync(memoryOf(home))).toBe(true)
    const store = await storeIn(home)
    expect(existsSync(memoryOf(home))).toBe(false)
    expect(await endOf(x.host.call('a__write'))).toBe('done')
    expect(person.asked()).toBe(1)
    await store.memory.approvals.revoke()
    expect(await endOf(x.host.call('a__write'))).toBe('call.denied')
    expect(person.asked()).toBe(2)
  })

  test('an approval that is given beside a store is kept in it, and another process sees it at once', async () => {
    const home = newHome()
    const store = await storeIn(home)
    const [one, two] = [answering('always'), answering()]
    await using x = await toolHost(servers, { home, policy, approve: one.approve })
    await using y = await toolHost(servers, { home, policy, approve: two.approve })
    expect(await endOf(x.host.call('a__write'))).toBe('done')
    expect(await endOf(y.host.call('a__write'))).toBe('done')
    expect(two.asked()).toBe(0)
    expect(existsSync(memoryOf(home))).toBe(false)
    await store.memory.recall()
    expect(store.memory.approvals.of().map(({ ref }) => ref)).toEqual(['a/write'])
  })

  test('an older program beside a store finds no approvals, and what it is told is taken over later', async () => {
    const home = newHome()
    await (await storeIn(home)).close()
    const old = { ref: 'a/write', definition: 'x', entry: 'x', asks: [], at: '2026-01-01T00:00:00.000Z' }
    writeFileSync(memoryOf(home), JSON.stringify({ version: 1, conversations: [], approvals: [old] }), {
      mode: 0o600,
    })
    await using x = await toolHost(servers, { home, policy })
    expect(await endOf(x.host.call('a__write'))).toBe('call.denied')
    expect(existsSync(memoryOf(home))).toBe(false)
    expect((await storeIn(home)).memory.approvals.of()).toEqual([old])
  })

  test('D6 D7 a switch is kept in the store, effective at once in an open scope and in the next host', async () => {
    const home = newHome()
    const store = await storeIn(home)
    await using x = await toolHost(servers, { home })
    await x.host.ready()
    const scope = await x.host.scope({ conversation: 'c1' })
    expect(scope.tools()).toHaveLength(2)
    await x.host.switchServer('c1', 'a', false)
    expect(scope.tools()).toHaveLength(0)
    await store.memory.recall()
    expect(store.memory.toggles.of('c1')).toEqual(new Map([['a', false]]))
    // Another process, such as `plugboard switch`, while this scope is open.
    await store.memory.toggles.set('c1', 'a', true)
    await x.host.scope({ conversation: 'c1' })
    expect(scope.tools()).toHaveLength(2)
  })

  test('a damaged store gives no approval and says so; a call that needs none never opens it', async () => {
    const home = newHome()
    await (await storeIn(home)).close()
    rmSync(`${storeOf(home)}-wal`, { force: true })
    const damage = 'no database at all '.repeat(500)
    writeFileSync(storeOf(home), damage)
    const person = answering('once')
    await using x = await toolHost(servers, { home, policy, approve: person.approve })
    expect(await endOf(x.host.call('a__read'))).toBe('done')
    expect(x.host.problems().map(({ code }) => code)).toEqual([])
    expect(await endOf(x.host.call('a__write'))).toBe('done')
    expect(person.asked()).toBe(1)
    expect(x.host.problems().map(({ code }) => code)).toEqual(['store-damaged'])
    expect(readFileSync(storeOf(home), 'utf8')).toBe(damage)
  })

  test('a memory of the embedder’s own is recalled before it is relied on', async () => {
    let recalled = 0
    const memory = {
      toggles: { of: () => new Map<string, boolean>(), set: async () => undefined },
      approvals: { of: () => [], add: async () => undefined, revoke: async () => 0 },
      recall: async () => void recalled++,
    }
    await using x = await toolHost(servers, { policy, memory })
    expect(await endOf(x.host.call('a__read'))).toBe('done')
    expect(recalled).toBe(0)
    expect(await endOf(x.host.call('a__write'))).toBe('call.denied')
    expect(recalled).toBe(1)
  })
})
