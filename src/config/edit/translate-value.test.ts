import { describe, expect, test } from 'vitest'
import type { ValueRules } from '../../sources/entries/template.ts'
import { listAnswers, translateValue } from './translate-value.ts'
import type { ValueSite } from '../values/value-sites.ts'

const rulesFor = (...syntaxes: ValueRules['syntaxes']): ValueRules => ({ syntaxes, unset: 'keep' })
const braces = rulesFor('braces')
const none = rulesFor()
const inEnv = (value: ValueSite['value']): ValueSite => ({ field: 'env', key: 'A', value })

describe('translateValue', () => {
  test.each([
    ['${X}', braces, rulesFor('env-colon'), '${env:X}'],
    ['${env:X}', rulesFor('env-colon'), braces, '${X}'],
    ['{env:X}', rulesFor('opencode'), rulesFor('dollar-env'), '$env:X'],
    ['a-$X-b', rulesFor('bare'), rulesFor('opencode'), 'a-{env:X}-b'],
    ['%X%', rulesFor('percent'), rulesFor('bare'), '$X'],
    ['${X:-d}', braces, rulesFor('alternatives'), '${env:X | value:d}'],
    ['${env:X | value:d}', rulesFor('alternatives'), braces, '${X:-d}'],
    ['${input:key}', rulesFor('input'), rulesFor('input', 'braces'), '${input:key}'],
    ['{file:/run/key}', rulesFor('opencode'), rulesFor('file-colon'), '${file:/run/key}'],
    ['$(op read key)', rulesFor('shell'), rulesFor('bang'), '!op read key'],
    ['!op read key', rulesFor('bang'), rulesFor('shell'), '$(op read key)'],
    ['${workspaceFolder}/a', rulesFor('editor'), rulesFor('editor', 'braces'), '${workspaceFolder}/a'],
    ['plain', none, none, 'plain'],
  ])('translates %s', (text, from, to, expected) => {
    expect(translateValue(inEnv(text), { from, to })).toEqual({ value: expected })
  })

  test('a value given by variable name is translated like a placeholder', () => {
    const site = inEnv({ env: 'X' })
    expect(translateValue(site, { from: none, to: braces })).toEqual({ value: '${X}' })
    expect(translateValue(site, { from: none, to: none })).toEqual({ value: { env: 'X' } })
  })

  test('a value that is one variable becomes its name if the target has no placeholder for it', () => {
    expect(translateValue(inEnv('${X}'), { from: braces, to: none })).toEqual({ value: { env: 'X' } })
  })

  test.each([
    ['part of a text', 'a-${X}', braces, none],
    ['a default', '${X:-d}', braces, rulesFor('env-colon')],
    ['a relative path', '{file:./key}', rulesFor('opencode'), rulesFor('file-colon')],
    ['a command that needs a shell', '$(a | b)', rulesFor('shell'), rulesFor('bang')],
    ['a command inside a text', 'Bearer $(a)', rulesFor('shell'), rulesFor('bang')],
    ['a secret of the client', '${{ secrets.X }}', rulesFor('secrets'), braces],
    ['a name that only an editor defines', '${config:x}', rulesFor('editor-only'), braces],
    ['an input', '${input:x}', rulesFor('input'), braces],
  ])('%s stays as written if the target cannot express it, with the reason', (_what, text, from, to) => {
    expect(translateValue(inEnv(text), { from, to })).toEqual({
      value: text,
      reason: `The target cannot resolve ${text}; it is written literally.`,
    })
  })

  test('placeholders are translated only in fields that both clients expand', () => {
    const site: ValueSite = { field: 'cwd', key: 'cwd', value: '${X}' }
    const elsewhere: ValueRules = { ...braces, fields: ['env'] }
    expect(translateValue(site, { from: elsewhere, to: rulesFor('env-colon') })).toEqual({ value: '${X}' })
    expect(translateValue(site, { from: braces, to: elsewhere })).toMatchObject({
      value: '${X}',
      reason: 'The target cannot resolve ${X}; it is written literally.',
    })
  })

  test('a literal text that the target would expand is left out', () => {
    expect(translateValue(inEnv('costs ${X}'), { from: none, to: braces })).toEqual({
      value: 'costs ${X}',
      reason: 'It is plain text, and the target would resolve ${X}; it is left out.',
      isLeftOut: true,
    })
  })

  test('O12 a bare word is a variable only if one of that name is set', () => {
    const translation = { from: rulesFor('env-name'), to: braces, isSet: (name: string) => name === 'TOKEN' }
    expect(translateValue(inEnv('TOKEN'), translation)).toEqual({ value: '${TOKEN}' })
    expect(translateValue(inEnv('production'), translation)).toEqual({ value: 'production' })
  })

  test('answers replace inputs, and several answers become several arguments', () => {
    const from: ValueRules = { ...rulesFor('user-config', 'plugin'), names: { HOME: '/home/dana' } }
    const translation = { from, to: braces, answers: { key: '${KEY}', dirs: ['${HOME}/a', '/b'] } }
    expect(translateValue(inEnv('k=${user_config.key}'), translation)).toEqual({ value: 'k=${KEY}' })
    expect(translateValue(inEnv('${user_config.dirs}'), translation)).toEqual({ value: '/home/dana/a,/b' })
    expect(listAnswers('${user_config.dirs}', translation)).toEqual([
      { value: '/home/dana/a' },
      { value: '/b' },
    ])
    expect(listAnswers('${user_config.key}', translation)).toBeUndefined()
  })
})
