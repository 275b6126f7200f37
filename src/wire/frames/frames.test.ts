import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Framing } from '../../model/server.ts'
import type { RequestId } from '../message.ts'
import { parseMessage } from './decode.ts'
import { createFrameReader, encodeFrame } from './frames.ts'
import type { FrameReader } from './frames.ts'

type Delivery =
  | { readonly message: unknown }
  | { readonly malformed: string }
  | { readonly oversize: RequestId | undefined; readonly bytes: number }
  | { readonly noise: string }
  | { readonly reset: string }

interface Limits {
  readonly framing?: Framing
  readonly maxBytes?: number
  readonly hardMaxBytes?: number
}

function listen(limits: Limits = {}): {
  readonly reader: FrameReader
  readonly delivered: readonly Delivery[]
} {
  const delivered: Delivery[] = []
  const reader = createFrameReader({
    framing: 'auto',
    maxBytes: 16 * 1024 * 1024,
    hardMaxBytes: 64 * 1024 * 1024,
    ...limits,
    on: {
      frame: (text) => delivered.push({ message: parseMessage(text) }),
      malformed: (text) => delivered.push({ malformed: text }),
      oversize: (id, bytes) => delivered.push({ oversize: id, bytes }),
      noise: (sample) => delivered.push({ noise: sample }),
      reset: (reason) => delivered.push({ reset: reason }),
    },
  })
  return { reader, delivered }
}

function read(chunks: readonly (string | Uint8Array)[], limits?: Limits): readonly Delivery[] {
  const { reader, delivered } = listen(limits)
  for (const chunk of chunks) reader.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
  reader.end()
  return delivered
}

const crumbs = (text: string) => [...Buffer.from(text)].map((byte) => Uint8Array.of(byte))
const one = { message: { id: 1 } }
const two = { message: { id: 2 } }

describe('frames: lines', () => {
  test('FI-12 lines are delivered with \\r\\n, blank lines, byte order marks and U+2028 in strings', () => {
    expect(read(['\uFEFF{"id":1}\r\n\r\n \n\uFEFF [{"a":"\u2028é😀"}] \n{ }\r\n'])).toEqual([
      one,
      { message: [{ a: '\u2028é😀' }] },
      { message: {} },
    ])
  })

  test('FI-12 lines are delivered when each byte arrives alone', () => {
    expect(read(crumbs('{"a":"é漢😀"}\r\n{"id":1}\n'))).toEqual([{ message: { a: 'é漢😀' } }, one])
  })

  test('FI-07 a line is delivered once when its rest arrives later', () => {
    const { reader, delivered } = listen()
    reader.push(Buffer.from('{"id"'))
    expect(delivered).toEqual([])
    reader.push(Buffer.from(':1}\n'))
    expect(delivered).toEqual([one])
  })

  test('FI-06 half a line is not delivered at the end', () => {
    expect(read(['{"id":1}\n{"id":2,"result":{"a"'])).toEqual([one])
  })

  test('the last line is delivered without its line end', () => {
    expect(read(['{"id":1}\n{"id":2} '])).toEqual([one, two])
  })

  test('delivered lines do not depend on the memory of a pushed chunk', () => {
    const { reader, delivered } = listen()
    const chunk = Buffer.from('{"id":1}\n{"id"')
    reader.push(chunk)
    chunk.fill(0)
    reader.push(Buffer.from(':2}\n'))
    expect(delivered).toEqual([one, two])
  })

  test('nothing is delivered after end()', () => {
    const { reader, delivered } = listen()
    reader.end()
    reader.push(Buffer.from('{"id":1}\n'))
    reader.end()
    expect(delivered).toEqual([])
  })
})

