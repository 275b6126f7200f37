import type { ToolRow } from '../../../../src/client.ts'
import { nearest } from '../../../../src/model/near.ts'
import { byServer } from '../../parts/by-server.ts'
import type { GroupedRow } from '../../parts/by-server.ts'

export interface ToolFilter {
  readonly words: string
  readonly server: string
  readonly kind: 'all' | 'reads' | 'writes'
  readonly order: 'name' | 'cost'
}

/** The tools that fit, by server. With words, the best matches are first; by cost, the most expensive. */
export function listTools(tools: readonly ToolRow[], filter: ToolFilter): readonly GroupedRow<ToolRow>[] {
  const words = toWords(filter.words)
  const found = tools
    .filter((tool) => filter.server === '' || tool.server === filter.server)
    .filter((tool) => filter.kind === 'all' || tool.isReadOnly === (filter.kind === 'reads'))
    .flatMap((tool) => {
      const rank = rankOf(tool, words)
      return rank === undefined ? [] : [{ tool, rank }]
    })
  if (filter.order === 'cost') return asRows(found.sort((a, b) => b.tool.tokens - a.tool.tokens))
  if (words.length > 0) return asRows(found.sort((a, b) => a.rank - b.rank))
  return byServer(found.map(({ tool }) => tool))
}

/** The ref that an address means: refs and names of tools lead to the same form. */
export function refAt(tools: readonly ToolRow[], address: string | undefined): string | undefined {
  const isRef = tools.some(({ ref }) => ref === address)
  return isRef ? address : (tools.find(({ name }) => name === address)?.ref ?? address)
}

/** A word that was probably meant, where nothing was found. */
export function meantWord(tools: readonly ToolRow[], words: string): string | undefined {
  const known = new Set(tools.flatMap((tool) => [tool.tool, tool.server, ...tool.tool.split(/[^a-z0-9]+/i)]))
  const unknown = toWords(words).find((word) => ![...known].some((each) => each.toLowerCase().includes(word)))
  return unknown === undefined ? undefined : nearest(unknown, [...known])[0]
}

function asRows(found: readonly { readonly tool: ToolRow }[]): readonly GroupedRow<ToolRow>[] {
  return found.map(({ tool }) => ({ kind: 'item', item: tool }))
}

function toWords(text: string): readonly string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean)
}

/** Lower is better; `undefined` if a word is nowhere. A name that begins with a word counts most, a summary least. */
function rankOf(tool: ToolRow, words: readonly string[]): number | undefined {
  const name = tool.name.toLowerCase()
  const own = tool.tool.toLowerCase()
  const rest = `${tool.server} ${tool.title ?? ''} ${tool.summary}`.toLowerCase()
  let rank = 0
  for (const word of words) {
    if (own === word) rank += 0
    else if (own.startsWith(word)) rank += 1
    else if (name.includes(word)) rank += 2
    else if (rest.includes(word)) rank += 4
    else return undefined
  }
  return rank
}
