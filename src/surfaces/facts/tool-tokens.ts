import { compileSchema } from '../../index.ts'
import type { Provider, Tool } from '../../index.ts'
import { estimateToolTokens } from '../../models.ts'

/** About how many tokens a tool takes in every request, or why it cannot be offered to the provider. */
export function weighTool(tool: Tool, provider: Provider): number | { readonly reason: string } {
  const compiled = compileSchema(tool.inputSchema, provider)
  if ('reason' in compiled) return { reason: compiled.reason }
  return estimateToolTokens({ ...tool, schema: compiled.schema })
}

/** Tokens by definition: a definition that is weighed again is usually the same. */
const known = new Map<string, number>()
const maxKnown = 20_000

/** The tokens of a tool for most providers; one that cannot be offered takes none. */
export function toolTokens(tool: Tool): number {
  const key = `${tool.name} ${tool.hash}`
  const before = known.get(key)
  if (before !== undefined) return before
  const weight = weighTool(tool, 'openai')
  const tokens = typeof weight === 'number' ? weight : 0
  if (known.size >= maxKnown) known.clear()
  known.set(key, tokens)
  return tokens
}
