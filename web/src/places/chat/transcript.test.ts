import { expect, test } from 'vitest'
import {
  addEarlier,
  dropPrompt,
  emptyTranscript,
  openTranscript,
  sendPrompt,
  takeEvent,
} from './transcript.ts'
import type { Transcript } from './transcript.ts'
import type { AgentEvent, StoredMessage, Json } from './turn.ts'

const noon = Date.parse('2026-11-16T12:00:00.000Z')
const usage = { inputTokens: 1, outputTokens: 1, cachedTokens: 0, isEstimated: false }

function message(seq: number, role: string, content: Json, at = noon - 10_000 + seq): StoredMessage {
  return { seq, role, content, at: new Date(at).toISOString() }
}

function toolCall(id: string, input: Json): Json {
  return { type: 'tool-call', toolCallId: id, toolName: 'files__read', input }
}

function toolResult(id: string, value: string, type = 'text'): Json {
  return { type: 'tool-result', toolCallId: id, toolName: 'files__read', output: { type, value } }
}

function loaded(messages: readonly StoredMessage[], running: readonly AgentEvent[] = [], hasEarlier = false) {
  return { messages, running, hasEarlier, isRunning: running.length > 0 }
}

const events: readonly AgentEvent[] = [
  { at: noon, type: 'turn.started', conversation: 'c', model: 'demo' },
  { at: noon + 1, type: 'step.started', step: 1 },
  { at: noon + 2, type: 'reasoning', text: 'Hm' },
  { at: noon + 3, type: 'text', text: 'I ' },
  { at: noon + 4, type: 'text', text: 'look.' },
  {
    at: noon + 5,
    type: 'call.started',
    id: 'a',
    name: 'files__read',
    ref: 'files/read',
    args: { path: 'x' },
  },
  { at: noon + 6, type: 'call.progressed', id: 'a', progress: 1, total: 2 },
  {
    at: noon + 7,
    type: 'call.finished',
    id: 'a',
    name: 'files__read',
    ref: 'files/read',
    outcome: 'done',
    text: 'ü',
    ms: 18,
  },
  { at: noon + 8, type: 'turn.finished', outcome: 'done', text: 'I look.', usage, steps: 1 },
]

const readCall = {
  id: 'a',
  name: 'files__read',
  ref: 'files/read',
  args: { path: 'x' },
  state: 'done',
  startedAt: noon + 5,
  progress: { progress: 1, total: 2 },
  text: 'ü',
  bytes: 2,
  ms: 18,
}

test('stored messages become turns with their calls, results, thoughts and images', () => {
  const content: Json = [
    { type: 'reasoning', text: 'Hm' },
    { type: 'text', text: 'Look:' },
    toolCall('a', { path: 'x' }),
    toolCall('b', { path: 'y' }),
  ]
  const { turns } = openTranscript(
    loaded([
      message(1, 'user', [
        { type: 'text', text: 'Read' },
        { type: 'image', image: 'AAAA', mediaType: 'image/png' },
      ]),
      message(2, 'assistant', content),
      message(3, 'tool', [toolResult('b', 'no such file', 'error-text'), toolResult('a', 'text of x')]),
      message(4, 'assistant', [{ type: 'text', text: 'Done.' }]),
      message(5, 'user', 'Thanks'),
    ]),
  )
  const call = { name: 'files__read' }
  expect(turns).toEqual([
    {
      key: 'm1',
      prompt: { seq: 1, text: 'Read', images: [{ mediaType: 'image/png', data: 'AAAA' }] },
      isRunning: false,
      parts: [
        { kind: 'reasoning', text: 'Hm' },
        { kind: 'text', text: 'Look:' },
        {
          kind: 'call',
          call: { ...call, id: 'a', args: { path: 'x' }, state: 'done', text: 'text of x', bytes: 9 },
        },
        {
          kind: 'call',
          call: { ...call, id: 'b', args: { path: 'y' }, state: 'failed', text: 'no such file', bytes: 12 },
        },
        { kind: 'text', text: 'Done.' },
      ],
    },
    { key: 'm5', prompt: { seq: 5, text: 'Thanks', images: [] }, isRunning: false, parts: [] },
  ])
})

test('a tool that was called through call_tool is named itself', () => {
  const input = { name: 'github/list', arguments: { limit: 3 } }
  const part = { type: 'tool-call', toolCallId: 'a', toolName: 'call_tool', input }
  const { turns } = openTranscript(loaded([message(1, 'assistant', [part])]))
  expect(turns[0]?.parts).toEqual([
    { kind: 'call', call: { id: 'a', name: 'github/list', args: { limit: 3 }, state: 'running' } },
  ])
})

