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

describe('the tail', () => {
  test('is the last lines, newest last, with the one that is not ended', () => {
    const { ring, push } = listen()
    push('one\r\ntwo\n\nfo')
    push('ur')
    expect(ring.tail(10)).toEqual(['one', 'two', '', 'four'])
    expect(ring.tail(2)).toEqual(['', 'four'])
    expect(ring.tail(0)).toEqual([])
    push('\n')
    expect(ring.tail(1)).toEqual(['four'])
  })

  test('of nothing is nothing', () => {
    expect(listen().ring.tail(10)).toEqual([])
  })

  test('FI-26 keeps 64 KiB at most, in whole lines', () => {
    const { ring, push } = listen()
    for (let index = 0; index < 20_000; index++) push(`line ${index}\n`)
    const lines = ring.tail(1_000_000)
    expect(lines.at(-1)).toBe('line 19999')
    expect(lines.join('\n').length + 1).toBeLessThanOrEqual(64 * 1024)
    expect(lines.join('\n').length).toBeGreaterThan(63 * 1024)
    expect(lines).toEqual(lines.map((_, index) => `line ${20_000 - lines.length + index}`))
  })

  test('of one endless line is its end', () => {
    const { ring } = listen()
    ring.push(Buffer.alloc(1_000_000, 'x'))
    ring.push(Buffer.from('end'))
    const [line = '', ...more] = ring.tail(5)
    expect({ more, length: line.length, end: line.slice(-4) }).toEqual({
      more: [],
      length: 64 * 1024,
      end: 'xend',
    })
  })

  test('shows what is no UTF-8, and joins a character that came in two pieces', () => {
    const { ring, heard } = listen()
    ring.push(Buffer.from([0x61, 0xff, 0x62, 0x0a, 0xe2, 0x9c]))
    ring.push(Buffer.from([0x93, 0x0a]))
    expect(ring.tail(5)).toEqual(['a�b', '✓'])
    expect(heard).toEqual(['a�b', '✓'])
  })
})

describe('the listener', () => {
  test('hears each line when it is ended, and the last one when all is over', () => {
    const { heard, ring, push } = listen()
    push('one\ntw')
    push('o\r\n\nthr')
    expect(heard).toEqual(['one', 'two', ''])
    ring.end()
    ring.end()
    expect(heard).toEqual(['one', 'two', '', 'thr'])
  })

  test('FI-26 hears so many lines of a flood a second, how much is left out, and then the next whole line', async () => {
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

  test('FI-26 hears 256 KiB a second at most', () => {
    const { heard, ring, push } = listen()
    for (let index = 0; index < 400; index++) push(`${'x'.repeat(4095)}\n`)
    expect(heard.length).toBe(64)
    ring.end()
    expect(heard.at(-1)).toBe((400 - 64) * 4096)
  })

  test('hears 8 KiB of a line at most', () => {
    const { heard, push } = listen()
    push('x'.repeat(10_000))
    push('yyy\nnext\n')
    expect(heard).toEqual([10_003 - 8192, 'x'.repeat(8192), 'next'])
  })
})
