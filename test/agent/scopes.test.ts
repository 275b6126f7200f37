import { describe, expect, test } from 'vitest'
import { agentOn, reader, runAgent } from '../support/agent-run.ts'
import type { ModelRequest } from '../support/model-server.ts'
import { scripted, serverWithTools, toDefinition } from '../support/tool-host.ts'

const agents = [
  '## Searcher\ntools: [docs__*]\n',
  '## Careful\ntools: [*, !docs__delete, !math__*]\n',
  '## Nobody\ntools: [!docs__delete]\n',
  '## Everyone\n---\nname: everyone\n---\n',
].join('\n')

const two = {
  docs: serverWithTools([reader('search'), reader('delete')]),
  math: serverWithTools([reader('add')]),
}

const namesIn = (request: ModelRequest | undefined) => request?.tools.map(({ name }) => name) ?? []

describe('agent: what a model sees', () => {
  test('B12 B13 B14 B15 two agents with different globs on one host: each model sees just its scope', async () => {
    const first = await runAgent({
      servers: two,
      host: { files: { 'AGENTS.md': agents } },
      options: { agent: 'Searcher' },
      script: (request) =>
        request.messages.at(-1)?.role === 'user'
          ? {
              calls: [
                { name: 'math__add', args: {} },
                { name: 'docs__delete', args: {} },
              ],
            }
          : { text: 'Done.' },
    })
    const others = []
    for (const agent of ['Careful', 'Nobody', 'everyone'])
      others.push(await agentOn(first.servers, first.model, { agent }))
    for (const run of [first, ...others]) await run.ask('Go.')
    const steps = first.model.requests.filter((_, index) => index % 2 === 0)
    expect(steps.map(namesIn)).toEqual([
      ['docs__delete', 'docs__search'],
      ['docs__search'],
      [],
      ['docs__delete', 'docs__search', 'math__add'],
    ])
    // What it does not see it cannot call, and no server hears of it.
    expect(
      [first, ...others].map((run) => run.eventsOf('call.finished').map(({ outcome }) => outcome)),
    ).toEqual([
      ['failed', 'done'],
      ['failed', 'failed'],
      ['failed', 'failed'],
      ['done', 'done'],
    ])
  })

  test('B16 B17 D6 tools that a server adds in the middle of a turn are there from the next step on', async () => {
    const lists = [['one'], ['one', 'late']].map((names) => ({
      result: { tools: names.map((name) => toDefinition(reader(name))) },
    }))
    const a = scripted({
      tools: [],
      on: {
        'tools/list': { each: lists },
        'tools/call': [{ listChanged: 'tools' }, { until: 'tools/list' }, 'answer'],
      },
    })
    const run = await runAgent({
      servers: { a },
      host: { files: { 'AGENTS.md': '## Few\ntools: [a__one]\n\n## Anyone\n---\nname: anyone\n---\n' } },
      options: { agent: 'anyone' },
      script: [
        { calls: [{ name: 'a__one' }] },
        async () => {
          await run.servers.until('catalog.changed', ({ added }) => added.includes('a/late'))
          return { calls: [{ name: 'a__one' }] }
        },
        { calls: [{ name: 'a__late' }] },
        { text: 'Done.' },
        { text: 'Done.' },
      ],
    })
    expect(await run.ask('Go.')).toMatchObject({ outcome: 'done' })
    expect(namesIn(run.model.requests[0])).toEqual(['a__one'])
    expect(namesIn(run.model.requests[2])).toEqual(['a__late', 'a__one'])
    expect(run.eventsOf('call.finished').at(-1)).toMatchObject({ name: 'a__late', outcome: 'done' })
    expect(run.eventsOf('tools.offered').at(-1)).toMatchObject({ added: ['a__late'], removed: [] })
    const few = await agentOn(run.servers, run.model, { agent: 'Few' })
    await few.ask('Go.')
    expect(namesIn(run.model.requests[4])).toEqual(['a__one'])
  })

  test('D6 D7 a server switched off in the middle of a turn is gone from the next step on, for this conversation only', async () => {
    const run = await runAgent({
      servers: two,
      script: [
        async () => {
          expect((await run.agent.switchServer('docs', false)).tokens).toBeGreaterThan(0)
          return { calls: [{ name: 'math__add' }] }
        },
        { calls: [{ name: 'docs__search' }] },
        async () => {
          await run.agent.switchServer('docs', true)
          return { calls: [{ name: 'math__add' }] }
        },
        { text: 'Done.' },
        { text: 'Done.' },
      ],
    })
    expect(await run.ask('Go.')).toMatchObject({ outcome: 'done' })
    const all = ['docs__delete', 'docs__search', 'math__add']
    expect(run.model.requests.map(namesIn)).toEqual([all, ['math__add'], ['math__add'], all])
    expect(run.eventsOf('call.finished').map(({ name, outcome }) => [name, outcome])).toEqual([
      ['math__add', 'done'],
      ['docs__search', 'failed'],
      ['math__add', 'done'],
    ])
    expect(run.eventsOf('tools.offered').map(({ added, removed }) => [added.length, removed.length])).toEqual(
      [
        [3, 0],
        [0, 2],
        [2, 0],
      ],
    )
    await run.agent.switchServer('docs', false)
    const other = await agentOn(run.servers, run.model)
    await other.ask('Go.')
    expect(namesIn(run.model.requests[4])).toEqual(all)
  })

  test('definitions are the same bytes in every request, whatever the order in which servers answer', async () => {
    const slow = {
      ...two,
      docs: serverWithTools([reader('delete'), reader('search')], {
        on: { 'tools/list': [{ wait: 60 }, 'answer'] },
      }),
    }
    const texts = []
    for (const servers of [two, slow]) {
      const run = await runAgent({ servers, script: () => ({ text: 'Done.' }) })
      await run.ask('One.')
      await run.ask('Two.')
      texts.push(...run.model.requests.map(({ toolsText }) => toolsText))
    }
    expect(texts).toHaveLength(4)
    expect(new Set(texts).size).toBe(1)
  })

  test('above the limit the agent switches to search mode, says so, and the model finds and calls a tool', async () => {
    const many = serverWithTools(
      Array.from({ length: 120 }, (_, index) =>
        reader(`tool_${index}`, { description: `Counts the ${index} sheep.` }),
      ),
    )
    const run = await runAgent({
      servers: { many },
      script: [
        (request) => ({
          calls: [
            {
              name: request.tools.find(({ name }) => name.includes('search'))?.name ?? '',
              args: { query: '77 sheep' },
            },
          ],
        }),
        (request) => ({
          calls: [
            {
              name: request.tools.find(({ name }) => name.includes('call'))?.name ?? '',
              args: { name: 'many__tool_77', arguments: {} },
            },
          ],
        }),
        { text: 'Done.' },
      ],
    })
    expect(await run.ask('Count.')).toMatchObject({ outcome: 'done' })
    expect(run.model.requests[0]?.tools.length).toBeLessThan(10)
    expect(run.eventsOf('tools.offered')[0]).toMatchObject({
      mode: 'search',
      reason: expect.stringMatching(/120/),
    })
    expect(run.model.requests[1]?.messages.at(-1)?.results?.[0]?.text).toContain('many__tool_77')
    expect(run.model.requests[2]?.messages.at(-1)?.results?.[0]?.text).toContain('tool_77')
    expect(new Set(run.model.requests.map(({ toolsText }) => toolsText)).size).toBe(1)
  })
})
