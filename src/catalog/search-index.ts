import { isObject } from '../model/json.ts'
import type { JsonObject } from '../model/json.ts'
import type { Tool } from '../model/tool.ts'

/** The words of some tools: for each word, the tools that hold it and how much. */
export interface SearchIndex {
  readonly tools: readonly Tool[]
  /** Pairs of a tool's place and a weight, one after another. */
  readonly postings: ReadonlyMap<string, readonly number[]>
  /** Places by the whole of a name, for those who paste it. */
  readonly names: ReadonlyMap<string, number>
  /** The words of each tool's own name, and of its server's. */
  readonly named: readonly NameWords[]
  /** All words in order, so that those with the same start stand together. */
  readonly words: readonly string[]
  /** How much there is to read of each tool. */
  readonly lengths: Float64Array
  /** And of all of them. */
  readonly length: number
}

export interface NameWords {
  readonly tool: readonly string[]
  readonly server: readonly string[]
}

/** What a word counts by where it stands. */
const weights = { name: 4, title: 2, parameter: 1.5, description: 1 } as const

/** A server may write as much as it likes; nobody searches for what stands after this. */
const limits = { text: 4096, parameters: 256, word: 40 } as const

export function createIndex(tools: readonly Tool[]): SearchIndex {
  const postings = new Map<string, number[]>()
  const lengths = new Float64Array(tools.length)
  const names = new Map(tools.map(({ name }, place) => [name.toLowerCase(), place]))
  const named = nameWordsOf(tools)
  tools.forEach((tool, place) => {
    read(tool, named[place]!, (word, weight) => {
      const posting = postings.get(word)
      if (!posting) postings.set(word, [place, weight])
      else if (posting.at(-2) === place) posting.push((posting.pop() ?? 0) + weight)
      else posting.push(place, weight)
      lengths[place]! += weight
    })
  })
  const length = lengths.reduce((total, one) => total + one, 0)
  return { tools, postings, names, named, words: [...postings.keys()].sort(), lengths, length }
}

/** Tools of one server share the words of its name. */
function nameWordsOf(tools: readonly Tool[]): readonly NameWords[] {
  let last = { server: '', words: toWords('') }
  return tools.map(({ tool, server }) => {
    if (server !== last.server) last = { server, words: toWords(server) }
    return { tool: toWords(tool), server: last.words }
  })
}

function read(
  { title, description, inputSchema }: Tool,
  named: NameWords,
  onWord: (word: string, weight: number) => void,
): void {
  const add = (words: readonly string[], weight: number) => {
    for (const word of words) onWord(word, weight)
  }
  add(named.tool, weights.name)
  add(named.server, weights.title)
  if (title !== undefined) add(toWords(title), weights.title)
  add(toWords(description), weights.description)
  for (const parameter of parametersOf(inputSchema)) add(toWords(parameter), weights.parameter)
}

function parametersOf({ properties }: JsonObject): readonly string[] {
  return isObject(properties) ? Object.keys(properties).slice(0, limits.parameters) : []
}

/** `listOpenIssues` and `list_open_issues` are the same three words; that there are many makes no other one. */
export function toWords(text: string): readonly string[] {
  const start = text.length > limits.text ? text.slice(0, limits.text) : text
  // Half the time of the pattern that knows all scripts.
  const words = /[^\0-\x7f]/.test(start)
    ? start.match(/\p{Lu}{2,}s?(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{M}]+|\p{Lu}|\p{N}+/gu)
    : start.match(/[A-Z]{2,}s?(?![a-z])|[A-Z]?[a-z]+|[A-Z]|[0-9]+/g)
  return words ? words.map(toStem) : []
}

/** One word for one thing and many: `repository` and `repositories`, `branch` and `branches`, `cookie` and `cookies`. */
function toStem(found: string): string {
  const word = found.slice(0, limits.word).toLowerCase()
  const one = word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word
  if (one.length <= 3) return one
  switch (one.charCodeAt(one.length - 1)) {
    case 0x79: // y, but in `deploy` and `play`, which other words begin with
      return /[aeou]y$/.test(one) ? one : `${one.slice(0, -1)}i`
    case 0x65: // e
      return /(?:i|ch|sh|ss|x|z)e$/.test(one) ? one.slice(0, -1) : one
    default:
      return one
  }
}
