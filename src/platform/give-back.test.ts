import { expect, test, vi } from 'vitest'
import { giveBack } from './give-back.ts'

test('FI-26 giveBack: frees the memory of the bytes', () => {
  const before = process.memoryUsage().arrayBuffers
  const all = Array.from({ length: 64 }, () => Buffer.allocUnsafeSlow(1024 * 1024).fill('x'))
  for (const bytes of all) giveBack(bytes)
  expect(all.every(({ length }) => length === 0)).toBe(true)
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * 1024 * 1024)
})

test('giveBack: leaves small buffers and views of shared memory alone', () => {
  const whole = Buffer.allocUnsafeSlow(4096).fill('x')
  giveBack(whole.subarray(1))
  const few = Buffer.allocUnsafeSlow(8).fill('x')
  giveBack(few)
  expect([whole.toString(), few.toString()]).toEqual(['x'.repeat(4096), 'x'.repeat(8)])
})

test('giveBack: does nothing on a runtime that cannot free memory', async () => {
  const { MessageChannel: ports } = globalThis
  const { transfer } = ArrayBuffer.prototype as { transfer?: unknown } // not in the types, nor in Node 20
  vi.resetModules()
  Reflect.deleteProperty(globalThis, 'MessageChannel')
  Reflect.deleteProperty(ArrayBuffer.prototype, 'transfer')
  try {
    const { giveBack: giveNothing } = await import('./give-back.ts')
    const bytes = Buffer.allocUnsafeSlow(4096)
    giveNothing(bytes)
    expect(bytes.length).toBe(4096)
  } finally {
    Object.assign(globalThis, { MessageChannel: ports })
    if (transfer !== undefined) Object.assign(ArrayBuffer.prototype, { transfer })
  }
})
