import { describe, expect, test } from 'vitest'
import type { Value } from '../model/server.ts'
import type { ValueRules } from '../sources/template.ts'
import { answersTo, bearerVariable, translateValue } from './translate.ts'
import type { Translation } from './translate.ts'

const rulesOf = (...syntaxes: ValueRules['syntaxes']): ValueRules => ({ syntaxes, unset: 'keep' })
const ours = rulesOf('braces', 'env-colon', 'opencode', 'input', 'keychain', 'bang', 'editor')
const literal = rulesOf()

const inEnv = (value: Value, translation: Translation) =>
  translateValue({ field: 'env', key: 'K', value }, translation)

describe('a value in another owner’s words', () => {
  test.each([
    ['${A}', rulesOf('braces'), '${A}'],
    ['${A}', rulesOf('env-colon'), '${env:A}'],
    ['${A}', rulesOf('opencode'), '{env:A}'],
    ['${A}', rulesOf('dollar-env'), '$env:A'],
    ['${A}', rulesOf('bare'), '$A'],
    ['${A}', rulesOf('alternatives'), '${env:A}'],
    ['x-${A}-{env:B}', rulesOf('env-colon'), 'x-${env:A}-${env:B}'],
    ['${A:-d}', rulesOf('braces'), '${A:-d}'],
    ['${A:-d}', rulesOf('alternatives'), '${env:A | value:d}'],
    ['{file:/etc/key}', rulesOf('file-colon'), '${file:/etc/key}'],
    ['{file:~/key}', rulesOf('opencode'), '{file:~/key}'],
    ['${input:id}', rulesOf('input'), '${input:id}'],
    ['!op read x', rulesOf('bang'), '!op read x'],
    ['!op read x', rulesOf('shell'), '$(op read x)'],
    ['${userHome}/x', rulesOf('editor'), '${userHome}/x'],
    ['${keychain:a/b}', rulesOf('keychain'), '${keychain:a/b}'],
    ['plain', literal, 'plain'],
    ['', literal, ''],
  ])('%s under %j is %s', (value, to, expected) => {
    expect(inEnv(value, { from: ours, to })).toEqual({ value: expected })
  })

  test('a variable that a text cannot refer to is named instead, where names can stand', () => {
    expect(inEnv('${A}', { from: ours, to: literal })).toEqual({ value: { env: 'A' } })
    const site = { field: 'args', key: 0, value: '${A}' } as const
    expect(translateValue(site, { from: ours, to: literal })).toEqual({
      value: '${A}',
      reason: 'It has no way to write ${A}; the text stays as it is.',
    })
  })

  test.each([
    ['a variable inside a text', 'x${A}', literal],
    ['a default', '${A:-d}', rulesOf('env-colon')],
    ['a command', '!op read x', rulesOf('braces')],
    ['a command that only a shell or only words would run so', '!a | b', rulesOf('bang')],
    ['a file relative to where it stands', '{file:key.txt}', rulesOf('opencode')],
    ['an input', '${input:id}', rulesOf('braces')],
    ['a keychain', '${keychain:a/b}', rulesOf('braces')],
  ])('%s that cannot be written stays, and it is said: %s', (_what, value, to) => {
    expect(inEnv(value, { from: ours, to })).toEqual({
      value,
      reason: `It has no way to write ${value}; the text stays as it is.`,
    })
  })

  test('T06 a literal that the other owner would expand is pointed out', () => {
    expect(inEnv('costs ${A}', { from: literal, to: ours })).toEqual({
      value: 'costs ${A}',
      reason: 'There ${A} would be taken for a placeholder.',
    })
    expect(inEnv('!important', { from: literal, to: ours }).reason).toBe(
      'There !important would be taken for a placeholder.',
    )
  })

  test('fields that an owner does not expand are texts', () => {
    const site = { field: 'url', key: 'url', value: 'https://${HOST}' } as const
    const from: ValueRules = { ...ours, fields: ['env'] }
    expect(translateValue(site, { from, to: literal })).toEqual({ value: 'https://${HOST}' })
  })

  test('answers take the place of inputs, and names what only the owner knows', () => {
    const from: ValueRules = { ...rulesOf('input', 'plugin'), names: { ROOT: '/plug' } }
    const answers = { id: 'a', many: ['b', 'c'] }
    expect(inEnv('${input:id}-${input:many}-${ROOT}', { from, to: literal, answers })).toEqual({
      value: 'a-b,c-/plug',
    })
    expect(inEnv('${input:constructor}', { from, to: literal, answers }).value).toBe('${input:constructor}')
  })

  test('O12 a bare word is a variable only where one of that name is set', () => {
    const from = rulesOf('env-name')
    const to = rulesOf('braces')
    expect(inEnv('HOME_KEY', { from, to, isSet: (name) => name === 'HOME_KEY' })).toEqual({
      value: '${HOME_KEY}',
    })
    expect(inEnv('production', { from, to })).toEqual({ value: 'production' })
  })
})

describe('several answers', () => {
  const translation = { from: ours, to: ours, answers: { dirs: ['/a', '/b'], one: 'x' } }
  test.each([
    ['${input:dirs}', ['/a', '/b']],
    ['${input:one}', undefined],
    ['x${input:dirs}', undefined],
    ['${input:none}', undefined],
    ['plain', undefined],
  ])('%s becomes %j', (text, expected) => expect(answersTo(text, translation)).toEqual(expected))
})

describe('a bearer', () => {
  test.each([
    ['Bearer ${T}', 'T'],
    ['bearer {env:T}', 'T'],
    ['Bearer ${T:-x}', undefined],
    ['Bearer ${T}!', undefined],
    ['Basic ${T}', undefined],
    ['${T}', undefined],
  ])('%s is in the variable %s', (value, variable) => {
    expect(bearerVariable({ field: 'headers', key: 'Authorization', value }, { from: ours, to: ours })).toBe(
      variable,
    )
  })
})
