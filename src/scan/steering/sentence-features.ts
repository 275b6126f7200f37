import type { Token } from '../language/split-words.ts'
import { classesByStem, wordClasses } from './word-classes.ts'
import { stemOf } from './word-stems.ts'

/** The words of a sentence as the weights know them: stems, and a name for each kind of token that is no word. */
export function stemsOf(tokens: readonly Token[]): readonly string[] {
  return tokens.flatMap(({ kind, text }) => {
    if (kind === 'mark') return []
    if (kind !== 'word') return [kind === 'name' ? 'IDENT' : kind.toUpperCase()]
    if (/^[a-z']+$/.test(text)) return [stemOf(text)]
    return /\d/.test(text) ? ['NUM'] : []
  })
}

/** The classes of these words, in the order of the list of classes. */
export function classesOf(stems: readonly string[]): readonly number[] {
  const found = new Set<number>()
  for (const stem of stems) for (const each of classesByStem.get(stem) ?? []) found.add(each)
  return [...found].toSorted((a, b) => a - b)
}

/**
 * What a text of one or two sentences is judged by: its words, pairs of neighbors, what it is about (`#chat`), and two such
 * things together (`#chat+send`). Each counts once.
 */
export function featuresOf(stems: readonly string[]): ReadonlySet<string> {
  const features = new Set<string>(stems)
  for (const [at, stem] of stems.entries()) if (at > 0) features.add(`${stems[at - 1]} ${stem}`)
  const classes = classesOf(stems)
  for (const [at, one] of classes.entries()) {
    features.add(`#${wordClasses[one]}`)
    for (const other of classes.slice(at + 1)) features.add(`#${wordClasses[one]}+${wordClasses[other]}`)
  }
  return features
}
