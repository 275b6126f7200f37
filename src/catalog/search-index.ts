import { isObject } from '../model/json.ts'
import type { JsonObject } from '../model/json.ts'
import type { Tool } from '../model/tool.ts'

/** An inverted index of some tools: for each word the tools that contain it, with a weight. */
export interface SearchIndex {
  readonly tools: readonly Tool[]
  /** Flat pairs of a tool's position and a weight. */
  readonly postings: ReadonlyMap<string, readonly number[]>
  /** Positions by full name, for queries that are a pasted name. */
  readonly names: ReadonlyMap<string, number>
  /** The words of each tool's name and of its server's name. */
  readonly nameWords: readonly NameWords[]
  /** All words, sorted, so that words with the same prefix are adjacent. */
  readonly words: readonly string[]
  /** The total weight of each tool's words. */
  readonly lengths: Float64Array
  /** The sum of `lengths`. */
  readonly length: number
}

export interface NameWords {
  readonly tool: readonly string[]
  readonly server: readonly string[]
}

/** The weight of a word by the field it is in. */
const weights = { name: 4, title: 2, parameter: 1.5, description: 1 } as const

/** Longer texts of a server are cut before they are indexed. */
const limits = { text: 4096, parameters: 256, word: 40 } as const

export function createIndex(tools: readonly Tool[]): SearchIndex {
  const postings = new Map<string, number[]>()
  const lengths = new Float64Array(tools.length)
  const names = new Map(tools.map(({ name }, place) => [name.toLowerCase(), place]))
  const nameWords = readNameWords(tools)
  tools.forEach((tool, place) => {
    addWords(tool, nameWords[place]!, (word, weight) => {
      const posting = postings.get(word)
      if (!posting) postings.set(word, [place, weight])
      else if (posting.at(-2) === place) posting.push((posting.pop() ?? 0) + weight)
      else posting.push(place, weight)
      lengths[place]! += weight
    })
  })
  const length = lengths.reduce((total, one) => total + one, 0)
  return { tools, postings, names, nameWords, words: [...postings.keys()].sort(), lengths, length }
}

/** Tools of one server share the words of its name. */
function readNameWords(tools: readonly Tool[]): readonly NameWords[] {
  let last = { server: '', words: toWords('') }
  return tools.map(({ tool, server }) => {
    if (server !== last.server) last = { server, words: toWords(server) }
    return { tool: toWords(tool), server: last.words }
  })
}

function addWords(
  { title, description, inputSchema }: Tool,
  nameWords: NameWords,
  onWord: (word: string, weight: number) => void,
): void {
  const add = (words: readonly string[], weight: number) => {
    for (const word of words) onWord(word, weight)
  }
  add(nameWords.tool, weights.name)
  add(nameWords.server, weights.title)
  if (title !== undefined) add(toWords(title), weights.title)
  add(toWords(description), weights.description)
  for (const parameter of parametersOf(inputSchema)) add(toWords(parameter), weights.parameter)
}

function parametersOf({ properties }: JsonObject): readonly string[] {
  return isObject(properties) ? Object.keys(properties).slice(0, limits.parameters) : []
}

/** Splits text into stems: `listOpenIssues` and `list_open_issues` give the same three. */
export function toWords(text: string): readonly string[] {
  const start = text.length > limits.text ? text.slice(0, limits.text) : text
  // Takes half the time of the Unicode pattern.
  const words = /[^\0-\x7f]/.test(start)
    ? start.match(/\p{Lu}{2,}s?(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{M}]+|\p{Lu}|\p{N}+/gu)
    : start.match(/[A-Z]{2,}s?(?![a-z])|[A-Z]?[a-z]+|[A-Z]|[0-9]+/g)
  return words ? words.map(toStem) : []
}

/**
 * Maps singular and plural to one stem: `repository` and `repositories`, `branch` and `branches`, `cookie` and
 * `cookies`.
 */
function toStem(found: string): string {
  const word = found.slice(0, limits.word).toLowerCase()
  const one = word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word
  if (one.length <= 3) return one
  switch (one.charCodeAt(one.length - 1)) {
    case 0x79: // y, but not in `deploy` and `play`, which are prefixes of other words
      return /[aeou]y$/.test(one) ? one : `${one.slice(0, -1)}i`
    case 0x65: // e
      return /(?:i|ch|sh|ss|x|z)e$/.test(one) ? one.slice(0, -1) : one
    default:
      return one
  }
}
