import { expect, test } from 'vitest'
import { createAgent } from '../../src/agent.ts'
import type { AgentEvent } from '../../src/agent.ts'
import { createHost } from '../../src/index.ts'
import type { HostOptions } from '../../src/index.ts'
import { openDemo } from '../../src/surfaces/demo/demo.ts'

/** The calls of a turn with their outcomes, and the last words of the demo model. */
async function ask(prompts: readonly string[], options: Partial<HostOptions> = {}) {
  const { model, host: servers } = openDemo()
  const events: AgentEvent[] = []
  await using host = await createHost({ ...servers, settings: false, ...options })
  await using agent = await createAgent({ host, model, on: (event) => events.push(event) })
  const answers: string[] = []
  for (const prompt of prompts) answers.push((await agent.send(prompt).finished).text)
  const calls = events.flatMap((event) =>
    event.type === 'call.finished' ? [[event.ref, event.outcome, event.spilled !== undefined]] : [],
  )
  const pieces = events.filter(({ type }) => type === 'text').length
  return { answers, calls, pieces }
}

test('the demo server and the demo model do several tasks in one turn, in pieces of text', async () => {
  expect(await ask(['add 2 and 3, then echo the message hello'])).toEqual({
    answers: ['demo__sum answered: 5\ndemo__echo answered: hello'],
    calls: [
      ['demo/sum', 'done', false],
      ['demo/echo', 'done', false],
    ],
    pieces: expect.toSatisfy((pieces: number) => pieces > 2),
  })
})

test('demo: a note is written after approval, a long report is shortened, a person is asked for a name', async () => {
  const asked: string[] = []
  const { answers, calls } = await ask(
    ['write a note: call Ada', 'list the notes', 'show the long report', 'greet me', 'what is the weather?'],
    {
      policy: [{ tools: ['demo/write_note'], effect: 'ask' }],
      approve: async ({ tool }) => {
        asked.push(tool.ref)
        return 'once'
      },
      elicit: async ({ message }) => {
        asked.push(message)
        return { action: 'accept', content: { name: 'Ada' } }
      },
    },
  )
  expect(asked).toEqual(['demo/write_note', 'What is your name?'])
  expect(answers[0]).toBe('demo__write_note answered: Note 3 is written.')
  expect(answers[1]).toContain('3. call Ada')
  expect(answers[3]).toBe('demo__greet answered: Good day, Ada!')
  expect(answers[4]).toMatch(/^This is the demo model\. It is no language model/)
  expect(calls).toEqual([
    ['demo/write_note', 'done', false],
    ['demo/list_notes', 'done', false],
    ['demo/long_report', 'done', true],
    ['demo/greet', 'done', false],
  ])
})
