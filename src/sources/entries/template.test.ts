import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseTemplate } from './template.ts'
import type { Syntax, ValueRules } from './template.ts'

const rules = (...syntaxes: Syntax[]): ValueRules => ({ syntaxes, unset: 'keep' })

describe('O9 parseTemplate: placeholder syntaxes', () => {
  test.each<[Syntax, string, object]>([
    ['braces', '${A_1}', { kind: 'env', name: 'A_1' }],
    ['braces', '${A:-b}', { kind: 'env', name: 'A', fallback: 'b' }],
    ['braces', '${A:-}', { kind: 'env', name: 'A', fallback: '' }],
    ['braces', '${A:-{"x":{}}}', { kind: 'env', name: 'A', fallback: '{"x":{}}' }],
    ['bare', '$A_1', { kind: 'env', name: 'A_1' }],
    ['env-colon', '${env:A}', { kind: 'env', name: 'A' }],
    ['editor', '${workspaceFolder}', { kind: 'name', name: 'workspaceFolder' }],
    ['editor', '${/}', { kind: 'name', name: '/' }],
    ['input', '${input:token}', { kind: 'input', id: 'token' }],
    ['file-colon', '${file:/a b}', { kind: 'file', path: '/a b' }],
    ['opencode', '{env:A}', { kind: 'env', name: 'A' }],
    ['opencode', '{file:~/x}', { kind: 'file', path: '~/x' }],
    ['dollar-env', '$env:A', { kind: 'env', name: 'A' }],
    ['shell', '$(echo a)', { kind: 'command', command: 'echo a' }],
    ['secrets', '${{ secrets.A }}', { kind: 'secret', name: 'secrets.A' }],
    ['percent', '%A%', { kind: 'env', name: 'A' }],
    ['bang', '! op read x ', { kind: 'command', command: 'op read x' }],
    ['keychain', '${keychain:s/a}', { kind: 'keychain', reference: 's/a' }],
    ['alternatives', '${value:x}', { kind: 'literal', value: 'x' }],
    ['alternatives', '${op://v/i}', { kind: 'scheme', scheme: 'op' }],
  ])('%s: %s is parsed', (syntax, text, part) => {
    expect(parseTemplate(text, rules(syntax))).toEqual([{ ...part, text }])
  })

  test('parts are in order, with the text between them', () => {
    expect(parseTemplate('a${B}c${D:-e}', rules('braces'))).toEqual([
      { kind: 'text', text: 'a' },
      { kind: 'env', name: 'B', text: '${B}' },
      { kind: 'text', text: 'c' },
      { kind: 'env', name: 'D', fallback: 'e', text: '${D:-e}' },
    ])
  })

  test.each<[Syntax[], string]>([
    [[], '${A} $B !c {env:D} %E%'],
    [['braces'], '$A'],
    [['braces'], '${1A}'],
    [['braces'], '${A-b}'],
    [['braces'], '${A B}'],
    [['braces'], '${}'],
    [['braces'], '${A'],
    [['braces'], 'cost: 5$'],
    [['braces'], '${{ secrets.A }}'],
    [['bare'], '$1'],
    [['bare'], '${A}'],
    [['percent'], '100%'],
    [['percent'], '%A b%'],
    [['opencode'], '{other:A}'],
    [['opencode'], '{env:A'],
    [['bang'], 'a!b'],
    [['env-colon'], '${A}'],
  ])('with %j, %s stays plain text', (syntaxes, text) => {
    expect(parseTemplate(text, rules(...syntaxes))).toEqual([{ kind: 'text', text }])
  })

  test('C19 without syntaxes every text stays plain', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (text) => {
        expect(parseTemplate(text, rules())).toEqual([{ kind: 'text', text }])
      }),
    )
  })
})

describe('T06 parseTemplate: one pass', () => {
  const all: Syntax[] = [
    'braces',
    'bare',
    'env-colon',
    'editor',
    'input',
    'file-colon',
    'opencode',
    'dollar-env',
    'shell',
    'secrets',
    'alternatives',
    'percent',
    'keychain',
    'bang',
  ]
  const token = fc.constantFrom(
    ...'$ { } ${ ${{ }} $( ) % ! :- : | env: file: input: op: A B_2 / é'.split(' '),
    ' ',
    '\n',
    '\ud800',
  )
  const soup = fc.array(token, { maxLength: 60 }).map((tokens) => tokens.join(''))

  test('the parts joined together give the text', () => {
    fc.assert(
      fc.property(fc.subarray(all), soup, (syntaxes, text) => {
        const parts = parseTemplate(text, rules(...syntaxes))
        expect(parts.map((part) => part.text).join('')).toBe(text)
      }),
      { numRuns: 1000 },
    )
  })

  test('a default that looks like a placeholder is not expanded', () => {
    expect(parseTemplate('${A:-${B}}', rules('braces'))).toEqual([
      { kind: 'env', name: 'A', fallback: '${B}', text: '${A:-${B}}' },
    ])
  })

  test('a text of many open braces is scanned once', () => {
    const text = '${'.repeat(200_000)
    expect(parseTemplate(text, rules('braces'))).toEqual([{ kind: 'text', text }])
  })
})

describe('T43 parseTemplate: hostile texts are parsed in linear time', () => {
  const all: Syntax[] = ['braces', 'bare', 'shell', 'dollar-env', 'percent', 'env-colon']
  test.each<[string, Syntax[]]>([
    ['{', ['opencode']],
    ['{', ['curly']],
    ['${', all],
    ['${{', ['secrets']],
    ['$(', all],
    ['${-', all],
    ['$env:', ['dollar-env']],
    ['%a', ['percent']],
  ])('2 MB of %s', (opener, syntaxes) => {
    const text = opener.repeat(2_000_000 / opener.length)
    const names = { id: 'x' }
    const parts = parseTemplate(text, { ...rules(...syntaxes), names })
    expect(parts.map((part) => part.text).join('')).toBe(text)
  })

  test.each<[string, string, Syntax[]]>([
    ['{', '}', ['opencode']],
    ['{', '}', ['curly']],
    ['${-', '}', ['braces']],
  ])('1 MB of %s that end in %s', (opener, closer, syntaxes) => {
    const text = opener.repeat(400_000) + closer.repeat(400_000)
    expect(parseTemplate(text, { ...rules(...syntaxes), names: { id: 'x' } })).toEqual([
      { kind: 'text', text },
    ])
  })
})
