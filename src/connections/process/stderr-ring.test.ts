import { describe, expect, test } from 'vitest'
import { createFakeClock } from '../../testing/fake-clock.ts'
import { createStderrRing } from './stderr-ring.ts'

function listen() {
  const clock = createFakeClock()
  const heard: (string | number)[] = []
  const ring = createStderrRing(clock, {
    onLine: (line) => heard.push(line),
    onSkipped: (bytes) => heard.push(bytes),
  })
  return { clock, heard, ring, push: (text: string) => ring.push(Buffer.from(text)) }
}

describe('stderr ring: tail', () => {
  test('returns the last lines, newest last, including an unfinished one', () => {
    const { ring, push } = listen()
    push('one\r\ntwo\n\nfo')
    push('ur')
    expect(ring.tail(10)).toEqual(['one', 'two', '', 'four'])
    expect(ring.tail(2)).toEqual(['', 'four'])
    expect(ring.tail(0)).toEqual([])
    push('\n')
    expect(ring.tail(1)).toEqual(['four'])
  })

  test('is empty without input', () => {
    expect(listen().ring.tail(10)).toEqual([])
  })

  test('FI-26 keeps at most 64 KiB, in whole lines', () => {
    const { ring, push } = listen()
    for (let index = 0; index < 20_000; index++) push(`line ${index}\n`)
    const lines = ring.tail(1_000_000)
    expect(lines.at(-1)).toBe('line 19999')
    expect(lines.join('\n').length + 1).toBeLessThanOrEqual(64 * 1024)
    expect(lines.join('\n').length).toBeGreaterThan(63 * 1024)
    expect(lines).toEqual(lines.map((_, index) => `line ${20_000 - lines.length + index}`))
  })

  test('of one endless line returns its end', () => {
    const { ring } = listen()
    ring.push(Buffer.alloc(1_000_000, 'x'))
    ring.push(Buffer.from('end'))
    const [line = '', ...more] = ring.tail(5)
    expect({ more, length: line.length, start: line.slice(0, 2), end: line.slice(-4) }).toEqual({
      more: [],
      length: 64 * 1024 + 1,
      start: '…x',
      end: 'xend',
    })
  })

  test('replaces bytes that are not UTF-8, and joins a character that arrived in two chunks', () => {
    const { ring, heard } = listen()
    ring.push(Buffer.from([0x61, 0xff, 0x62, 0x0a, 0xe2, 0x9c]))
    ring.push(Buffer.from([0x93, 0x0a]))
    expect(ring.tail(5)).toEqual(['a�b', '✓'])
    expect(heard).toEqual(['a�b', '✓'])
  })
})

describe('stderr ring: listener', () => {
  test('gets each line when it ends, and the last one at the end of the stream', () => {
    const { heard, ring, push } = listen()
    push('one\ntw')
    push('o\r\n\nthr')
    expect(heard).toEqual(['one', 'two', ''])
    ring.end()
    ring.end()
    expect(heard).toEqual(['one', 'two', '', 'thr'])
  })

  test('FI-26 in a flood gets a limited number of lines per second, the number of skipped bytes, then the next whole line', async () => {
    const { clock, heard, ring, push } = listen()
    push(Array.from({ length: 700 }, (_, index) => `${String(index).padStart(4, '0')}\n`).join(''))
    expect(heard.length).toBe(500)
    push('half of a li')
    await clock.advance(1000)
    push('ne\nquiet again\n')
    expect(heard.slice(499)).toEqual(['0499', 200 * 5 + 12 + 2, 'quiet again'])
    ring.end()
    expect(heard.length).toBe(502)
  })

  test('FI-26 gets at most 256 KiB per second', () => {
    const { heard, ring, push } = listen()
    for (let index = 0; index < 400; index++) push(`${'x'.repeat(4095)}\n`)
    expect(heard.length).toBe(64)
    ring.end()
    expect(heard.at(-1)).toBe((400 - 64) * 4096)
  })

  test('gets at most 8 KiB of a line', () => {
    const { heard, push } = listen()
    push('x'.repeat(10_000))
    push('yyy\nnext\n')
    expect(heard).toEqual([10_003 - 8192, `${'x'.repeat(8192)}…`, 'next'])
  })
})
