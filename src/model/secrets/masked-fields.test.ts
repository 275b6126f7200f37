import { describe, expect, test } from 'vitest'
import { maskFields } from '../mask-texts.ts'
import { Redactor } from './redactor.ts'

const redactor = new Redactor()
redactor.register('hunter2hunter2')
const mask = (text: string) => redactor.redact(text)

describe('maskFields', () => {
  test('masks texts and keys at any depth, and leaves the rest', () => {
    expect(
      maskFields({ ref: 'a/b', by: { client: 'x' }, shape: [{ hunter2hunter2: 'string(3)' }], ms: 3 }, mask),
    ).toEqual({ ref: 'a/b', by: { client: 'x' }, shape: [{ '•••': 'string(3)' }], ms: 3 })
    const token = `ghp_${'a1'.repeat(18)}`
    expect(maskFields({ ref: token, tool: 'at the end hunter2hunter2' }, mask)).toEqual({
      ref: '•••',
      tool: 'at the end •••',
    })
  })

  test('returns the identical object if there is nothing to mask', () => {
    const row = { ref: 'a/b', shape: { path: 'string(3)' } }
    expect(maskFields(row, mask)).toBe(row)
  })

  test('two texts that only together look like a secret are left alone', () => {
    const row = { one: 'hunter2', two: 'hunter2' }
    expect(maskFields(row, mask)).toBe(row)
  })
})
