import { expect, test } from 'vitest'
import { toMaskedJson } from './masked-json.ts'

const mask = (text: string) => text.replaceAll(/a"b\nc|1234|long-secret-key/g, '***')

test('a value without secrets is serialized as it is, with numbers that look like one', () => {
  const value = { text: 'free', number: 12345, list: [true, null, { deep: ['x'] }] }
  expect(toMaskedJson(value, mask)).toBe(JSON.stringify(value))
})

test('a secret is masked in every text and key, also where JSON escapes it', () => {
  const value = { text: 'it is a"b\nc', number: 1234, list: ['1234'], 'long-secret-key': 'x' }
  expect(JSON.parse(toMaskedJson(value, mask))).toEqual({
    text: 'it is ***',
    number: 1234,
    list: ['***'],
    '***': 'x',
  })
})

test('fields that are undefined are left out', () => {
  expect(toMaskedJson({ a: undefined, b: '1234' }, mask)).toBe('{"b":"***"}')
})
