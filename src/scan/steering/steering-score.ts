import type { AnalyzedText } from '../engine/analyze-text.ts'
import type { Token } from '../language/split-words.ts'
import { learned, learnedWeights } from './learned-weights.ts'
import { classesOf, stemsOf } from './sentence-features.ts'
import { wordClasses } from './word-classes.ts'

/** How much a part of a text resembles texts that steer a model; `learned` has the scores from which on it is a finding. */
export interface SteeringScore {
  readonly score: number
  readonly text: string
}

/** Fewer words say too little. */
const leastWords = 4
/** Of the tokens of prose, this part are words; code and tables have more names, marks and addresses. */
const wordsInProse = 0.65

let weights: Weights | undefined

/** The sentence with the highest score, alone or with the one after it. */
export function steeringOf(text: AnalyzedText): SteeringScore | undefined {
  let worst: SteeringScore | undefined
  const stems = text.sentences.map(({ tokens }) => (isProse(tokens) ? stemsOf(tokens) : undefined))
  for (const [at, sentence] of text.sentences.entries()) {
    const own = stems[at]
    if (!own) continue
    const next = stems[at + 1]
    for (const each of next ? [own, [...own, ...next]] : [own]) {
      if (each.length < leastWords) continue
      const score = (weights ??= new Weights(learnedWeights)).scoreOf(each)
      if (score > (worst?.score ?? -Infinity)) worst = { score, text: sentence.text }
    }
  }
  return worst
}

function isProse(tokens: readonly Token[]): boolean {
  return tokens.filter(({ kind }) => kind === 'word').length >= tokens.length * wordsInProse
}

/** The weights of the features that `featuresOf` names, without making a text of each. */
class Weights {
  /** 0 is what every text has. */
  readonly #weights: number[] = [0]
  readonly #words = new Map<string, number>()
  /** By the first and the second word. */
  readonly #neighbors = new Map<string, Map<string, number>>()
  readonly #classes = new Map<number, number>()
  readonly #pairs = new Map<number, number>()
  /** The text in which a feature was last counted: each counts once. */
  readonly #counted: number[] = []
  #text = 0
  #sum = 0
  #count = 0

  constructor(lines: string) {
    const classAt = new Map<string, number>(wordClasses.map((name, at) => [name, at]))
    for (const line of lines.split('\n')) {
      const [weight, ...features] = line.split('\t')
      for (const feature of features) this.#add(feature, Number(weight), classAt)
    }
  }

  #add(feature: string, weight: number, classAt: ReadonlyMap<string, number>): void {
    if (feature === '') {
      this.#weights[0] = weight
      return
    }
    const id = this.#weights.push(weight) - 1
    if (feature.startsWith('#')) {
      const [one = 0, other] = feature
        .slice(1)
        .split('+')
        .map((name) => classAt.get(name) ?? 0)
      if (other === undefined) this.#classes.set(one, id)
      else this.#pairs.set(one * wordClasses.length + other, id)
      return
    }
    const [word = '', next] = feature.split(' ')
    if (next === undefined) {
      this.#words.set(word, id)
      return
    }
    const after = this.#neighbors.get(word)
    if (after) after.set(next, id)
    else this.#neighbors.set(word, new Map([[next, id]]))
  }

  scoreOf(stems: readonly string[]): number {
    this.#text++
    this.#sum = this.#weights[0] ?? 0
    this.#count = 1
    let before: ReadonlyMap<string, number> | undefined
    for (const stem of stems) {
      this.#take(this.#words.get(stem))
      this.#take(before?.get(stem))
      before = this.#neighbors.get(stem)
    }
    const classes = classesOf(stems)
    for (const [at, one] of classes.entries()) {
      this.#take(this.#classes.get(one))
      for (let next = at + 1; next < classes.length; next++)
        this.#take(this.#pairs.get(one * wordClasses.length + (classes[next] ?? 0)))
    }
    return this.#sum / learned.unit / Math.sqrt(this.#count + 1)
  }

  #take(id: number | undefined): void {
    if (id === undefined || this.#counted[id] === this.#text) return
    this.#counted[id] = this.#text
    this.#sum += this.#weights[id] ?? 0
    this.#count++
  }
}