describe('FI-05 frames: noise', () => {
  test.each([
    ['a log line', 'Server ready on stdio'],
    ['a level in brackets', '[INFO] ready'],
    ['a list of numbers', '[1, 2]'],
    ['a printed object', '{ port: 1 }'],
    ['an object over several lines', '{'],
    ['an error', 'Error: no content-length: here'],
    ['a number', '42'],
  ])('is told apart from messages before and after it: %s', (_, line) => {
    const noise = { noise: line }
    expect(read([`${line}\n{"id":1}\n${line}\r\n${line}\n{"id":2}\n`])).toEqual([
      noise,
      one,
      noise,
      noise,
      two,
    ])
  })

  test('is reported as its escaped beginning, and above the limit only that is kept', () => {
    const long = `\u001B[2J${'x'.repeat(300)}`
    const shown = { noise: `\\u{1b}[2J${'x'.repeat(196)}…` }
    expect(read([`${long}\n{"id":1}\n`])).toEqual([shown, one])
    expect(read([`${long}\n`, '{"id":1}\n'], { maxBytes: 250 })).toEqual([shown, one])
  })

  test('that is not UTF-8 is reported as noise as well', () => {
    expect(read([Buffer.from('d\xe9marr\xe9\n{"id":1}\n', 'latin1')])).toEqual([
      { noise: 'd\uFFFDmarr\uFFFD' },
      one,
    ])
  })
})

describe('FI-11 frames: a message that is not UTF-8', () => {
  const bad = Buffer.from('{"id":9,"a":"\xe9"}\n', 'latin1')
  const malformed = { malformed: '{"id":9,"a":"\uFFFD"}' }

  test('fails only itself', () => {
    expect(read([Buffer.concat([Buffer.from('{"id":1}\n'), bad, Buffer.from('{"id":2}\n')])])).toEqual([
      one,
      malformed,
      two,
    ])
  })

  test('fails only itself when it arrives in pieces', () => {
    expect(read([...[...bad].map((byte) => Uint8Array.of(byte)), '{"id":1}\n'])).toEqual([malformed, one])
    const long = Buffer.from('x'.repeat(2000))
    expect(read([Buffer.concat([bad.subarray(0, -3), long]), '"}\n{"id":1}\n'])).toEqual([
      { malformed: `{"id":9,"a":"\uFFFD${'x'.repeat(2000)}"}` },
      one,
    ])
  })

  test('is detected when it ends within a character', () => {
    expect(read([Buffer.from([0x7b, 0x22, 0xe2, 0x82]), '\n{"id":1}\n'])).toEqual([
      { malformed: '{"\uFFFD' },
      one,
    ])
  })
})

describe('C1 D30 frames: Content-Length framing', () => {
  const framed = (json: string, extra = '') =>
    `${extra}Content-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`

  test('is read next to lines, with any headers in any case', () => {
    const type = 'Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n'
    const input = `{"id":1}\n${framed('{"a":"é"}', type)}${framed('{\n"id":\n2}')}\ncontent-length:8\n\n{"id":1}{"id":2}\n`
    const delivered = [one, { message: { a: 'é' } }, two, one, two]
    expect(read([input])).toEqual(delivered)
    expect(read(crumbs(input))).toEqual(delivered)
  })

  test('is the only framing read from a server with framing content-length; other lines are noise', () => {
    expect(
      read([`starting\n${framed('{"id":1}')}${framed('{"id":2}')}`], { framing: 'content-length' }),
    ).toEqual([{ noise: 'starting' }, one, two])
  })

  test('is noise when the framing is lines only', () => {
    expect(read(['Content-Length: 8\r\n\r\n{"id":1}\n'], { framing: 'ndjson' })).toEqual([
      { noise: 'Content-Length: 8' },
      one,
    ])
  })

  test('without a length or a blank line, the lines are not headers', () => {
    expect(read(['Content-Type: x\n\n{"id":1}\nContent-Length: 8\n{"id":2}\n'])).toEqual([
      { noise: 'Content-Type: x' },
      one,
      { noise: 'Content-Length: 8' },
      two,
    ])
  })

  test('FI-06 half a body is not delivered, and an empty body is ignored', () => {
    expect(read(['Content-Length: 0\r\n\r\n', framed('{"id":1}'), framed('{"id":2}').slice(0, -1)])).toEqual([
      one,
    ])
  })

  test('FI-11 a body that is not UTF-8 fails only itself, immediately', () => {
    const { reader, delivered } = listen()
    reader.push(Buffer.from('Content-Length: 4\r\n\r\n{"\xe2\x82', 'latin1'))
    expect(delivered).toEqual([{ malformed: '{"\uFFFD' }])
  })

  test('D-10 a body above the limit is skipped; above the hard limit reading stops', () => {
    const long = `{"id":7,"result":"${'é'.repeat(100)}"}`
    const bytes = Buffer.byteLength(long)
    const limits = { maxBytes: 50, hardMaxBytes: 500 }
    expect(read([framed(long) + framed('{"id":1}')], limits)).toEqual([{ oversize: 7, bytes }, one])
    expect(read(crumbs(framed(long) + framed('{"id":1}')), limits)).toEqual([{ oversize: 7, bytes }, one])
    expect(read(['Content-Length: 99999999999999999999\r\n\r\n{"id":1}\n'], limits)).toEqual([
      { reset: 'A message of 100000000000000000000 bytes was announced.' },
    ])
  })
})

