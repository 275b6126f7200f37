import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { connectProcess, goodChild } from '../../test/support/connection.ts'
import { outcomeOf, turn } from '../../test/support/outcome.ts'
import type { ScriptedChild } from '../../test/support/scripted-spawn.ts'
import type { WireRequest } from '../../test/support/wire.ts'
import type { Status } from '../model/status.ts'

type Step =
  | { readonly do: 'call'; readonly name: 'echo' | 'slow' | 'die' | 'exit-later' | 'list' }
  | { readonly do: 'cancel'; readonly call: number }
  | { readonly do: 'answer' | 'crash' | 'connect' | 'stop' | 'restart' | 'keep' | 'close' | 'turn' }
  | { readonly do: 'pass'; readonly ms: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('call' as const),
      name: fc.constantFrom(
        'echo' as const,
        'slow' as const,
        'die' as const,
        'exit-later' as const,
        'list' as const,
      ),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('cancel' as const), call: fc.nat(10) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'answer' as const,
        'crash' as const,
        'connect' as const,
        'turn' as const,
        'turn' as const,
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom('stop' as const, 'restart' as const, 'keep' as const) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('pass' as const),
      ms: fc.constantFrom(1, 100, 500, 2500, 40_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('close' as const) }) },
)

const legal: Readonly<Record<Status['state'], readonly Status['state'][]>> = {
  disabled: [],
  untrusted: [],
  idle: ['idle', 'connecting', 'closed'],
  connecting: ['connecting', 'ready', 'waiting', 'failed', 'idle', 'closed'],
  ready: ['waiting', 'failed', 'idle', 'closed'],
  'needs-auth': [],
  waiting: ['connecting', 'idle', 'closed'],
  failed: ['connecting', 'idle', 'closed'],
  closed: [],
}

/** How many programs run in a stable state. */
function aliveIn(state: Status['state']): number | undefined {
  if (state === 'connecting') return undefined
  return state === 'ready' ? 1 : 0
}

/** Answers the handshake, some calls immediately, others on demand, and crashes on the rest. */
function play() {
  const slow: [ScriptedChild, WireRequest['id']][] = []
  return {
    script(asked: WireRequest, child: ScriptedChild) {
      const name = asked.params['name']
      if (asked.method === 'tools/list') child.answer(asked.id, { tools: [] })
      else if (name === 'slow') slow.push([child, asked.id])
      else if (name === 'die') child.exit({ code: 3 })
      else if (name === 'exit-later') queueMicrotask(() => child.exit({ code: 4 }))
      else goodChild(asked, child)
    },
    answer: () => slow.splice(0).forEach(([child, id]) => child.answer(id, 'at last')),
  }
}

interface ModelSettings {
  readonly isKeptOpen: boolean
  readonly endsWithInput: boolean
  readonly hasIdle: boolean
  readonly restart: 'backoff' | 'never'
}

function begin({ isKeptOpen, endsWithInput, hasIdle, restart }: ModelSettings) {
  const played = play()
  const script = (asked: WireRequest, child: ScriptedChild) => played.script(asked, child)
  const timeouts = { startupMs: 30_000, callMs: 60_000, maxCallMs: 600_000, ...(hasIdle && { idleMs: 2000 }) }
  const started = connectProcess({ script, isKeptOpen, endsWithInput, restart, timeouts })
  const { connection, clock, spawned } = started
  const calls: AbortController[] = []
  const others: Promise<unknown>[] = []
  let ended = 0
  const note = (promise: Promise<unknown>) => others.push(outcomeOf(promise).then(() => ended++))
  const steps: { readonly [Do in Step['do']]: (each: Step & { readonly do: Do }) => unknown } = {
    call({ name }) {
      const controller = new AbortController()
      const { signal } = controller
      calls.push(controller)
      note(
        name === 'list'
          ? connection.list('tools', { signal })
          : connection.request('tools/call', { name }, { signal }),
      )
    },
    cancel: ({ call }) => calls[call]?.abort(),
    answer: () => played.answer(),
    crash: () => spawned.children.find(({ isAlive }) => isAlive)?.exit(),
    connect: () => note(connection.connect()),
    stop: () => note(connection.stop()),
    restart: () => note(connection.restart()),
    keep: () => connection.keepOpen(),
    close: () => note(connection.close()),
    turn,
    pass: ({ ms }) => clock.advance(ms),
  }
  return {
    ...started,
    asked: () => others.length,
    ended: () => ended,
    take: (each: Step) => (steps[each.do] as (each: Step) => unknown)(each), // the table has an entry for each kind
  }
}

const setting: fc.Arbitrary<ModelSettings> = fc.record({
  isKeptOpen: fc.boolean(),
  endsWithInput: fc.boolean(),
  hasIdle: fc.boolean(),
  restart: fc.constantFrom('backoff' as const, 'never' as const),
})

test('FI-87 connection: for any order of events each call settles once, two programs never run at a time, and nothing is left', async () => {
  await fc.assert(
    fc.asyncProperty(setting, fc.array(step, { maxLength: 40 }), async (how, steps) => {
      const { connection, clock, spawned, statuses, take, asked, ended } = begin(how)
      for (const each of steps) {
        await take(each)
        expect(spawned.most).toBeLessThanOrEqual(1)
      }
      // After a while, the reported state matches the real one.
      await clock.advance(100_000)
      const { state } = connection.status
      expect({ state, alive: spawned.alive }).toEqual({ state, alive: aliveIn(state) ?? spawned.alive })

      const closed = connection.close()
      await clock.advance(10_000)
      await closed
      await turn()
      expect({
        ended: ended(),
        alive: spawned.alive,
        most: spawned.most <= 1,
        timers: clock.sleeping,
        state: connection.status.state,
      }).toEqual({ ended: asked(), alive: 0, most: true, timers: 0, state: 'closed' })
      const states: readonly Status['state'][] = ['idle', ...statuses.map((status) => status.state)]
      states.slice(1).forEach((next, index) => expect(legal[states[index] ?? 'closed']).toContain(next))
    }),
    { numRuns: 300 },
  )
})
