import { compileSchema } from '../index.ts'
import type { CompiledSchema, Provider, Tool, ToolsOptions, View } from '../index.ts'

export interface AdapterOptions extends ToolsOptions {
  /** Told of each tool whose schema a provider would refuse: it is left out, because it would cost all the others. */
  readonly onLeftOut?: (tool: Tool, reason: string) => void
  /** Whether images of results are handed on beside the text, where that is possible; they are by default. */
  readonly images?: boolean
}

/** A tool, and what a model is told about its arguments. */
export interface OfferedTool extends CompiledSchema {
  readonly tool: Tool
  readonly provider: Provider
}

/** What a view offers at this moment, in the first of these dialects that can say it. */
export async function offerTools(
  view: View,
  providers: readonly [Provider, ...Provider[]],
  { onLeftOut, ...listing }: AdapterOptions,
): Promise<readonly OfferedTool[]> {
  await view.ready()
  return view.tools(listing).flatMap((tool) => {
    const offered = offer(tool, providers)
    if (!('reason' in offered)) return [offered]
    onLeftOut?.(tool, offered.reason)
    return []
  })
}

function offer(
  tool: Tool,
  [provider, ...others]: readonly [Provider, ...Provider[]],
): OfferedTool | { readonly reason: string } {
  const compiled = compileSchema(tool.inputSchema, provider)
  if (!('reason' in compiled)) return { ...compiled, tool, provider }
  const [next, ...rest] = others
  return next ? offer(tool, [next, ...rest]) : compiled
}
