import { compileSchema } from '../index.ts'
import type { CompiledSchema, Provider, Tool, ToolsOptions, View } from '../index.ts'
import { shortHash } from '../model/canonical.ts'

export interface AdapterOptions extends ToolsOptions {
  /** Called for each tool that is left out because the provider would reject its schema, and with it the whole request. */
  readonly onLeftOut?: (tool: Tool, reason: string) => void
  /** Whether images of a result are passed on beside its text, where the API allows it; true by default. */
  readonly images?: boolean
  /**
   * How long to wait for servers whose tools are not known yet. By default 10 s for a new one, 1 s for one that was not
   * ready in time in an earlier run, if others have tools.
   */
  readonly timeoutMs?: number
  /**
   * `false`: calls do not wait for earlier ones of the same server. For tool calls inside the answer to a server's own
   * question (`sample`, `elicit`), which would wait for the call that asked.
   */
  readonly isSerial?: boolean
}

/** A tool with its arguments' schema as the model sees it. */
export interface CompiledTool extends CompiledSchema {
  readonly isSerial: boolean
  readonly tool: Tool
  readonly provider: Provider
  /** The name the model uses: the tool's own, unless the provider rejects that. */
  readonly name: string
}

/** The current tools of a view, each compiled for the first of these providers that accepts its schema. */
export async function offerTools(
  view: View,
  providers: readonly [Provider, ...Provider[]],
  { onLeftOut, timeoutMs, isSerial = true, ...listing }: AdapterOptions,
): Promise<readonly CompiledTool[]> {
  await view.ready(timeoutMs === undefined ? { slow: 'skip' } : { timeoutMs })
  return compileTools(view.tools(listing), providers, { isSerial, ...(onLeftOut && { onLeftOut }) })
}

/** Tools in the order given, each compiled for the first of these providers that accepts its schema. */
export function compileTools(
  tools: readonly Tool[],
  providers: readonly [Provider, ...Provider[]],
  { onLeftOut, isSerial = true }: Pick<AdapterOptions, 'onLeftOut' | 'isSerial'>,
): readonly CompiledTool[] {
  // Only Gemini needs other names.
  const taken = new Set(providers.includes('gemini') ? tools.map(({ name }) => name) : [])
  const offered: CompiledTool[] = []
  for (const tool of tools) {
    const compiled = compileTool(tool, providers, taken)
    if ('reason' in compiled) onLeftOut?.(tool, compiled.reason)
    else offered.push({ ...compiled, isSerial })
  }
  return offered
}

const maxNameLength = 64

/** Gemini rejects a name that begins with a digit or a hyphen, so such a name gets a `_` in front. */
function toProviderName({ name, ref }: Tool, provider: Provider, taken: Set<string>): string {
  if (provider !== 'gemini' || /^[A-Za-z_]/.test(name)) return name
  let candidate = `_${name}`.slice(0, maxNameLength)
  // Tries a second `_` first, then hash suffixes until one is free.
  for (let count = 0; taken.has(candidate); count++) {
    candidate =
      count === 0 ? `_${candidate}`.slice(0, maxNameLength) : withHashSuffix(name, `${ref}\0${count}`)
  }
  taken.add(candidate)
  return candidate
}

function withHashSuffix(name: string, hashed: string): string {
  const suffix = `_h${shortHash(hashed)}`
  return `_${name}`.slice(0, maxNameLength - suffix.length) + suffix
}

function compileTool(
  tool: Tool,
  providers: readonly [Provider, ...Provider[]],
  taken: Set<string>,
): Omit<CompiledTool, 'isSerial'> | { readonly reason: string } {
  let reason = ''
  for (const provider of providers) {
    const compiled = compileSchema(tool.inputSchema, provider)
    if ('reason' in compiled) {
      reason = compiled.reason
      continue
    }
    const { schema, toArguments } = compiled
    return { schema, toArguments, tool, provider, name: toProviderName(tool, provider, taken) }
  }
  return { reason }
}
