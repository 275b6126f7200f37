import type { Tool } from '../model/tool.ts'
import { createIndex, toWords } from './search-index.ts'
import type { NameWords, SearchIndex } from './search-index.ts'

export interface Found {
  readonly tool: Tool
  readonly score: number
}

export interface SearchOptions {
  readonly limit?: number
  /** Who may be found at all. */
  readonly where?: (tool: Tool) => boolean
}

export interface Search {
  /** The best first; those that are as good as each other in the order of the catalog. */
  find(text: string, options?: SearchOptions): readonly Found[]
}

/** BM25: how soon more of the same word stops to count, and how much a long text weighs against it. */
const [saturation, lengthShare] = [1.2, 0.75]

/** Words that only begin with what was asked for count less, and only the first of them. */
const [startShare, maxStarts] = [0.5, 64]

/** Finds tools by words (FI-81). Each list is read once, when it is first searched, and again only when it is another. */
export function createSearch(lists: () => readonly (readonly Tool[])[]): Search {
  const indexes = new WeakMap<readonly Tool[], SearchIndex>()
  const indexOf = (tools: readonly Tool[]): SearchIndex => {
    const index = indexes.get(tools) ?? createIndex(tools)
    indexes.set(tools, index)
    return index
  }
  return {
    find(text, { limit = 20, where = () => true } = {}) {
      const all = lists().map(indexOf)
      const words = wordsOf(text)
      const name = text.trim().toLowerCase()
      const scores = weigh(all, words).map((weighed, list) => score(weighed, all[list]!, { words, name }))
      return best(all, scores, { limit, where })
    },
  }
}

function weigh(all: readonly SearchIndex[], words: readonly string[]): readonly Weighed[] {
  const count = sum(all.map(({ tools }) => tools.length))
  const average = sum(all.map(({ length }) => length)) / count || 1
  const weighed = all.map(({ tools }) => ({
    worth: new Float64Array(tools.length),
    held: new Uint32Array(tools.length),
  }))
  words.forEach((word, bit) => {
    const matches = all.map((index) => matchesOf(index, word))
    const holders = Math.min(count, sum(matches.flat().map(({ postings }) => postings.length / 2)))
    const rarity = Math.log(1 + (count - holders + 0.5) / (holders + 0.5)) * shareOf(word)
    const found = { bit, rarity, average }
    all.forEach((index, at) => {
      for (const match of matches[at] ?? []) addTo(weighed[at]!, index, match, found)
    })
  })
  return weighed
}

interface Match {
  readonly postings: readonly number[]
  readonly share: number
}

/** The word itself, and words that begin with it. */
function matchesOf({ postings, words }: SearchIndex, word: string): readonly Match[] {
  const exact = postings.get(word)
  const matches: Match[] = exact ? [{ postings: exact, share: 1 }] : []
  if (word.length < minStart) return matches
  const from = firstAfter(words, word)
  for (const longer of words.slice(from, from + maxStarts)) {
    if (!longer.startsWith(word)) break
    matches.push({ postings: postings.get(longer) ?? [], share: startShare })
  }
  return matches
}

function firstAfter(words: readonly string[], word: string): number {
  let [from, to] = [0, words.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (words[middle]! <= word) from = middle + 1
    else to = middle
  }
  return from
}

interface Word {
  readonly bit: number
  readonly rarity: number
  readonly average: number
}

function addTo(
  { worth, held }: Weighed,
  { lengths }: SearchIndex,
  { postings, share }: Match,
  { bit, rarity, average }: Word,
): void {
  for (let at = 0; at < postings.length; at += 2) {
    const place = postings[at]!
    const weight = postings[at + 1]!
    const room = 1 - lengthShare + (lengthShare * lengths[place]!) / average
    worth[place]! += (share * rarity * weight * (saturation + 1)) / (weight + saturation * room)
    held[place]! |= 1 << bit
  }
}

/** One pass that keeps no more than are wanted: most of what is found is never looked at. */
function best(
  all: readonly SearchIndex[],
  scores: readonly Float64Array[],
  { limit, where }: Required<SearchOptions>,
): readonly Found[] {
  const found: Found[] = []
  all.forEach(({ tools }, list) => {
    scores[list]?.forEach((score, at) => {
      const isWorse = found.length >= limit && score <= (found.at(-1)?.score ?? Infinity)
      const tool = tools[at]
      if (score === 0 || isWorse || !tool || !where(tool)) return
      let place = found.length
      while (place > 0 && found[place - 1]!.score < score) place--
      found.splice(place, 0, { tool, score })
      if (found.length > limit) found.pop()
    })
  })
  return found
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

/** Of the tools of one list, by their places. */
interface Weighed {
  readonly worth: Float64Array
  /** Which of the words it holds, a bit for each. */
  readonly held: Uint32Array
}

interface Asked {
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
const minStart = 3

/** Words that only join others. */
const joints = new Set('a an and at by for from in into of on or that the to with'.split(' '))

/** What one does to anything says little of what is meant. */
const verbs = new Set(
  `add change close create delete edit fetch find get list make open read remove run search send set show update use
  write`.split(/\s+/),
)
const verbShare = 0.25

function wordsOf(text: string): readonly string[] {
  const words = [...new Set(toWords(text))]
  const telling = words.filter((word) => !joints.has(word))
  return (telling.length > 0 ? telling : words).slice(0, maxWords)
}

/** How much a word counts. */
function shareOf(word: string): number {
  return verbs.has(word) ? verbShare : 1
}

/** For each tool first its rank, then what it is worth; 0 for who holds nothing. */
function score({ worth, held }: Weighed, index: SearchIndex, { words, name }: Asked): Float64Array {
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
