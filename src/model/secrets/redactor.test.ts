import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Redactor } from './redactor.ts'

function redactorOf(...secrets: readonly string[]): Redactor {
  const redactor = new Redactor()
  for (const secret of secrets) redactor.register(secret)
  return redactor
}

const masked = (text: string, ...secrets: readonly string[]) => redactorOf(...secrets).redact(text)

const each = (text: string, write: (unit: string) => string) => text.split('').map(write).join('')
const codeOf = (unit: string, base: number) => unit.charCodeAt(0).toString(base)
const percentAll = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
const inJson = (text: string) => JSON.stringify(text).slice(1, -1)
const entities: Readonly<Record<string, string>> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": 'apos',
  '/': 'sol',
}
const inHtml = (text: string) => each(text, (unit) => (entities[unit] ? `&${entities[unit]};` : unit))
const base64 = (text: string, encoding: 'base64' | 'base64url' = 'base64') =>
  Buffer.from(text).toString(encoding)
/** Every second letter in the other case. */
const mixed = (text: string) =>
  each(text, (unit) => (unit.charCodeAt(0) % 2 ? unit.toUpperCase() : unit.toLowerCase()))
const isAscii = (text: string) => /^[\0-\x7f]*$/.test(text)

/** How a program may write a secret. */
const encodings: Readonly<Record<string, (secret: string) => string>> = {
  'as it is': (secret) => secret,
  'upper case': (secret) => secret.toUpperCase(),
  'lower case': (secret) => secret.toLowerCase(),
  'mixed case': (secret) => (isAscii(secret) ? mixed(secret) : secret),
  'percent encoding': encodeURIComponent,
  'lower-case percent encoding': (secret) =>
    encodeURIComponent(secret).replaceAll(/%../g, (code) => code.toLowerCase()),
  'percent encoding of every byte': percentAll,
  'percent encoding in mixed case': (secret) => mixed(percentAll(isAscii(secret) ? secret : 'x'.repeat(8))),
  'a JSON text': inJson,
  'a JSON text in JSON': (secret) => inJson(inJson(secret)),
  '\\u escapes': (secret) => each(secret, (unit) => `\\u${codeOf(unit, 16).padStart(4, '0')}`),
  '\\u escapes in upper case': (secret) =>
    each(secret, (unit) => `\\u${codeOf(unit, 16).padStart(4, '0').toUpperCase()}`),
  '\\u{} escapes': (secret) => each(secret, (unit) => `\\u{${codeOf(unit, 16)}}`),
  '\\x escapes': (secret) =>
    isAscii(secret) ? each(secret, (unit) => `\\x${codeOf(unit, 16).padStart(2, '0')}`) : secret,
  'a \\u escape for one character': (secret) =>
    `${secret.slice(0, 5)}\\u${codeOf(secret.slice(5), 16).padStart(4, '0')}${secret.slice(6)}`,
  'HTML names': inHtml,
  'HTML decimal': (secret) => each(secret, (unit) => `&#${codeOf(unit, 10)};`),
  'HTML hexadecimal': (secret) => each(secret, (unit) => `&#x${codeOf(unit, 16)};`),
  'HTML hexadecimal in upper case': (secret) =>
    each(secret, (unit) => `&#X${codeOf(unit, 16).toUpperCase()};`),
  hexadecimal: (secret) => Buffer.from(secret).toString('hex'),
  'hexadecimal in upper case': (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
  base64,
  base64url: (secret) => base64(secret, 'base64url'),
  'Basic, offset 1': (secret) => base64(`dana1:${secret}`),
  'Basic, offset 2': (secret) => base64(`d:${secret}`),
  'Basic, offset 0': (secret) => base64(`da:${secret}`),
  'base64url, offset 1': (secret) => base64(`u${secret}`, 'base64url'),
  'base64url, offset 2': (secret) => base64(`u:${secret}ü`, 'base64url'),
  'base64 in percent encoding': (secret) => encodeURIComponent(base64(`d:${secret}`)),
}

/** Texts that an escape could be read together with. */
const neighbor = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.constantFrom(
    '%',
    '%4',
    '\\',
    '\\\\',
    '\\u00',
    '\\x',
    '&',
    '&#',
    '&amp;',
    '&#x',
    '41',
    ';',
    'A=',
    '"',
    'https://x/?a=',
  ),
)
const units = fc.constantFrom(...'abcdefXYZ0123456789%&\\/"<>\'+-_=.: \n'.split(''))
const aSecret = fc
  .oneof(
    fc.string({ minLength: 8, maxLength: 40 }),
    fc.string({ minLength: 8, maxLength: 40, unit: 'grapheme' }),
    fc.string({ minLength: 8, maxLength: 24, unit: units }),
    fc.base64String({ minLength: 8, maxLength: 40 }),
  )
  .filter((text) => text.length >= 8)

