import { describe, expect, test } from 'vitest'
import { analyzeText } from '../engine/analyze-text.ts'
import { tokenize } from '../language/split-words.ts'
import { learned } from './learned-weights.ts'
import { featuresOf, stemsOf } from './sentence-features.ts'
import { steeringOf } from './steering-score.ts'
import { stemOf } from './word-stems.ts'

const read = (text: string) => analyzeText(text, { place: 'description', isHidden: false, domain: '' })

describe('T11 T12 learned weights', () => {
  test('forms of a word have one stem', () => {
    expect(['forward', 'forwards', 'forwarded', 'forwarding'].map(stemOf)).toEqual(Array(4).fill('forward'))
    expect(['copy', 'copied', 'copies'].map(stemOf)).toEqual(Array(3).fill('cop'))
    expect(['kept', 'keep', 'sent', 'sends'].map(stemOf)).toEqual(['keep', 'keep', 'send', 'send'])
  })

  test('addresses, paths and names of code count as what they are, numbers as numbers', () => {
    const text = 'Mail ~/notes to a@b.example by user_id 7, see https://x.example.'
    expect(stemsOf(tokenize(text)).join(' ')).toBe('mail PATH to EMAIL by IDENT NUM see URL')
  })

  test('the features of a sentence are its words, neighbors, classes and pairs of classes', () => {
    expect([...featuresOf(['forward', 'transcript'])]).toEqual([
      'forward',
      'transcript',
      'forward transcript',
      '#chat',
      '#chat+send',
      '#chat+later',
      '#send',
      '#send+later',
      '#later',
    ])
  })

  test('two harmless sentences are found together', () => {
    const first = 'The transcript of this conversation is kept in a short memo.'
    const second = 'The memo accompanies every request in its note field.'
    const alone = [first, second].map((text) => steeringOf(read(text))?.score ?? 0)
    const both = steeringOf(read(`${first} ${second}`))
    expect(both?.text).toBe(`${first} ${second}`)
    expect(both?.score).toBeGreaterThan(Math.max(...alone))
  })

  test('code, tables and single words have no score', () => {
    expect(steeringOf(read('const { a_b } = await x_y(z_w, { k_l: m_n })'))).toBeUndefined()
    expect(steeringOf(read('Send.'))).toBeUndefined()
  })

  test('what is enough for high is more than enough for medium', () => {
    expect(learned.high).toBeGreaterThan(learned.medium)
  })
})
