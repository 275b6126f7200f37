import { expect, test } from 'vitest'
import { controlLine, splitControl } from './control-lines.ts'

const text = `{"a":"é"}\n${controlLine({ need: ['ü'] })}{"b":${controlLine({ ready: true })}2}\n`

test.each([1, 2, 3, 7, 1000])('control lines are taken out of a stream in pieces of %i bytes', (size) => {
  const bytes: Buffer[] = []
  const lines: unknown[] = []
  const read = splitControl(
    (each) => bytes.push(each),
    (each) => lines.push(JSON.parse(each)),
  )
  const all = Buffer.from(text)
  for (let at = 0; at < all.length; at += size) read(all.subarray(at, at + size))
  expect(Buffer.concat(bytes).toString()).toBe('{"a":"é"}\n{"b":2}\n')
  expect(lines).toEqual([{ need: ['ü'] }, { ready: true }])
})

test('a stream without control lines is passed on as it came', () => {
  const chunk = Buffer.from('{"a":1}\n')
  const passed: Buffer[] = []
  splitControl(
    (each) => passed.push(each),
    () => undefined,
  )(chunk)
  expect(passed[0]).toBe(chunk)
})

test('a piece with thousands of control lines is read to its end', () => {
  let lines = 0
  let passed = ''
  const read = splitControl(
    (each) => (passed += each.toString()),
    () => (lines += 1),
  )
  read(Buffer.from(`${'\0\n'.repeat(30_000)}{"a":1}\n`))
  expect({ lines, passed }).toEqual({ lines: 30_000, passed: '{"a":1}\n' })
})
