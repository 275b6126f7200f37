import type { AnalyzedText } from '../engine/analyze-text.ts'
import type { Token } from '../language/split-words.ts'
import { learned, learnedWeights } from './learned-weights.ts'
import { stemsOf } from './sentence-features.ts'
import { WeightTable } from './weight-table.ts'

/** How much a part of a text resembles texts that steer a model; `learned` has the scores from which on it is a finding. */
export interface SteeringScore {
  readonly score: number
  readonly text: string
}

/** Fewer words say too little. */
const leastWords = 4
/** Of the tokens of prose, this part are words; code and tables have more names, marks and addresses. */
const wordsInProse = 0.65

let weights: WeightTable | undefined

/** The sentence with the highest score, alone or with the one after it. */
export function steeringOf(text: AnalyzedText): SteeringScore | undefined {
  let worst: SteeringScore | undefined
  const stems = text.sentences.map(({ tokens }) => (isProse(tokens) ? stemsOf(tokens) : undefined))
  for (const [at, sentence] of text.sentences.entries()) {
    const own = stems[at]
    if (!own) continue
    const [next, following] = [stems[at + 1], text.sentences[at + 1]]
    const parts = [{ words: own, text: sentence.text }]
    if (next && following)
      parts.push({ words: [...own, ...next], text: `${sentence.text.trim()} ${following.text.trim()}` })
    for (const { words, text: part } of parts) {
      if (words.length < leastWords) continue
      const score = (weights ??= new WeightTable(learnedWeights)).scoreOf(words) / learned.unit
      if (score > (worst?.score ?? -Infinity)) worst = { score, text: part }
    }
  }
  return worst
}

function isProse(tokens: readonly Token[]): boolean {
  return tokens.filter(({ kind }) => kind === 'word').length >= tokens.length * wordsInProse
}
