import { expect, test } from 'vitest'
import type { Caller, LimitRule } from '../../../internal.ts'
import { CallerPlaces } from './caller-places.ts'

const ci: Caller = { id: 'key:1', name: 'ci-1', kind: 'key' }
const other: Caller = { id: 'key:2', name: 'ci-2', kind: 'key' }
const owner: Caller = { id: 'owner', name: 'owner', kind: 'owner' }

/** Calls that run until they are let go; `running` has their names. */
function startCalls(rules: readonly LimitRule[]) {
  const places = new CallerPlaces(rules)
  const open = new Map<string, () => void>()
  const call = (
    name: string,
    caller: Caller = ci,
    ref = 'web/read',
    signal = new AbortController().signal,
  ) => {
    const run = () => new Promise<string>((resolve) => open.set(name, () => resolve(name)))
    return places.during({ caller, ref, signal }, run)
  }
  const running = async () => {
    await new Promise(setImmediate)
    return [...open.keys()].toSorted()
  }
  const end = (name: string) => {
    open.get(name)?.()
    open.delete(name)
  }
  return { call, running, end }
}

test('FI-101 concurrent: further calls of a caller wait, and run in their order', async () => {
  const { call, running, end } = startCalls([{ concurrent: 2 }])
  const calls = ['a', 'b', 'c', 'd'].map((name) => call(name))
  expect(await running()).toEqual(['a', 'b'])
  end('b')
  expect(await running()).toEqual(['a', 'c'])
  for (const name of ['a', 'c']) end(name)
  expect(await running()).toEqual(['d'])
  end('d')
  expect(await Promise.all(calls)).toEqual(['a', 'b', 'c', 'd'])
  // Every place is free again.
  void call('e')
  void call('f')
  expect(await running()).toEqual(['e', 'f'])
})

test('FI-101 concurrent: each caller has places of its own, and the person who started the gateway needs none', async () => {
  const { call, running } = startCalls([{ concurrent: 1 }])
  for (const [at, caller] of [ci, ci, other, owner, owner].entries())
    void call(`${at} ${caller.name}`, caller)
  expect(await running()).toEqual(['0 ci-1', '2 ci-2', '3 owner', '4 owner'])
})

test('FI-101 concurrent: a call needs a place of each rule that names its caller and tool', async () => {
  const { call, running, end } = startCalls([
    { callers: ['ci*'], tools: ['slow/*'], concurrent: 1 },
    { concurrent: 2 },
    { callers: ['x'], perMinute: 1 },
  ])
  void call('slow', ci, 'slow/x')
  void call('slow again', ci, 'slow/x')
  void call('fast', ci, 'fast/x')
  expect(await running()).toEqual(['fast', 'slow'])
  end('fast')
  expect(await running()).toEqual(['slow'])
  end('slow')
  expect(await running()).toEqual(['slow again'])
})

test('FI-101 concurrent: a call that fails leaves its place', async () => {
  const places = new CallerPlaces([{ concurrent: 1 }])
  const about = { caller: ci, ref: 'web/read', signal: new AbortController().signal }
  await expect(places.during(about, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await places.during(about, async () => 'ran')).toBe('ran')
})

test('FI-101 concurrent: a call that is cancelled while it waits never runs, and keeps no place', async () => {
  const { call, running, end } = startCalls([{ concurrent: 1 }])
  const cancelled = new AbortController()
  void call('a')
  const waiting = call('b', ci, 'web/read', cancelled.signal)
  void call('c')
  await running()
  cancelled.abort()
  await expect(waiting).rejects.toThrow('The call was cancelled while it waited for its turn.')
  const late = call('d', ci, 'web/read', cancelled.signal)
  await expect(late).rejects.toThrow('aborted')
  end('a')
  expect(await running()).toEqual(['c'])
})

test('FI-101 concurrent: 10,000 calls of a caller wait; one more is told when to try again', async () => {
  const { call, running } = startCalls([{ concurrent: 1 }])
  for (let at = 0; at <= 10_000; at++) void call(`${at}`)
  await running()
  await expect(call('one more')).rejects.toMatchObject({
    code: 'call.limited',
    data: { ref: 'web/read', retryAfterMs: 1000 },
    message: 'Too many calls: this caller has 1 at a time, and 10000 wait. Try again in 1 s.',
  })
  void call('another caller', other)
  expect(await running()).toEqual(['0', 'another caller'])
})
