import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EventReader } from './event-reader.ts'

interface HeardEvent {
  readonly type?: string | undefined
  readonly id?: string | undefined
  readonly data: string
}

function read(chunks: readonly (string | Uint8Array)[], maxBytes = 1_000_000) {
  const events: HeardEvent[] = []
  const retries: number[] = []
  let oversize = 0
  const reader = new EventReader({
    maxBytes,
    onEvent: ({ type, id, data }) => events.push({ type, id, data: Buffer.from(data).toString('latin1') }),
    onRetry: (ms) => retries.push(ms),
    onOversize: () => oversize++,
  })
  for (const chunk of chunks) reader.push(typeof chunk === 'string' ? Buffer.from(chunk, 'latin1') : chunk)
  return { events, retries, oversize, reader }
}

const event = (data: string, more: Partial<HeardEvent> = {}) => ({
  type: undefined,
  id: undefined,
  data,
  ...more,
})

describe('event reader', () => {
  test.each([
    ['one line', 'data: a\n\n', [event('a')]],
    ['several lines of data are joined by line feeds', 'data: a\ndata:b\ndata\n\n', [event('a\nb\n')]],
    ['only the first space is left out', 'data:  a\n\n', [event(' a')]],
    [
      'type and id',
      'event: x\nid: 7\ndata: a\n\ndata: b\n\n',
      [event('a', { type: 'x', id: '7' }), event('b')],
    ],
    ['an empty type counts as none', 'event:\ndata: a\n\n', [event('a')]],
    ['an id with a NUL is ignored', 'id: a\0\ndata: a\n\n', [event('a')]],
    ['comments and unknown fields are ignored', ': data: x\ndatum: y\ndata: a\n\n', [event('a')]],
    ['an event without data is none', 'event: x\n\ndata: a\n\n', [event('a')]],
    ['an unfinished event is not delivered', 'data: a\n\ndata: b\n', [event('a')]],
    ['a byte order mark is skipped', '\xef\xbb\xbfdata: a\n\n', [event('a')]],
    ['line ends of every kind', 'data: a\r\ndata: b\rdata: c\n\r\n', [event('a\nb\nc')]],
  ])('%s, in one chunk and byte by byte', (_, text, events) => {
    expect(read([text]).events).toEqual(events)
    expect(read(text.split('')).events).toEqual(events)
  })

  test('a retry time is passed on, unless it is no number', () => {
    expect(read(['retry: 50\nretry: soon\nretry\ndata: a\n\n']).retries).toEqual([50])
  })

  test('an event that ends with a carriage return is delivered without waiting for the next byte', () => {
    expect(read(['data: a\r\r']).events).toEqual([event('a')])
  })

  test('reset drops a partial event and a partial line', () => {
    const { reader, events } = read(['data: a\nda'])
    reader.reset()
    reader.push(Buffer.from('data: b\n\n'))
    expect(events).toEqual([event('b')])
  })

  test('FI-88 an event above the limit ends the reading: one long line, many short lines, an endless field', () => {
    const many = 'data:x\n'.repeat(1000)
    const streams = [`data: ${'x'.repeat(5000)}\n\n`, many, 'data:\n'.repeat(2000), `x${'y'.repeat(5000)}`]
    for (const text of streams) {
      for (const size of [1, 100, 10_000]) {
        const { oversize, events } = read([...chunksOf(text, size), 'data: later\n\n'], 4000)
        expect({ oversize, events }).toEqual({ oversize: 1, events: [] })
      }
    }
    expect(read([many, '\n'], 10_000).events).toEqual([
      event(Array.from({ length: 1000 }, () => 'x').join('\n')),
    ])
  })

  test('any lines in any chunks give the events of the whole text (property)', () => {
    const line = fc.oneof(
      fc.constantFrom(
        '',
        '',
        'data',
        'data:',
        'data: ',
        ': note',
        'event: a',
        'id: 1',
        'id:',
        'retry: 5',
        'x: y',
      ),
      fc.string({ maxLength: 30 }).map((text) => `data: ${text.replaceAll(/[\r\n\0]/g, '')}`),
      fc.string({ maxLength: 10 }).map((text) => text.replaceAll(/[\r\n\0]/g, '')),
    )
    const ended = fc
      .tuple(line, fc.constantFrom('\n', '\r\n', '\r'))
      .map(([text, end]) => [text, end] as const)
    const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(fc.array(ended, { maxLength: 30 }), cuts, (lines, sizes) => {
        // A line feed right after a carriage return would be one line end, where two are meant.
        const text = lines
          .map(([line, end]) => line + end)
          .join('\0')
          .replaceAll('\r\0\n', '\r\0\r')
          .replaceAll('\0', '')
        const chunks = chunksOf(Buffer.from(text), ...sizes)
        expect(read(chunks).events).toEqual(expected(lines.map(([line]) => line)))
      }),
      { numRuns: 500 },
    )
  })
})

function chunksOf(text: string | Uint8Array, ...sizes: readonly number[]): readonly Uint8Array[] {
  const bytes = typeof text === 'string' ? Buffer.from(text, 'latin1') : text
  const chunks: Uint8Array[] = []
  for (let at = 0; at < bytes.length;) {
    const size = sizes[chunks.length % sizes.length] ?? 1
    chunks.push(bytes.subarray(at, at + size))
    at += size
  }
  return chunks
}

/** The events of whole lines, straight from the rules of the standard. */
function expected(lines: readonly string[]): readonly HeardEvent[] {
  const events: HeardEvent[] = []
  let data: string[] = []
  let fields: { type?: string; id?: string } = {}
  for (const line of lines.map((text) => Buffer.from(text).toString('latin1'))) {
    const [, name, value = ''] = /^([^:]*)(?:: ?([^]*))?$/.exec(line) ?? []
    if (name === 'data') data.push(value)
    if (name === 'event') fields = { ...fields, type: value }
    if (name === 'id' && !value.includes('\0')) fields = { ...fields, id: value }
    if (line !== '') continue
    if (data.length > 0)
      events.push(event(data.join('\n'), { type: fields.type || undefined, id: fields.id }))
    data = []
    fields = {}
  }
  return events
}

test('FI-88 an endless event of lines with only the name of the field is refused at the limit', () => {
  const { events, oversize } = read(
    Array.from({ length: 40 }, () => 'data\n'.repeat(100)),
    10_000,
  )
  expect({ events, oversize }).toEqual({ events: [], oversize: 1 })
})
