import { describe, expect, test } from 'vitest'
import { connectProcess, createLinkContext, initialized } from '../../test/support/connection.ts'
import { countedSignal, outcomeOf, turn } from '../../test/support/outcome.ts'
import { createScriptedSpawn } from '../../test/support/scripted-spawn.ts'
import type { ScriptedChild } from '../../test/support/scripted-spawn.ts'
import type { WireRequest } from '../../test/support/wire.ts'
import { Secret } from '../model/secret.ts'
import { createFakeClock } from '../testing/fake-clock.ts'
import { createFakePlatform } from '../testing/fake-platform.ts'
import { WireError } from '../wire/wire-error.ts'
import type { LinkContext } from './link.ts'
import { openProcess } from './open-process.ts'

const over = new WireError('cancelled', 'over')
const discovered = { supportedVersions: ['2026-07-28'], capabilities: {} }
const legacy = { era: 'legacy', version: '2025-11-25', capabilities: { tools: {} } }

/** Opens a program directly and records all events. */
function open(
  script: (asked: WireRequest, child: ScriptedChild) => void,
  more: Partial<LinkContext> & { readonly ignoresTerm?: boolean } = {},
) {
  const { ignoresTerm = false, ...context } = more
  const clock = createFakeClock()
  const spawned = createScriptedSpawn(script, { ignoresTerm, endsWithInput: !ignoresTerm })
  const told: string[] = []
  const nothing = () => undefined
  const given = countedSignal()
  const hurry = countedSignal()
  const result = openProcess(
    {
      kind: 'stdio',
      command: 'server',
      args: ['-v', new Secret('s3cret')],
      env: { KEY: new Secret('k') },
      framing: 'auto',
    },
    createLinkContext(
      clock,
      {
        urgency: () => 'called',
        hurry: hurry.signal,
        on: {
          step: (step) => void told.push(step),
          closed: ({ code }) => void told.push(`closed ${code}`),
          notified: nothing,
          listChanged: nothing,
          dropped: nothing,
          warned: (message) => void told.push(message),
          said: (_stream, line) => void told.push(`said ${line}`),
          started: ({ pid }) => void told.push(`started ${pid}`),
          ended: ({ pid }) => void told.push(`ended ${pid}`),
          left: ({ left }) => void told.push(`left ${left.length}`),
        },
      },
      { protocol: 'auto', platform: { ...createFakePlatform({ clock }), spawn: spawned.spawn }, ...context },
    ),
    given.signal,
  )
  result.catch(nothing)
  return { clock, spawned, told, result, abort: () => given.abort(), hurry }
}

/** A server that exits on any unknown request before it is initialized. */
function strict({ id, method }: WireRequest, child: ScriptedChild): void {
  if (method === 'initialize') child.answer(id, initialized)
  else child.exit({ code: 101 })
}

describe('openProcess: starting', () => {
  test('D15 the program gets its values, and each step is reported', async () => {
    const { spawned, told, result } = open(({ id }, child) => child.answer(id, discovered))
    const link = await result
    expect(link.greeting).toEqual({ era: 'modern', version: '2026-07-28', capabilities: {} })
    expect(spawned.options).toEqual([
      {
        command: 'server',
        args: ['-v', 's3cret'],
        env: { KEY: 'k', PLUGBOARD_STARTED: expect.stringMatching(/^\w{20}$/) as string },
        cwd: '/home/dana/shop',
      },
    ])
    expect(told).toEqual(['queued', 'starting', 'started 1001', 'greeting'])
    await link.close(over)
    await turn()
    expect(told.slice(4)).toEqual(['ended 1001'])
  })

  test('10 s without an answer cause a warning with the last stderr lines', async () => {
    const { clock, spawned, told, result, abort } = open(() => undefined)
    await turn()
    spawned.children[0]?.say('loading a model\n')
    await clock.advance(10_000)
    expect(told).toContain('No answer for 10 s. It last said: loading a model')
    abort()
    await outcomeOf(result)
    expect({ timers: clock.sleeping, alive: spawned.alive }).toEqual({ timers: 0, alive: 0 })
  })

  test('no listener stays on the hurry signal', async () => {
    const { result, hurry } = open(({ id }, child) => child.answer(id, discovered))
    const link = await result
    expect(hurry.listeners).toBe(0)
    await link.close(over)
  })

  test('hurry ends a cancelled program that is slow to exit', async () => {
    const { spawned, result, abort, hurry } = open(() => undefined, { ignoresTerm: true })
    await turn()
    abort()
    await turn()
    expect(spawned.alive).toBe(1)
    hurry.abort()
    expect(await outcomeOf(result)).toMatchObject({ wire: 'cancelled' })
    expect(spawned.children[0]?.signals).toEqual(['SIGTERM', 'SIGKILL'])
  })
})