describe('T35 Redactor: encodings', () => {
  test.each(Object.entries(encodings))('finds a secret written in %s', (_, encode) => {
    const secret = 'p@ss/W0rd-"<x>\' 1%2&3'
    expect(masked(`<${encode(secret)}>`, secret)).toMatch(/^<\w{0,8}•••[\w%]{0,4}>$/)
  })

  test('finds a secret whose escapes were escaped again', () => {
    const secret = 'p@ss/W0rd-"<x>'
    const forms = [
      encodeURIComponent(encodeURIComponent(secret)),
      inHtml(inHtml(secret)),
      inJson(inJson(inJson(secret))),
    ]
    for (const form of forms) expect(masked(`<${form}>`, secret)).toBe('<•••>')
  })

  test('leaves no secret in any text, in any encoding (property)', () => {
    fc.assert(
      fc.property(
        aSecret,
        fc.constantFrom(...Object.keys(encodings)),
        neighbor,
        neighbor,
        (secret, name, before, after) => {
          const written = encodings[name]?.(secret) ?? ''
          fc.pre(!'•••'.includes(written))
          const redactor = redactorOf(secret, 'percent-encoded', 'xxxxxxxx')
          const text = `${before}${written}${after}`
          expect(redactor.maskKnown(text).includes(written)).toBe(false)
          expect(redactor.hasSecretInJson(JSON.stringify({ text }))).toBe(true)
        },
      ),
      { numRuns: 3000 },
    )
  })

  test('a text without a secret is returned unchanged (property)', () => {
    const redactor = redactorOf('tok-abcdefghijkl-123456', 'p@ss "w/o"\n& more %41 \\u0041')
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string(), neighbor), { maxLength: 20 }), (parts) => {
        const text = parts.join('')
        expect(redactor.maskKnown(text)).toBe(text)
      }),
      { numRuns: 500 },
    )
  })

  test('encodings are searched from eight characters on; shorter secrets are not masked at all', () => {
    expect(masked(`${base64('d:12345678')} ${base64('d:1234567')}`, '12345678', '1234567')).toBe(
      'ZD••• ZDoxMjM0NTY3',
    )
  })

  test('masks the token and the password of a header, without its scheme', () => {
    const secrets = ['Bearer tok-0123456789', `Basic ${base64('dana:hunter2-hunter2')}`]
    expect(masked('<tok-0123456789> <hunter2-hunter2>', ...secrets)).toBe('<•••> <•••>')
  })

  test('overlapping and adjacent secrets leave nothing between them', () => {
    expect(masked('<abcdefghijklmnop>', 'abcdefghij', 'ghijklmnop')).toBe('<•••>')
    expect(masked('<abcdefghabcdefgh>', 'abcdefgh')).toBe('<••••••>')
  })
})

describe('T35 Redactor: secrets of several lines', () => {
  const key =
    '-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQ\r\n  c2Vjb25kIGxpbmU=\nshort\n-----END KEY-----'

  test('masks each line of a secret, but not the first and last line of a key', () => {
    expect(masked(`a MIIEvQIBADANBgkqhkiG9w0BAQ`, key)).toBe('a •••')
    expect(masked('> c2Vjb25kIGxpbmU=', key)).toBe('> •••')
    expect(masked('short -----BEGIN KEY----- -----END KEY-----', key)).toBe(
      'short -----BEGIN KEY----- -----END KEY-----',
    )
  })

  test('masks a value that ends with a line end, without it', () => {
    expect(masked('<tok-0123456789>', 'tok-0123456789\n')).toBe('<•••>')
  })
})

describe('T35 Redactor: texts that were cut', () => {
  const secret = 'tok-abcdefghijkl-123456'

  test.each([
    ['plain', secret.slice(0, 12)],
    ['percent', percentAll(secret).slice(0, 40)],
    ['unicode', encodings['\\u escapes']?.(secret).slice(0, 39) ?? ''],
    ['base64', base64(secret).slice(0, 11)],
    ['Basic', base64(`d:${secret}`).slice(0, 13)],
  ])('masks the beginning of a secret before …, in %s', (_, part) => {
    expect(masked(`say ${part}…`, secret)).toMatch(/^say \w{0,3}•••…$/)
    expect(masked(`say "${part}…", and more`, secret)).toMatch(/^say "\w{0,3}•••…", and more$/)
  })

  test('masks the end of a secret after … at the start of a line', () => {
    for (const part of [secret.slice(5), percentAll(secret).slice(20), percentAll(secret).slice(22)])
      expect(masked(`…${part} is it`, secret)).toBe('…••• is it')
  })

  test('leaves other texts with … alone', () => {
    for (const text of ['Loading…', 'a tok…', '…456', '… and …']) expect(masked(text, secret)).toBe(text)
  })
})

describe('T42 Redactor: time', () => {
  test.each([
    ['a periodic secret', 'a'.repeat(2000), 'a'.repeat(200_000)],
    ['beginnings of a periodic secret', `${'ab'.repeat(500)}c`, 'ab'.repeat(100_000)],
    ['escapes of a periodic secret', '%'.repeat(1000), '%25'.repeat(100_000)],
    ['backslashes', `${'\\'.repeat(40)}n`, '\\'.repeat(200_000)],
    ['cuts', 'abcdabcdabcdabcdabcde', 'abcd…'.repeat(50_000)],
    ['entities', '&amp;&amp;&amp;x', '&amp;'.repeat(50_000)],
  ])('ends soon on %s', (_, secret, text) => {
    expect(masked(text, secret).length).toBeLessThanOrEqual(text.length)
  })

  test('ends soon with hundreds of secrets that begin alike: a text made of that beginning is masked as a whole', () => {
    const redactor = new Redactor()
    for (let index = 100; index < 1000; index++) redactor.register(`token-aaaa${index}${'x'.repeat(20)}`)
    expect(redactor.redact('token-aaaa'.repeat(50_000))).toBe('•••')
  })
})
