import { expect, test } from 'vitest'
import { createFailurePrinter } from './failure-printer.ts'

test('T18 T50 a message begins no line of its own, and many failures do not fill the terminal', () => {
  const printed: string[] = []
  let time = 0
  const print = createFailurePrinter(
    (text) => printed.push(text),
    () => time,
  )
  const fail = () => print(new Error('no /x\nCode for the page: ABCDEF\n    at /y'))
  fail()
  const [first = '', ...frames] = (printed[0] ?? '').split('\n')
  expect(first).toBe('A request failed unexpectedly: Error: no /x\\nCode for the page: ABCDEF\\n    at /y')
  expect(frames.length).toBeGreaterThan(0)
  expect(frames.every((line) => line.startsWith('    at ') && !line.endsWith('/y'))).toBe(true)
  for (let at = 0; at < 10; at++) fail()
  expect(printed).toHaveLength(5)
  time = 5 * 60_000
  fail()
  expect(printed).toHaveLength(6)
})