describe('C29 openProcess: a program that exits on the probe', () => {
  test('C29 is started again and greeted with initialize, and never runs twice at a time', async () => {
    const { spawned, told, result } = open(strict)
    const link = await result
    await turn()
    expect(link.greeting).toEqual(legacy)
    expect(spawned.children.map(({ pipe }) => pipe.methods)).toEqual([
      ['server/discover'],
      ['initialize', 'notifications/initialized'],
    ])
    expect(spawned.most).toBe(1)
    expect(told.filter((each) => !each.startsWith('closed'))).toEqual([
      'queued',
      'starting',
      'started 1001',
      'greeting',
      'ended 1001',
      'queued',
      'starting',
      'started 1002',
      'greeting',
    ])
    await link.close(over)
  })

  test('that exits on initialize too fails, with its stderr', async () => {
    const { spawned, result } = open((_asked, child) => {
      child.say('no license\n')
      child.exit({ code: 5 })
    })
    const error: unknown = await result.catch((caught: unknown) => caught)
    expect(error).toMatchObject({
      code: 'exit',
      facts: { exit: { code: 5, signal: null }, stderr: ['no license'] },
    })
    expect({ started: spawned.children.length, alive: spawned.alive }).toEqual({ started: 2, alive: 0 })
  })

  test.each(['legacy', '2026-07-28'] as const)(
    'with protocol %s in the entry there is no probe and no second start',
    async (protocol) => {
      const { spawned, result } = open((_asked, child) => child.exit(), { protocol })
      const link = await result.catch(() => undefined)
      expect(spawned.children).toHaveLength(1)
      await link?.close(over)
    },
  )

  test('with a remembered era is started only once', async () => {
    const { spawned, result } = open((_asked, child) => child.exit(), { remembered: 'legacy' })
    expect(await outcomeOf(result)).toMatchObject({ wire: 'exit' })
    expect(spawned.children).toHaveLength(1)
  })

  test('C18 is not started again after a cancel', async () => {
    const { spawned, result, abort } = open(() => undefined)
    await turn()
    abort()
    expect(await outcomeOf(result)).toMatchObject({ wire: 'cancelled' })
    expect({ started: spawned.children.length, alive: spawned.alive }).toEqual({ started: 1, alive: 0 })
  })

  test('causes no status change of its connection', async () => {
    const { connection, statuses } = connectProcess({ script: strict, context: { protocol: 'auto' } })
    expect(await connection.connect()).toEqual(legacy)
    expect(new Set(statuses.map(({ state }) => state))).toEqual(new Set(['connecting', 'ready']))
    await connection.close()
  })
})

test('C29 openProcess: a silent pipe gets initialize after the grace period, on the same program', async () => {
  const { clock, spawned, result } = open(({ id, method }, child) => {
    if (method === 'initialize') child.answer(id, initialized)
  })
  await clock.advance(5000)
  const link = await result
  await turn()
  expect(link.greeting).toEqual(legacy)
  expect(spawned.children.map(({ pipe }) => pipe.methods)).toEqual([
    ['server/discover', 'initialize', 'notifications/initialized'],
  ])
  await link.close(over)
})

test('openProcess: the start slot is released as soon as the first request is sent', async () => {
  const { clock, result, abort } = open(() => undefined)
  await turn()
  // A held slot would have a timer of one second; the other timers are far away.
  await clock.advance(999)
  const before = clock.sleeping
  await clock.advance(1)
  expect(clock.sleeping).toBe(before)
  abort()
  await outcomeOf(result)
})
