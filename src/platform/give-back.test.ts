import { expect, test } from 'vitest'
import { giveBack } from './give-back.ts'

test('FI-26 bytes that are given back take no memory any more', () => {
  const before = process.memoryUsage().arrayBuffers
  const all = Array.from({ length: 64 }, () => Buffer.allocUnsafeSlow(1024 * 1024).fill('x'))
  for (const bytes of all) giveBack(bytes)
  expect(all.every(({ length }) => length === 0)).toBe(true)
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * 1024 * 1024)
})

test('bytes that share their memory with others stay, and so do those that are hardly any', () => {
  const whole = Buffer.allocUnsafeSlow(4096).fill('x')
  giveBack(whole.subarray(1))
  const few = Buffer.allocUnsafeSlow(8).fill('x')
  giveBack(few)
  expect([whole.toString(), few.toString()]).toEqual(['x'.repeat(4096), 'x'.repeat(8)])
})
