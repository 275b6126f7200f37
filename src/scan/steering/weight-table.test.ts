import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { hashText } from './feature-hash.ts'
import { featuresOf } from './sentence-features.ts'
import { WeightTable, shortTexts } from './weight-table.ts'

function encode(weights: ReadonlyMap<string, number>): string {
  const rows = [...weights].map(([feature, weight]) => ({ hash: hashText(feature), weight }))
  const sorted = rows.toSorted((a, b) => a.hash - b.hash)
  const bytes = Buffer.alloc(sorted.length * 5)
  for (const [at, { hash, weight }] of sorted.entries()) {
    bytes.writeUInt32LE(hash, at * 4)
    bytes.writeInt8(weight, sorted.length * 4 + at)
  }
  return bytes.toString('base64')
}

test('a hash goes on with a further text', () => {
  expect(hashText('send', hashText('the '))).toBe(hashText('the send'))
  expect(hashText('a')).toBe(0xe40c292c)
})

test('a text has the weights of its features, each once, and of nothing else', () => {
  const stems = fc.array(fc.constantFrom('send', 'transcript', 'to', 'URL', 'quietl', 'the', 'user', 'x'))
  const weight = fc.integer({ min: -127, max: 127 })
  fc.assert(
    fc.property(stems, stems, fc.array(weight, { minLength: 1 }), weight, (text, other, list, base) => {
      const known = [...featuresOf(other), ...[...featuresOf(text)].filter((_, at) => at % 2 === 0)]
      const weights = new Map(known.map((feature, at) => [feature, list[at % list.length] ?? 0]))
      weights.set('', base)
      const found = ['', ...featuresOf(text)].flatMap((feature) => weights.get(feature) ?? [])
      const sum = found.reduce((total, each) => total + each, 0)
      expect(new WeightTable(encode(weights)).scoreOf(text)).toBe(sum / Math.sqrt(found.length + shortTexts))
    }),
  )
})
