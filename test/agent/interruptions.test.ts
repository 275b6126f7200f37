import { describe, expect, test } from 'vitest'
import { agentOn, reader, runAgent, scriptedModel } from '../support/agent-run.ts'
import { wires } from '../support/model-server.ts'
import { Stores, drivers } from '../support/stores.ts'
import { serverWithTools, toolHost } from '../support/tool-host.ts'

const good = serverWithTools([reader('add')])

// PostgreSQL takes seconds to start; the tests of the store have it.
const files = drivers.filter(({ driver }) => driver !== 'postgres')

describe('agent: interruptions', () => {
  test('B1 a server that crashes in the middle of a call: the failure goes back to the model, the other server answers', async () => {
    const crashing = serverWithTools([reader('look')], { on: { 'tools/call': { exit: 3 } } })
    const run = await runAgent({
      servers: { crashing, good },
      script: [
        { calls: [{ name: 'crashing__look' }, { name: 'good__add' }] },
        { text: 'One of them failed.' },
      ],
    })
    expect(await run.ask('Go.')).toMatchObject({ outcome: 'done', text: 'One of them failed.' })
    expect(run.eventsOf('call.finished').map(({ name, outcome }) => [name, outcome])).toEqual([
      ['crashing__look', expect.stringMatching(/failed|unknown-outcome/)],
      ['good__add', 'done'],
    ])
    expect(run.model.requests[1]?.messages.at(-1)?.results).toHaveLength(2)
  })

  test.each(wires)(
    '%s: a cancelled answer: the model server sees the close, and the conversation goes on',
    async (wire) => {
      const run = await runAgent({ wire, script: [{ text: 'On and on: ', endless: true }, { text: 'Yes.' }] })
      const stop = new AbortController()
      const turn = run.ask('Talk.', stop.signal)
      const request = await run.model.arrived(1)
      while (run.eventsOf('text').length < 2) await new Promise((resolve) => setImmediate(resolve))
      stop.abort()
      await request.closed
      expect(await turn).toMatchObject({ outcome: 'cancelled' })
      expect(await run.ask('Still there?')).toMatchObject({ outcome: 'done', text: 'Yes.' })
      expect(run.model.requests[1]?.messages.at(-1)?.text).toBe('Still there?')
    },
  )

  test.each(wires)(
    '%s: a turn cancelled in the middle of a call: the server is told, every call has a result',
    async (wire) => {
      const hanging = serverWithTools([reader('wait')], { on: { 'tools/call': 'hang' } })
      const run = await runAgent({
        wire,
        servers: { hanging, good },
        script: [{ calls: [{ name: 'hanging__wait' }, { name: 'good__add' }] }, { text: 'Yes.' }],
      })
      const stop = new AbortController()
      const turn = run.ask('Go.', stop.signal)
      while (run.eventsOf('call.started').length === 0) await new Promise((resolve) => setImmediate(resolve))
      stop.abort()
      expect(await turn).toMatchObject({ outcome: 'cancelled' })
      expect(await run.ask('Still there?')).toMatchObject({ outcome: 'done', text: 'Yes.' })
    },
  )

  test.each(files)(
    'D5 D6 $driver: a conversation goes on in a new host, with its messages, switches and folder',
    async ({ driver, missing }) => {
      if (missing) return
      const stores = new Stores(driver)
      try {
        const at = await stores.place()
        const store = await stores.open({ at })
        const model = await scriptedModel('openai-chat', [
          { calls: [{ name: 'good__add', args: { a: 1 } }] },
          { text: 'First answer.' },
          { text: 'Second answer.' },
        ])
        const entries = { good, other: serverWithTools([reader('more')]) }
        const first = await agentOn(await toolHost(entries, { memory: store.memory }), model, { store })
        await first.ask('First question.')
        await first.agent.switchServer('other', false)
        const { id, cwd } = first.agent.conversation
        await first.agent.close()
        await first.servers.host.close()

        const again = await stores.open({ at })
        const second = await agentOn(await toolHost(entries, { memory: again.memory }), model, {
          store: again,
          conversation: id,
        })
        expect(second.agent.conversation).toMatchObject({ id, cwd })
        expect(await second.ask('Second question.')).toMatchObject({
          outcome: 'done',
          text: 'Second answer.',
        })
        const last = model.requests[2]
        expect(last?.messages.map(({ role, text }) => [role, text])).toEqual([
          ['user', 'First question.'],
          ['assistant', ''],
          ['tool', ''],
          ['assistant', 'First answer.'],
          ['user', 'Second question.'],
        ])
        expect(last?.tools.map(({ name }) => name)).toEqual(['good__add'])
        await second.servers.host.close()
      } finally {
        await stores.close()
      }
    },
  )
})
