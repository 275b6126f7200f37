import { expect, test } from 'vitest'
import { readResponse } from './callback.ts'

const expected = { state: 'the-state', issuer: 'https://a.example', sendsIssuer: false }
const read = (query: string, more: Partial<typeof expected> = {}) => {
  try {
    return readResponse(new URLSearchParams(query), { ...expected, ...more })
  } catch (error) {
    return error
  }
}

test('T30 readResponse: returns undefined without the exact state', () => {
  expect([
    read('code=x&state=the-state'),
    read('code=x&state=the-statE'),
    read('code=x&state='),
    read('code=x'),
    read('error=access_denied'),
    read('code=x&state=wrong&state=the-state'),
  ]).toEqual([{ code: 'x', issuer: undefined }, undefined, undefined, undefined, undefined, undefined])
})

test('T28 readResponse: compares the issuer exactly, before it reads an error or a code', () => {
  const answers = [
    read('code=x&state=the-state&iss=https%3A%2F%2Fa.example'),
    read('code=x&state=the-state&iss=https%3A%2F%2Fa.example%2F'),
    read('code=x&state=the-state&iss=https%3A%2F%2FA.example'),
    read('code=x&state=the-state', { sendsIssuer: true }),
    read('error=evil&state=the-state&iss=https%3A%2F%2Fb.example'),
  ]
  expect(answers[0]).toEqual({ code: 'x', issuer: 'https://a.example' })
  for (const answer of answers.slice(1)) expect(answer).toMatchObject({ reason: 'issuer' })
})

test('readResponse: a refusal shows the error code and nothing else of the response', () => {
  expect(read('error=access_denied&error_description=call+555&state=the-state')).toMatchObject({
    reason: 'refused',
    oauth: 'access_denied',
    message: 'The issuer refused: access_denied.',
  })
  expect(read('error=%1b[2J&state=the-state')).toMatchObject({
    message: 'The issuer refused: no known reason.',
  })
  expect(read('state=the-state')).toMatchObject({ reason: 'unusable' })
})