describe('D-10 frames: a line above the limit', () => {
  const limits = { maxBytes: 40, hardMaxBytes: 400 }
  const long = (head: string, length: number) => `${head},"a":"${'\\"'.repeat(length / 2)}"}\n`

  test('is skipped, and the request that it answers is named', () => {
    expect(read([`{"id":1}\n${long('{"id":"x"', 100)}{"id":2}\n`], limits)).toEqual([
      one,
      { oversize: 'x', bytes: 117 },
      two,
    ])
  })

  test('starts one byte above the limit', () => {
    const line = (bytes: number) => `{"id":1,"a":"${'x'.repeat(bytes - 15)}"}\n`
    expect(read([line(40), line(41)], limits)).toEqual([
      { message: { id: 1, a: 'x'.repeat(25) } },
      { oversize: 1, bytes: 41 },
    ])
  })

  test('that answers no request is skipped without an id', () => {
    expect(read([long('{"method":"notifications/message"', 100), '{"id":1}\n'], limits)).toEqual([
      { oversize: undefined, bytes: 141 },
      one,
    ])
  })

  test('that is a request is skipped, and its own id is named', () => {
    const asked: (RequestId | undefined)[] = []
    const on = {
      frame() {},
      malformed() {},
      noise() {},
      reset() {},
      oversize: (id: RequestId | undefined, _bytes: number, asks: RequestId | undefined) =>
        void asked.push(id, asks),
    }
    const reader = createFrameReader({ framing: 'ndjson', ...limits, on })
    reader.push(Buffer.from(long('{"id":7,"method":"tools/call"', 100)))
    expect(asked).toEqual([undefined, 7])
  })

  test('without a readable id stops reading', () => {
    expect(read([`[{"id":1,"a":"${'x'.repeat(50)}"}]\n{"id":1}\n`], limits)).toEqual([
      { reset: 'A message has 67 bytes and no readable id.' },
    ])
  })

  test('FI-10 above the hard limit stops reading, for noise as well', () => {
    for (const start of ['{"id":1,"a":"', 'loading ']) {
      const { reader, delivered } = listen(limits)
      reader.push(Buffer.from(start.padEnd(100, 'x')))
      for (let count = 0; count < 30; count++) reader.push(Buffer.from('x'.repeat(10)))
      expect(delivered).toEqual([])
      reader.push(Buffer.from('x'))
      expect(delivered).toEqual([{ reset: 'A line has more than 400 bytes.' }])
    }
  })
})

describe('frames: a limit of 10 MiB', () => {
  const limits = { maxBytes: 10 * 1024 * 1024, hardMaxBytes: 64 * 1024 * 1024 }
  const piece = Buffer.alloc(64 * 1024, 'x')
  const mebibytes = (count: number) => Array.from({ length: count * 16 }, () => piece)

  test('FI-08 a line of 9.5 MB is delivered', () => {
    const text = 'x'.repeat(9.5e6)
    const line = Buffer.from(`{"id":1,"result":"${text}"}\n`)
    const chunks = Array.from({ length: Math.ceil(line.length / 65_536) }, (_, at) =>
      line.subarray(at * 65_536, (at + 1) * 65_536),
    )
    expect(read(chunks, limits)).toEqual([{ message: { id: 1, result: text } }])
  })

  test('FI-09 a line of 60 MB fails its own call, wherever its id is, and the next line is delivered', () => {
    const delivered = [{ oversize: 5, bytes: 60 * 1024 * 1024 + 20 }, one]
    expect(read(['{"id":5,"result":"', ...mebibytes(60), '"}\n{"id":1}\n'], limits)).toEqual(delivered)
    expect(read(['{"result":"', ...mebibytes(60), '","id":5}\n{"id":1}\n'], limits)).toEqual(delivered)
  })

  test('FI-10 a line without an end stops reading after 64 MiB', () => {
    const { reader, delivered } = listen(limits)
    reader.push(Buffer.from('{"id":5,"result":"'))
    for (const chunk of mebibytes(70)) reader.push(chunk)
    expect(delivered).toEqual([{ reset: 'A line has more than 67108864 bytes.' }])
  })
})

