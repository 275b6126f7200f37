import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RequestId } from '../message.ts'
import { EventCap } from './event-cap.ts'
import { MessageStream } from './message-stream.ts'

function open(maxBytes: number) {
  const heard: unknown[] = []
  const messages = new MessageStream({
    maxBytes: 10_000_000,
    onMessage: (value) => void heard.push(value),
    onMalformed: (reason) => void heard.push(reason),
    onOversize: () => void heard.push('beyond every cap'),
  })
  const left: (RequestId | undefined)[] = []
  const cap = new EventCap({
    maxBytes,
    onBytes: (bytes) => messages.push(bytes),
    onCut: () => messages.restart(),
    onOversize(answers) {
      left.push(answers)
      heard.push({ left: answers })
    },
  })
  return { cap, heard, left }
}

const message = (id: number, size: number, isLast: boolean) => {
  const result = { text: '"}{,id:7'.repeat(size / 8) }
  return isLast ? { jsonrpc: '2.0', result, id } : { jsonrpc: '2.0', id, result }
}

const anEvent = fc.record({
  size: fc.constantFrom(0, 8, 80, 1000, 2000),
  idIsLast: fc.boolean(),
  before: fc.constantFrom('', ': hello', 'event: message', 'retry: 5', `x: ${'y'.repeat(90)}`),
  isSplit: fc.boolean(),
})

test('event cap: events above the limit are removed, each with its request, and all others arrive whole (property)', () => {
  fc.assert(
    fc.property(
      fc.array(anEvent, { maxLength: 12 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 20 }),
      (events, newline, cuts) => {
        const { cap, heard } = open(500)
        const texts = events.map(({ size, idIsLast, before, isSplit }, id) => {
          const json = JSON.stringify(message(id, size, idIsLast))
          // A text of several data lines is joined with line feeds.
          const data = isSplit ? [json.slice(0, 1), json.slice(1)] : [json]
          const lines = [...(before === '' ? [] : [before]), ...data.map((line) => `data: ${line}`)]
          return lines.map((line) => line + newline).join('') + newline
        })
        // A carriage return at the end may be half of a line end; one more character shows that it is not.
        const bytes = Buffer.from(`${texts.join('')}: end${newline}`)
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = cuts[turn % cuts.length] ?? 1
          cap.push(bytes.subarray(at, at + size))
          at += size
        }
        expect(heard).toEqual(
          events.map(({ size, idIsLast }, id) => (size > 500 ? { left: id } : message(id, size, idIsLast))),
        )
      },
    ),
    { numRuns: 300 },
  )
})

test('event cap: hours of keep-alive comments without an empty line do not add up to one large event', () => {
  const { cap, heard } = open(100)
  for (let beats = 0; beats < 1000; beats++) cap.push(Buffer.from(': here\n'))
  cap.push(Buffer.from('data: 1\n\n'))
  expect(heard).toEqual([1])
})

test('event cap: an event without a request, such as an endless line, is removed as well', () => {
  const { cap, heard } = open(100)
  for (let part = 0; part < 100; part++) cap.push(Buffer.from('x'.repeat(100)))
  cap.push(Buffer.from('\n\ndata: 1\n\n'))
  expect(heard).toEqual([{ left: undefined }, 1])
})

test('FI-88 event cap: lines with only the name of the field count', () => {
  const { cap, heard } = open(500)
  cap.push(Buffer.from('data\n'.repeat(300)))
  cap.push(Buffer.from('\ndata: {"jsonrpc":"2.0","method":"a"}\n\n'))
  expect(heard).toEqual([{ left: undefined }, { jsonrpc: '2.0', method: 'a' }])
})