test('messages of any other form are left out, not an exception', () => {
  const odd: readonly Json[] = [
    null,
    7,
    'text',
    [null, 7, [], { type: 'tool-result' }],
    { type: 'tool-call' },
  ]
  const messages = ['user', 'assistant', 'tool', 'system', ''].flatMap((role, row) =>
    odd.map((content, at) => message(1 + row * odd.length + at, role, content)),
  )
  expect(() => openTranscript(loaded(messages))).not.toThrow()
})

function takeAll(transcript: Transcript, all: readonly AgentEvent[], from = 0): Transcript {
  return all.reduce((now, event, at) => takeEvent(now, from + at, event), transcript)
}

test('the events of a turn become its parts, after the prompt that was sent here', () => {
  const sent = sendPrompt(emptyTranscript, { text: 'Read x', images: [] })
  expect(sent.current).toEqual({
    key: 'now',
    prompt: { text: 'Read x', images: [] },
    parts: [],
    isRunning: true,
  })
  const { current, next } = takeAll(sent, events)
  expect(next).toBe(events.length)
  expect(current).toEqual({
    key: 'now',
    prompt: { text: 'Read x', images: [] },
    model: 'demo',
    startedAt: noon,
    step: 1,
    isRunning: false,
    parts: [
      { kind: 'reasoning', text: 'Hm' },
      { kind: 'text', text: 'I look.' },
      { kind: 'call', call: readCall },
    ],
    end: events.at(-1),
  })
})

test('an event that the loaded conversation has already is not taken twice; a skipped one is noticed', () => {
  const opened = openTranscript(loaded([message(1, 'user', 'Read x', noon)], events.slice(0, 4)))
  expect(opened.turns).toEqual([])
  expect(opened.current?.prompt?.text).toBe('Read x')
  const again = takeAll(opened, events.slice(0, 6))
  expect(again.current?.parts.slice(0, 2)).toEqual([
    { kind: 'reasoning', text: 'Hm' },
    { kind: 'text', text: 'I look.' },
  ])
  expect(again.current?.parts).toHaveLength(3)
  expect(takeEvent(opened, 5, events[5]!).isBroken).toBe(true)
})

test('messages that the running turn stored already are shown once', () => {
  const messages = [
    message(1, 'user', 'Before'),
    message(2, 'assistant', 'Yes'),
    message(3, 'user', 'Read x', noon),
    message(4, 'assistant', [{ type: 'text', text: 'I look.' }, toolCall('a', { path: 'x' })], noon + 5),
    message(5, 'tool', [toolResult('a', 'ü')], noon + 7),
  ]
  const { turns, current } = openTranscript(loaded(messages, events.slice(0, 8)))
  expect(turns.map(({ key }) => key)).toEqual(['m1'])
  expect(current?.parts.filter(({ kind }) => kind === 'call')).toHaveLength(1)
})

test('a conversation that is loaded again keeps the times of its calls', () => {
  const live = takeAll(sendPrompt(emptyTranscript, { text: 'Read x', images: [] }), events)
  const messages = [
    message(1, 'user', 'Read x', noon),
    message(2, 'assistant', [{ type: 'text', text: 'I look.' }, toolCall('a', { path: 'x' })], noon + 5),
    message(3, 'tool', [toolResult('a', 'ü')], noon + 7),
  ]
  const { turns, current } = openTranscript(loaded(messages), live)
  expect(current).toBeUndefined()
  expect(turns[0]?.parts[1]).toEqual({ kind: 'call', call: readCall })
  expect(turns[0]).toMatchObject({ model: 'demo', startedAt: noon, end: { outcome: 'done', steps: 1 } })
})

test('a turn that failed keeps its reason, and what another program said later follows it', () => {
  const failed: AgentEvent = {
    at: noon + 9,
    type: 'turn.finished',
    outcome: 'failed',
    reason: 'The model answered 429.',
    text: '',
    usage,
    steps: 1,
  }
  const running = [events[0]!, failed]
  const first = message(1, 'user', 'Read x', noon)
  expect(openTranscript(loaded([first], running)).current).toMatchObject({ isRunning: false, end: failed })
  const { turns, current } = openTranscript(loaded([first, message(2, 'user', 'Again', noon + 60)], running))
  expect(current).toBeUndefined()
  expect(turns.map(({ prompt, end }) => [prompt?.text, end?.outcome])).toEqual([
    ['Read x', 'failed'],
    ['Again', undefined],
  ])
})

test('earlier messages come before; a call finds its result across the border of two pages', () => {
  const all = [
    message(1, 'user', 'Read'),
    message(2, 'assistant', [toolCall('a', { path: 'x' })]),
    message(3, 'tool', [toolResult('a', 'text')]),
    message(4, 'assistant', 'Done.'),
  ]
  const opened = sendPrompt(openTranscript(loaded(all.slice(2), [], true)), { text: 'Next', images: [] })
  const { turns, hasEarlier, firstSeq } = addEarlier(opened, loaded(all.slice(0, 2)))
  expect({ hasEarlier, firstSeq }).toEqual({ hasEarlier: false, firstSeq: 1 })
  expect(turns).toHaveLength(1)
  expect(turns[0]?.parts).toMatchObject([
    { kind: 'call', call: { state: 'done', text: 'text' } },
    { kind: 'text', text: 'Done.' },
  ])
})

