import { findTool } from '../call.ts'
import type { Tool } from '../../model/tool.ts'
import type { DescribedTool, ToolLookup } from './meta-tools.ts'
import type { ShownTools } from './view.ts'

/** What the tools that search and describe see, with the names and descriptions that tools are shown with. */
export function lookUpShown(
  shown: ShownTools,
  own: {
    readonly search: (words: string, options: { readonly limit: number }) => readonly Tool[]
    readonly find: (ref: string) => Tool | undefined
    readonly tools: () => readonly Tool[]
  },
): Pick<ToolLookup, 'search' | 'find'> {
  const toShown = (tool: Tool): readonly DescribedTool[] => {
    const as = shown.of(tool.ref)
    const { description, inputSchema, outputSchema } = tool
    const { name, description: given = description } = as ?? {}
    return name === undefined ? [] : [{ name, description: given, inputSchema, outputSchema }]
  }
  /** Tools that are found by what they are shown with: the index knows what their servers say. */
  const matching = (words: string) => {
    const wanted = words.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
    return own.tools().filter((tool) => {
      const as = shown.of(tool.ref)
      if (!as || (as.name === tool.name && as.description === undefined)) return false
      const text = `${as.name} ${as.description ?? ''}`.toLowerCase()
      return wanted.some((word) => text.includes(word))
    })
  }
  return {
    search(words, options) {
      const found = new Set([...matching(words), ...own.search(words, options)])
      return [...found].flatMap(toShown).slice(0, options.limit)
    },
    find(name) {
      const byName = (each: string) => {
        const ref = shown.refOf(each)
        return ref === undefined ? undefined : own.find(ref)
      }
      const tools = () =>
        own.tools().flatMap((tool) => toShown(tool).map((as) => ({ name: as.name, tool: tool.tool })))
      const [found] = toShown(findTool(name, { findTool: byName, tools }))
      // It is shown with the name that it was found by.
      return found as DescribedTool
    },
  }
}
