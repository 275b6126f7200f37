import { expect, test } from 'vitest'
import { openAgent } from '../support/agent-host.ts'
import { scriptedModel } from '../support/scripted-model.ts'
import type { ScriptedRequest } from '../support/scripted-model.ts'
import { startTaskPeer } from '../support/programs/task-peer.ts'

const brew = { calls: [{ name: 'peer__brew', args: { what: 'tea' } }] }

/** The texts of the last message that a model got. */
function lastText({ prompt }: ScriptedRequest): string {
  return JSON.stringify(prompt.at(-1))
}

test.each(['modern', 'legacy'] as const)(
  'agent: a long task of a %s server runs beside other calls, and its end comes with a later step',
  async (era) => {
    const peer = await startTaskPeer(era)
    const { model, requests } = scriptedModel(
      brew,
      { calls: [{ name: 'peer__look' }] },
      () => {
        void peer.tell('finish')
        return { text: 'I wait.' }
      },
      { text: 'It is brewed.' },
    )
    const host = { servers: { peer: { url: peer.url } } }
    await using world = await openAgent({}, model, { host, limits: { taskMs: 1 } })
    const finished = await world.agent.send('Brew tea').finished
    expect(finished).toMatchObject({ outcome: 'done', text: 'It is brewed.', steps: 4 })
    const [task] = await world.host.tasks.list()
    const [, second, third, fourth] = requests.map(lastText)
    expect(second).toContain(`as task ${task?.id}. It is not finished.`)
    expect(third).toContain('seen')
    expect(fourth).toContain(`[Task ${task?.id} (peer/brew) has ended. Its result:]`)
    expect(fourth).toContain('brewed tea null')
    expect((await peer.tell('state')).seen.filter((each) => each === 'tools/call')).toHaveLength(2)
  },
)

test('agent: a stopped turn leaves its task running, and the next turn is told its end', async () => {
  const peer = await startTaskPeer('modern')
  const stop = new AbortController()
  const { model, requests } = scriptedModel(
    brew,
    () => {
      stop.abort()
      return { text: 'I wait.' }
    },
    { text: 'It is brewed.' },
  )
  const host = { servers: { peer: { url: peer.url } } }
  await using world = await openAgent({}, model, { host, limits: { taskMs: 1 } })
  expect(await world.agent.send('Brew tea', { signal: stop.signal }).finished).toMatchObject({
    outcome: 'cancelled',
  })
  expect((await peer.tell('finish')).statuses).toEqual(['completed'])
  const [task] = await world.host.tasks.list()
  await world.host.tasks.wait(task?.id ?? '')
  expect(await world.agent.send('And?').finished).toMatchObject({ outcome: 'done', text: 'It is brewed.' })
  expect(JSON.stringify(requests.at(-1)?.prompt)).toContain('brewed tea null')
})

test('agent: a task that ends in time is a result like any other', async () => {
  const peer = await startTaskPeer('modern')
  const { model, requests } = scriptedModel(brew, { text: 'It is brewed.' })
  const host = { servers: { peer: { url: peer.url } } }
  await using world = await openAgent({}, model, { host })
  const turn = world.agent.send('Brew tea')
  await expect.poll(async () => (await peer.tell('state')).statuses).toEqual(['working'])
  await peer.tell('finish')
  expect(await turn.finished).toMatchObject({ outcome: 'done', steps: 2 })
  expect(lastText(requests[1] ?? { prompt: [] })).toContain('brewed tea null')
})
