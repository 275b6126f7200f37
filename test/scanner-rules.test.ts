import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { missingVersionRaise, readScannerRules } from '../scripts/scanner-rules.mjs'
import { rulesVersion } from '../src/scan.ts'

type Texts = Readonly<Record<string, string>>

/** A small scanner: one rule, which uses a part of the model. */
const scanner: Texts = {
  'src/scan.ts': `export { findKeys } from './scan/keys.ts'
    export { rulesVersion } from './scan/rules-version.ts'`,
  'src/scan/rules-version.ts': `export const rulesVersion = '5'`,
  'src/scan/keys.ts': `import { RE2JS } from 're2js'
    import { toWords } from '../model/words.ts'
    import type { Finding } from '../model/finding.ts'
    const key = /\\bkey\\b/
    export const keyRule = { score: 0.5, hits: ['a key'], misses: ['a monkey'], pattern: RE2JS }
    export function findKeys(text: string): readonly Finding[] {
      return toWords(text).some((word) => key.test(word)) ? [keyRule] : []
    }`,
  'src/model/words.ts': `export function toWords(text: string) { return text.split(' ') }
    export function toLines(text: string) { return text.split('\\n') }`,
}

function read(texts: Texts) {
  return readScannerRules((path) => {
    const text = texts[path]
    if (text === undefined) throw new Error(`${path} is missing`)
    return text
  })
}

/** What the check says about these files; a file without a text is removed. */
async function check(changes: Readonly<Record<string, string | undefined>>) {
  const texts = Object.entries({ ...scanner, ...changes }).filter((entry): entry is [string, string] =>
    Boolean(entry[1]),
  )
  return missingVersionRaise(await read(scanner), await read(Object.fromEntries(texts)))
}

function edit(path: string, from: string, to: string): Texts {
  const text = scanner[path] ?? ''
  expect(text).toContain(from)
  return { [path]: text.replace(from, to) }
}

const keys = 'src/scan/keys.ts'

describe('npm run check: rules of the scanner that changed under the same version fail, by file', () => {
  test.each([
    ['a pattern', edit(keys, 'bkey', 'bkeys?'), keys],
    ['a score', edit(keys, '0.5', '0.6'), keys],
    [
      'a function of the model that a rule uses',
      edit('src/model/words.ts', `' '`, `'-'`),
      'src/model/words.ts',
    ],
  ])('%s', async (_, changes, file) => {
    const sentence = await check(changes)
    expect(sentence).toContain(`changed (${file}), and their version is still '5'`)
    expect(sentence).toContain('Raise rulesVersion in src/scan/rules-version.ts')
  })

  test('a rule that is left out', async () => {
    const changes = {
      'src/scan.ts': `export { rulesVersion } from './scan/rules-version.ts'`,
      [keys]: undefined,
    }
    expect(await check(changes)).toContain(`changed (src/model/words.ts, ${keys})`)
  })
})

describe('npm run check: the rules of the scanner are the same', () => {
  test.each([
    ['with another comment', edit(keys, 'const key', '// Names of keys.\nconst key')],
    ['with another format', edit(keys, `{ score: 0.5,`, `{\n  score: 0.50,`)],
    ['with another type', edit(keys, 'readonly Finding[]', 'Finding[]')],
    ['with other examples', edit(keys, `'a monkey'`, `'a monkey', 'a keyhole'`)],
    ['with other functions that no rule uses', edit('src/model/words.ts', `'\\n'`, `/\\r?\\n/`)],
  ])('%s', async (_, changes) => expect(await check(changes)).toBe(undefined))

  test('in a file that moved', async () => {
    const moved = {
      'src/scan.ts': scanner['src/scan.ts']?.replace('./scan/keys.ts', './scan/secrets/key-rule.ts'),
      [keys]: undefined,
      'src/scan/secrets/key-rule.ts': scanner[keys]?.replace('../model', '../../model'),
    }
    expect(await check(moved)).toBe(undefined)
  })
})

test('npm run check: rules of the scanner may change with their version', async () => {
  const raised = { ...edit(keys, '0.5', '0.6'), ...edit('src/scan/rules-version.ts', '5', '6') }
  expect(await check(raised)).toBe(undefined)
})

test('npm run check: the rules of this scanner are read with their version, tables and weights', async () => {
  const root = new URL('../', import.meta.url)
  const { version, parts } = await readScannerRules((path) => readFileSync(new URL(path, root), 'utf8'))
  expect(version).toBe(rulesVersion)
  expect([...parts.values()]).toEqual(
    expect.arrayContaining([
      'src/model/secrets/token-forms.ts',
      'src/scan/cross/popular-names.ts',
      'src/scan/languages/secret-phrases.ts',
      'src/scan/rules/inj/inj-001.ts',
      'src/scan/steering/learned-weights.ts',
    ]),
  )
})