test('a prompt that was just accepted stays in sight when the conversation is loaded before its first event', () => {
  const sent = sendPrompt(emptyTranscript, { text: 'One', images: [] })
  expect(openTranscript({ ...loaded([]), isRunning: true }, sent).current?.prompt?.text).toBe('One')
  expect(openTranscript(loaded([message(1, 'user', 'One')]), sent).current).toBeUndefined()
})

test('events that come after the messages of their turn do not show it twice', () => {
  const messages = [message(1, 'user', 'Read x', noon), message(2, 'assistant', 'I look.', noon + 4)]
  const sent = sendPrompt(emptyTranscript, { text: 'Read x', images: [] })
  const late = takeAll(openTranscript(loaded(messages), sent), events)
  expect(late.turns.map(({ key }) => key)).toEqual(['m1'])
  expect(late).not.toHaveProperty('current')
  expect(late).not.toHaveProperty('isBroken')
  const next = takeEvent(late, 0, { ...events[0]!, at: noon + 99 })
  expect(next.current).toMatchObject({ startedAt: noon + 99, isRunning: true })
})

test('a stored call has the name and the time that it had while it ran', () => {
  const kept = { id: 'r1', server: 'files', tool: 'read', untrusted: true, ms: 49 }
  const result = { ...(toolResult('a', 'ü') as object), providerOptions: { plugboard: kept } }
  const { turns } = openTranscript(
    loaded([message(1, 'assistant', [toolCall('a', {})]), message(2, 'tool', [result])]),
  )
  expect(turns[0]?.parts).toMatchObject([{ call: { ref: 'files/read', ms: 49, state: 'done' } }])
})

test('a second turn puts the first one among the earlier ones; a prompt that was refused goes away', () => {
  const one = takeAll(sendPrompt(emptyTranscript, { text: 'One', images: [] }), events)
  const two = sendPrompt(one, { text: 'Two', images: [] })
  expect(two.turns.map(({ prompt }) => prompt?.text)).toEqual(['One'])
  expect(two.current?.prompt?.text).toBe('Two')
  const dropped = dropPrompt(two)
  expect([dropped.turns.length, dropped.current]).toEqual([1, undefined])
  // A turn of another program has no prompt yet.
  expect(takeEvent(one, 0, { ...events[0]!, at: noon + 99 }).current?.prompt).toBeUndefined()
})

test('notices stand where they begin to count; the first offer of tools is none', () => {
  const offer = { at: noon, type: 'tools.offered', count: 3, tokens: 2100, mode: 'all' } as const
  const lists = { added: ['a'], removed: [], changed: [] }
  const { current } = takeAll(sendPrompt(emptyTranscript, { text: 'x', images: [] }), [
    events[0]!,
    { ...offer, ...lists },
    { ...offer, ...lists, reread: 9000 },
    { at: noon, type: 'notice', message: 'The store does not answer.', hint: 'Kept in memory.' },
    { at: noon, type: 'results.dropped', calls: ['a', 'b'], tokens: 12_000 },
  ])
  expect(current?.parts).toEqual([
    { kind: 'note', text: '3 tools offered, about 2.1k tokens · 1 new.' },
    { kind: 'note', text: 'The store does not answer. Kept in memory.' },
    { kind: 'note', text: 'The window is full: 2 old results were dropped (about 12k tokens).' },
  ])
})

test('messages of a turn that was sent here, and whose events are still on their way, are not shown twice', () => {
  const sent = sendPrompt(
    openTranscript(loaded([message(1, 'user', 'Go'), message(2, 'assistant', 'Yes.')])),
    {
      text: 'Go',
      images: [],
    },
  )
  const messages = [
    message(1, 'user', 'Go'),
    message(2, 'assistant', 'Yes.'),
    message(3, 'user', 'Go'),
    message(4, 'assistant', 'I look.'),
  ]
  const opened = openTranscript({ ...loaded(messages), isRunning: true }, sent)
  expect(opened.turns.map(({ key }) => key)).toEqual(['m1'])
  const ended = events.reduce((now, event, index) => takeEvent(now, index, event), opened)
  expect(ended.turns).toHaveLength(1)
  expect(ended.current?.isRunning).toBe(false)
  // The same words before, and nothing stored of the new turn yet.
  const early = openTranscript({ ...loaded(messages.slice(0, 2)), isRunning: true }, sent)
  expect(early.turns.map(({ key }) => key)).toEqual(['m1'])
})
