import type { Tool } from '../model/tool.ts'
import { createIndex, toWords } from './search-index.ts'
import type { NameWords, SearchIndex } from './search-index.ts'

export interface SearchHit {
  readonly tool: Tool
  readonly score: number
}

export interface SearchOptions {
  readonly limit?: number
  /** Only tools for which this returns true are found. */
  readonly where?: (tool: Tool) => boolean
}

export interface Search {
  /** Best match first; equal scores in the order of the catalog. */
  find(text: string, options?: SearchOptions): readonly SearchHit[]
}

/** The BM25 parameters k1 (saturation of repeated words) and b (penalty for long texts). */
const [saturation, lengthShare] = [1.2, 0.75]

/** Words that only start with a query word count less, and only this many of them. */
const [prefixShare, maxPrefixMatches] = [0.5, 64]

/**
 * Finds tools by words (FI-81). A list is indexed when it is first searched, and again only when it is another object.
 */
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
      const words = queryWords(text)
      const name = text.trim().toLowerCase()
      const scores = scoreWords(all, words).map((listScores, list) =>
        rankTools(listScores, all[list]!, { words, name }),
      )
      return selectBest(all, scores, { limit, where })
    },
  }
}

function scoreWords(all: readonly SearchIndex[], words: readonly string[]): readonly ListScores[] {
  const count = sum(all.map(({ tools }) => tools.length))
  const average = sum(all.map(({ length }) => length)) / count || 1
  const scores = all.map(({ tools }) => ({
    relevance: new Float64Array(tools.length),
    matchedWords: new Uint32Array(tools.length),
  }))
  words.forEach((word, bit) => {
    const matches = all.map((index) => matchesOf(index, word))
    const holders = Math.min(count, sum(matches.flat().map(({ postings }) => postings.length / 2)))
    const rarity = Math.log(1 + (count - holders + 0.5) / (holders + 0.5)) * wordShare(word)
    const found = { bit, rarity, average }
    all.forEach((index, at) => {
      for (const match of matches[at] ?? []) addMatch(scores[at]!, index, match, found)
    })
  })
  return scores
}

interface Match {
  readonly postings: readonly number[]
  readonly share: number
}

/** The postings of the word and of words that start with it. */
function matchesOf({ postings, words }: SearchIndex, word: string): readonly Match[] {
  const exact = postings.get(word)
  const matches: Match[] = exact ? [{ postings: exact, share: 1 }] : []
  if (word.length < minPrefixLength) return matches
  const from = firstAfter(words, word)
  for (const longer of words.slice(from, from + maxPrefixMatches)) {
    if (!longer.startsWith(word)) break
    matches.push({ postings: postings.get(longer) ?? [], share: prefixShare })
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

interface WordScore {
  readonly bit: number
  readonly rarity: number
  readonly average: number
}

function addMatch(
  { relevance, matchedWords }: ListScores,
  { lengths }: SearchIndex,
  { postings, share }: Match,
  { bit, rarity, average }: WordScore,
): void {
  for (let at = 0; at < postings.length; at += 2) {
    const place = postings[at]!
    const weight = postings[at + 1]!
    const room = 1 - lengthShare + (lengthShare * lengths[place]!) / average
    relevance[place]! += (share * rarity * weight * (saturation + 1)) / (weight + saturation * room)
    matchedWords[place]! |= 1 << bit
  }
}

/** One pass that keeps only the best `limit` hits, instead of sorting all of them. */
function selectBest(
  all: readonly SearchIndex[],
  scores: readonly Float64Array[],
  { limit, where }: Required<SearchOptions>,
): readonly SearchHit[] {
  const found: SearchHit[] = []
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

/** The scores of the tools of one list, by position. */
interface ListScores {
  readonly relevance: Float64Array
  /** A bit for each query word that the tool contains. */
  readonly matchedWords: Uint32Array
}

interface SearchQuery {
  readonly words: readonly string[]
  /** The whole query text. */
  readonly name: string
}

/**
 * Ranks: the query is the name; the name contains all words (fewer and shorter other words first); the tool contains
 * all words anywhere; the tool contains some. Within a rank the BM25 relevance decides.
 */
const ranks = { pasted: 2e6, name: 1e6, all: 1, some: 0 } as const
const [maxLetterCount, maxRelevance] = [1000, 1000]

/** One bit each in `matchedWords`; further words of a query are ignored. */
const maxWords = 32

/** Shorter words match exactly, not as a prefix. */
const minPrefixLength = 3

/** Ignored unless the query has no other words. */
const stopWords = new Set('a an and at by for from in into of on or that the to with'.split(' '))

/** Verbs that fit almost any tool; they count less. */
const commonVerbs = new Set(
  `add change close create delete edit fetch find get list make open read remove run search send set show update use
  write`.split(/\s+/),
)
const verbShare = 0.25

function queryWords(text: string): readonly string[] {
  const words = [...new Set(toWords(text))]
  const significant = words.filter((word) => !stopWords.has(word))
  return (significant.length > 0 ? significant : words).slice(0, maxWords)
}

function wordShare(word: string): number {
  return commonVerbs.has(word) ? verbShare : 1
}

/** For each tool its rank and, within the rank, its relevance; 0 for no match. */
function rankTools(
  { relevance, matchedWords }: ListScores,
  index: SearchIndex,
  { words, name }: SearchQuery,
): Float64Array {
  const whole = 2 ** words.length - 1
  const pasted = index.names.get(name)
  return relevance.map((each, place) => {
    if (place === pasted) return ranks.pasted * maxRelevance + each
    if (each === 0) return 0
    const rank = matchedWords[place] === whole ? rankByName(index.nameWords[place]!, words) : ranks.some
    return rank * maxRelevance + Math.min(each, maxRelevance - 1)
  })
}

/** The rank of a tool that contains all words. */
function rankByName({ tool, server }: NameWords, words: readonly string[]): number {
  for (const word of words) if (!hasWord(tool, word) && !hasWord(server, word)) return ranks.all
  let [others, letters] = [0, 0]
  for (const word of tool) {
    if (words.includes(word) || stopWords.has(word)) continue
    others++
    letters += word.length
  }
  return Math.max(ranks.name - others * maxLetterCount - Math.min(letters, maxLetterCount - 1), ranks.all + 1)
}

function hasWord(words: readonly string[], word: string): boolean {
  for (const each of words) {
    if (each === word || (word.length >= minPrefixLength && each.startsWith(word))) return true
  }
  return false
}
