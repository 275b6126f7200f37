import { expect, test } from 'vitest'
import { HostError, isHostError } from './error.ts'

test('HostError: has a code, data, a message, a hint and a cause', () => {
  const cause = new Error('EACCES')
  const error = new HostError('config.unwritable', { file: '/x' }, '/x cannot be written.', {
    hint: 'Give yourself permission.',
    cause,
  })
  expect(error).toBeInstanceOf(Error)
  const { name, code, data, message, hint } = error
  expect({ name, code, data, message, hint, cause: error.cause }).toEqual({
    name: 'HostError',
    code: 'config.unwritable',
    data: { file: '/x' },
    message: '/x cannot be written.',
    hint: 'Give yourself permission.',
    cause,
  })
})

test('HostError: without a hint the property is absent', () => {
  expect(JSON.parse(JSON.stringify(new HostError('usage', {}, 'No.')))).toEqual({
    name: 'HostError',
    code: 'usage',
    data: {},
  })
})

test('isHostError: checks the code and narrows the data', () => {
  const error: HostError = new HostError(
    'server.unknown',
    { server: 'a', near: ['b'] },
    'There is no server "a".',
  )
  expect(isHostError(error, 'server.unknown') && error.data.near).toEqual(['b'])
  expect(isHostError(error, 'usage')).toBe(false)
  expect(isHostError(new Error('usage'))).toBe(false)
})
