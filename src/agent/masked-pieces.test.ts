import { describe, expect, test } from 'vitest'
import { Redactor } from '../model/secrets/redactor.ts'
import { MaskedPieces } from './masked-pieces.ts'

const secrets = [
  'tok-abcdefghijkl-123456',
  'correct horse battery staple',
  'a b c d e f g h',
  'geheim-ünïcode-wort',
]

/** What is shown of a text that arrives in pieces of this size. */
function shown(text: string, size: number): readonly string[] {
  const redactor = new Redactor()
  for (const secret of secrets) redactor.register(secret)
  const pieces = new MaskedPieces((each) => redactor.redact(each))
  const found: string[] = []
  for (let at = 0; at < text.length; at += size) found.push(pieces.take(text.slice(at, at + size)))
  return [...found, pieces.end()]
}

const key = `-----BEGIN RSA PRIVATE KEY-----\n${'MIIEow/+ab '.repeat(40)}\n-----END RSA PRIVATE KEY-----`

describe('text in pieces (T35)', () => {
  test.each([1, 2, 3, 4, 7, 19])(
    'no secret gets through in pieces of %i, and nothing else is lost',
    (size) => {
      const redactor = new Redactor()
      for (const secret of secrets) redactor.register(secret)
      const text = [
        `First ${secrets[0]}, then "${secrets[1]}" and ${secrets[2]}! `,
        `Also ${secrets[3]} and Bearer abcdefghij.klmnop, `,
        `sk-abcdefghijklmnopqrstuvwx in https://user:pa55word@host/x. `,
        `A key: ${key} and the end.`,
      ].join('')
      expect(shown(text, size).join('')).toBe(redactor.redact(text))
    },
  )

  test('plain text is shown as it arrives, in any language', () => {
    const english = 'The quick brown fox jumps over the lazy dog, again and again.'
    const chinese = '敏捷的棕色狐狸跳过懒狗然后继续前进没有空格的句子👩‍💻也可以'
    for (const text of [english, chinese]) {
      const pieces = shown(text, 4)
      expect(pieces.join('')).toBe(text)
      expect(pieces.filter((piece) => piece !== '').length).toBeGreaterThan(5)
      expect(pieces.map((piece) => Buffer.from(piece).toString()).join('')).toBe(text)
    }
  })

  test('a text without an end and without gaps is not held for ever', () => {
    const pieces = shown('x'.repeat(100_000), 500)
    expect(pieces.join('')).toHaveLength(100_000)
    expect(pieces.filter((piece) => piece !== '').length).toBeGreaterThan(2)
  })

  test.each([1, 3, 19])('JSON in pieces of %i has no secret, and is shown without spaces too', (size) => {
    const redactor = new Redactor()
    for (const secret of secrets) redactor.register(secret)
    const text = JSON.stringify({
      key: secrets[0],
      rows: Array.from({ length: 50 }, (_, at) => [at, secrets[2]]),
    })
    const pieces = new MaskedPieces((piece) => redactor.redact(piece), 'json')
    const found: string[] = []
    for (let at = 0; at < text.length; at += size) found.push(pieces.take(text.slice(at, at + size)))
    expect(found.filter((piece) => piece !== '').length).toBeGreaterThan(5)
    expect([...found, pieces.end()].join('')).toBe(redactor.redact(text))
  })
})
