import { toWords } from './search-index.ts'
import type { NameWords, SearchIndex } from './search-index.ts'

/** Of the tools of one list, by their places. */
export interface Weighed {
  readonly worth: Float64Array
  /** Which of the words it holds, a bit for each. */
  readonly held: Uint32Array
}

export interface Asked {
  readonly words: readonly string[]
  /** All that was written. */
  readonly name: string
}

/**
 * Whose name was pasted comes first, then whose name holds all words, with the fewest and shortest others, then who holds
 * all of them anywhere, then who holds some. What they are worth counts among equals.
 */
const ranks = { pasted: 2e6, name: 1e6, all: 1, some: 0 } as const
const [maxLetters, maxWorth] = [1000, 1000]

/** Who asks for more words than there are bits asks for none of them. */
const maxWords = 32

/** Shorter words are not taken for the start of others. */
export const minStart = 3

/** Words that only join others. */
const joints = new Set('a an and at by for from in into of on or that the to with'.split(' '))

/** What one does to anything says little of what is meant. */
const verbs = new Set(
  `add change close create delete edit fetch find get list make open read remove run search send set show update use
  write`.split(/\s+/),
)
const verbShare = 0.25

export function wordsOf(text: string): readonly string[] {
  const words = [...new Set(toWords(text))]
  const telling = words.filter((word) => !joints.has(word))
  return (telling.length > 0 ? telling : words).slice(0, maxWords)
}

/** How much a word counts. */
export function shareOf(word: string): number {
  return verbs.has(word) ? verbShare : 1
}

/** For each tool first its rank, then what it is worth; 0 for who holds nothing. */
export function score({ worth, held }: Weighed, index: SearchIndex, { words, name }: Asked): Float64Array {
  const whole = 2 ** words.length - 1
  const pasted = index.names.get(name)
  return worth.map((each, place) => {
    if (place === pasted) return ranks.pasted * maxWorth + each
    if (each === 0) return 0
    const rank = held[place] === whole ? rankByName(index.named[place]!, words) : ranks.some
    return rank * maxWorth + Math.min(each, maxWorth - 1)
  })
}

/** Of one that holds all words. */
function rankByName({ tool, server }: NameWords, words: readonly string[]): number {
  for (const word of words) if (!hasWord(tool, word) && !hasWord(server, word)) return ranks.all
  let [others, letters] = [0, 0]
  for (const word of tool) {
    if (words.includes(word) || joints.has(word)) continue
    others++
    letters += word.length
  }
  return Math.max(ranks.name - others * maxLetters - Math.min(letters, maxLetters - 1), ranks.all + 1)
}

function hasWord(words: readonly string[], word: string): boolean {
  for (const each of words) {
    if (each === word || (word.length >= minStart && each.startsWith(word))) return true
  }
  return false
}
