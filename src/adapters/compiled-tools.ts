import { compileSchema } from '../index.ts'
import type { CompiledSchema, Provider, Tool, ToolsOptions, View } from '../index.ts'
import { shortHash } from '../model/canonical.ts'

export interface AdapterOptions extends ToolsOptions {
  /** Told of each tool whose schema a provider would refuse: it is left out, because it would cost all the others. */
  readonly onLeftOut?: (tool: Tool, reason: string) => void
  /** Whether images of results are handed on beside the text, where that is possible; they are by default. */
  readonly images?: boolean
}

/** A tool, and what a model is told about its arguments. */
export interface CompiledTool extends CompiledSchema {
  readonly tool: Tool
  readonly provider: Provider
  /** What the model calls it: the tool's own name, unless the provider refuses that. */
  readonly name: string
}

/** What a view offers at this moment, in the first of these dialects that can say it. */
export async function offerTools(
  view: View,
  providers: readonly [Provider, ...Provider[]],
  { onLeftOut, ...listing }: AdapterOptions,
): Promise<readonly CompiledTool[]> {
  await view.ready()
  const tools = view.tools(listing)
  // Nobody else needs another name.
  const taken = new Set(providers.includes('gemini') ? tools.map(({ name }) => name) : [])
  const offered: CompiledTool[] = []
  for (const tool of tools) {
    const found = offer(tool, providers, taken)
    if ('reason' in found) onLeftOut?.(tool, found.reason)
    else offered.push(found)
  }
  return offered
}

const longestName = 64

/** Gemini takes no name that begins with a digit or a hyphen. */
function nameFor({ name, ref }: Tool, provider: Provider, taken: Set<string>): string {
  if (provider !== 'gemini' || /^[A-Za-z_]/.test(name)) return name
  let fit = `_${name}`.slice(0, longestName)
  // Another `_` may be free as well; then it is a mark of its own, of which there are more than names.
  for (let count = 0; taken.has(fit); count++) {
    fit = count === 0 ? `_${fit}`.slice(0, longestName) : withMark(name, `${ref}\0${count}`)
  }
  taken.add(fit)
  return fit
}

function withMark(name: string, of: string): string {
  const mark = `_h${shortHash(of)}`
  return `_${name}`.slice(0, longestName - mark.length) + mark
}

function offer(
  tool: Tool,
  providers: readonly [Provider, ...Provider[]],
  taken: Set<string>,
): CompiledTool | { readonly reason: string } {
  let reason = ''
  for (const provider of providers) {
    const compiled = compileSchema(tool.inputSchema, provider)
    if ('reason' in compiled) {
      reason = compiled.reason
      continue
    }
    const { schema, toArguments } = compiled
    return { schema, toArguments, tool, provider, name: nameFor(tool, provider, taken) }
  }
  return { reason }
}
