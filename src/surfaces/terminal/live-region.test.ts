import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { renderScreen } from '../../../test/support/programs/screen.ts'
import { createLiveRegion } from './live-region.ts'

function openRegion({ rows = 10, isPlain = false } = {}) {
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 20, rows })
  const writes: string[] = []
  stream.on('data', (chunk: Buffer) => writes.push(chunk.toString()))
  const region = createLiveRegion({ stream, isPlain })
  return {
    region,
    writes,
    above: region.above(stream),
    screen: () => renderScreen(writes.join('').replaceAll('\n', '\r\n'), 20),
  }
}

test('live region: its lines change in place, and other output is printed above them', () => {
  const { region, above, writes, screen } = openRegion()
  region.show(['one', 'two'])
  region.show(['three'])
  above.write('a note\n')
  region.print('a line', ['four', 'five'])
  expect(screen()).toEqual(['a note', 'a line', 'four', 'five'])
  // Each change is one write, so that a terminal never shows a half-drawn region.
  expect(writes).toHaveLength(4)
  region.setHidden(true)
  expect(screen()).toEqual(['a note', 'a line', ''])
  above.write('asked\n')
  region.setHidden(false)
  region.show([])
  expect(screen()).toEqual(['a note', 'a line', 'asked', ''])
})

test('live region: only the last lines are shown if it is higher than the terminal', () => {
  const { region, screen } = openRegion({ rows: 4 })
  region.show(['1', '2', '3', '4', '5'])
  expect(screen()).toEqual(['3', '4', '5'])
})

test('live region: a terminal without cursor control gets only what stays', () => {
  const { region, above, writes } = openRegion({ isPlain: true })
  region.show(['one'])
  above.write('a note\n')
  region.print('a line', ['two'])
  expect(writes.join('')).toBe('a note\na line\n')
})
