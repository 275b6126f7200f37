import { expect, test } from 'vitest'
import { HostError, isHostError } from './error.ts'

test('an error says what, with data for programs and a next step for people', () => {
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

test('without a next step there is no hint', () => {
  expect(JSON.parse(JSON.stringify(new HostError('usage', {}, 'No.')))).toEqual({
    name: 'HostError',
    code: 'usage',
    data: {},
  })
})

test('its code narrows its data', () => {
  const error: HostError = new HostError(
    'server.unknown',
    { server: 'a', near: ['b'] },
    'There is no server "a".',
  )
  expect(isHostError(error, 'server.unknown') && error.data.near).toEqual(['b'])
  expect(isHostError(error, 'usage')).toBe(false)
  expect(isHostError(new Error('usage'))).toBe(false)
})
