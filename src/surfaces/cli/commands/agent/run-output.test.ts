import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import type { AgentEventBody, TurnFinished } from '../../../../agent.ts'
import { createOutput } from '../../../terminal/terminal-output.ts'
import { createWaitLine } from '../../output/waiting.ts'
import { createRunOutput } from './run-output.ts'

const usage = { inputTokens: 12, outputTokens: 3, cachedTokens: 0, isEstimated: false }
const done: TurnFinished = { type: 'turn.finished', outcome: 'done', text: '', usage, steps: 1 }
const total = '1 step, 12 tokens in, 3 out, the price of this model is not known\n'

/** Shows these events and the end of the turn; returns what was written to both streams. */
async function show(
  events: readonly AgentEventBody[],
  finished: TurnFinished = done,
  form: 'text' | 'events' | 'document' = 'text',
) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const output = createOutput({ stdout, stderr, env: {}, json: form === 'events' ? 'lines' : undefined })
  const shown = createRunOutput({ output, waitLine: createWaitLine(output), form })
  for (const event of [...events, finished]) shown.onEvent({ at: 1, ...event })
  shown.onFinished(finished)
  await output.flush()
  return { stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') }
}

const text = (value: string): AgentEventBody => ({ type: 'text', text: value })
const stepEnd: AgentEventBody = { type: 'step.finished', step: 1, finish: 'stop', usage }

test('run: texts of steps are lines of their own; a text that ends with a line end gets none more', async () => {
  expect(await show([text('I '), text('look.'), stepEnd, text('Done.\n'), stepEnd])).toEqual({
    stdout: 'I look.\nDone.\n',
    stderr: total,
  })
})

test('T18 run: control characters of a model are escaped; signs that come in halves are not', async () => {
  const family = '👩\u200D👧'
  const halves = [family.slice(0, 1), family.slice(1, 3), family.slice(3)]
  expect((await show([text('\u001B[2J\u009Bx '), ...halves.map(text), stepEnd])).stdout).toBe(
    `\\x1b[2J\\x9bx ${family}\n`,
  )
})

test('run: a call is told with its arguments and the first line of its result, a refusal with the rule', async () => {
  const call = { id: 'c', name: 'x__find', ref: 'x/find', ms: 1 }
  const { stdout, stderr } = await show([
    { type: 'call.started', id: 'c', name: 'x__find', args: { a: 1 } },
    { type: 'call.finished', ...call, outcome: 'done', text: 'one\ntwo\nthree' },
    {
      type: 'call.finished',
      ...call,
      outcome: 'refused',
      text: 'no',
      error: { code: 'call.denied', message: 'It was not called.', hint: 'To allow it, add a rule.' },
    },
    { type: 'results.dropped', calls: ['a', 'b'], tokens: 9 },
    { type: 'notice', message: 'Waiting 8 s.' },
  ])
  expect(stdout).toBe('')
  expect(stderr).toBe(
    'x__find {"a":1}\n  one (and 2 more lines)\n  refused: It was not called.\n  To allow it, add a rule.\n' +
      'The window is full: 2 old results are left out from now on.\nWaiting 8 s.\n' +
      total,
  )
})

test('run: --json prints events only, --output-schema the document only', async () => {
  const events = await show([text('Hi.'), stepEnd], done, 'events')
  expect(events.stdout.trimEnd().split('\n')).toEqual([
    '{"version":1,"at":1,"type":"text","text":"Hi."}',
    JSON.stringify({ at: 1, ...stepEnd }),
    JSON.stringify({ at: 1, ...done }),
  ])
  const document = await show([text('{"a":1}'), stepEnd], { ...done, output: { a: 1 } }, 'document')
  expect(document.stdout).toBe('{\n  "a": 1\n}\n')
})

test('run: a turn that did not finish says why, and what to do next; a cost is shown where it is known', async () => {
  const finished: TurnFinished = {
    ...done,
    outcome: 'limit',
    reason: 'The turn had 1 steps, its limit.',
    hint: 'Send a prompt to go on from here.',
    usage: { ...usage, isEstimated: true, cost: 0.00125 },
    steps: 2,
  }
  expect(await show([], finished)).toEqual({
    stdout: '',
    stderr:
      'The turn had 1 steps, its limit.\nSend a prompt to go on from here.\n2 steps, about 12 tokens in, 3 out, $0.0013\n',
  })
})