describe('frames: any messages, split anywhere', () => {
  const limits = { maxBytes: 300, hardMaxBytes: 100_000 }
  const text = fc.string({ unit: 'binary', maxLength: 40 })
  const small = text.map((value) => JSON.stringify({ id: 1, value }))
  const item = fc.oneof(
    small.map((json) => ({ input: `${json}\n`, delivered: [{ message: JSON.parse(json) as unknown }] })),
    small.map((json) => ({
      input: `\uFEFF ${json}\r\n`,
      delivered: [{ message: JSON.parse(json) as unknown }],
    })),
    small.map((json) => ({
      input: encodeFrame(json, 'content-length'),
      delivered: [{ message: JSON.parse(json) as unknown }],
    })),
    fc.constantFrom('\n', '\r\n', '  \n').map((input) => ({ input, delivered: [] })),
    fc.constantFrom('ready é', '[info] 漢').map((noise) => ({ input: `${noise}\n`, delivered: [{ noise }] })),
    fc.tuple(fc.nat(99), fc.integer({ min: 300, max: 900 })).map(([id, length]) => {
      const json = `{"result":["é\\"${'x'.repeat(length)}"],"id":${id}}`
      return { input: `${json}\n`, delivered: [{ oversize: id, bytes: Buffer.byteLength(json) }] }
    }),
  )

  test('FI-12 are delivered alike, and an oversize message loses only itself (property)', () => {
    fc.assert(
      fc.property(
        fc.array(item, { maxLength: 20 }),
        fc.array(fc.nat(200), { maxLength: 60 }),
        (items, cuts) => {
          const bytes = Buffer.from(items.map(({ input }) => input).join(''))
          const delivered = items.flatMap((each) => each.delivered as readonly Delivery[]) // a union of arrays of its members
          const chunks: Uint8Array[] = []
          let at = 0
          for (const length of cuts) chunks.push(bytes.subarray(at, (at += length)))
          expect(read([...chunks, bytes.subarray(at)], limits)).toEqual(delivered)
          expect(read([bytes], limits)).toEqual(delivered)
          expect(read([bytes])).toEqual(read([...chunks, bytes.subarray(at)]))
        },
      ),
      { numRuns: 300 },
    )
  })

  test('random bytes never throw (property)', () => {
    const hostile = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      item.map(({ input }) => Buffer.from(input)),
    )
    const framing = fc.constantFrom<Framing>('auto', 'ndjson', 'content-length')
    const quiet = { frame() {}, malformed() {}, oversize() {}, noise() {}, reset() {} }
    const readQuietly = (chunks: readonly Uint8Array[], framing: Framing) => {
      const reader = createFrameReader({ framing, maxBytes: 30, hardMaxBytes: 200, on: quiet })
      for (const chunk of chunks) reader.push(chunk)
      reader.end()
    }
    fc.assert(
      fc.property(fc.array(hostile), framing, (chunks, framing) => {
        expect(() => readQuietly(chunks, framing)).not.toThrow()
      }),
      { numRuns: 500 },
    )
  })
})

test('D-2 encodeFrame: a message is written as a line, or with its length in bytes', () => {
  expect([
    encodeFrame('{"a":"é"}', 'auto'),
    encodeFrame('{}', 'ndjson'),
    encodeFrame('{"a":"é"}', 'content-length'),
  ]).toEqual(['{"a":"é"}\n', '{}\n', 'Content-Length: 10\r\n\r\n{"a":"é"}'])
})
