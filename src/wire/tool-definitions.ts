import { isObject } from '../model/json.ts'
import type { Json } from '../model/json.ts'
import type { ToolDefinition } from '../model/tool.ts'
import { readParamHeaders } from './http/param-headers.ts'
import type { ParamHeaders } from './http/param-headers.ts'

export interface ToolDefinitions {
  readonly tools: readonly ToolDefinition[]
  /** Left out alone, each with the reason. */
  readonly quarantined: readonly Quarantined[]
  /** Arguments that are mirrored into headers, by tool; only where the transport has headers. */
  readonly paramHeaders: ReadonlyMap<string, ParamHeaders>
}

export interface Quarantined {
  /** Its name, or its place in the list. */
  readonly tool: string
  readonly reason: string
}

/** One bad definition costs only that tool. An `outputSchema` is never looked at: it must not keep a tool from running. */
export function readToolDefinitions(
  items: readonly Json[],
  options: { readonly hasHeaders: boolean },
): ToolDefinitions {
  const tools = new Map<string, ToolDefinition>()
  const quarantined: Quarantined[] = []
  const paramHeaders = new Map<string, ParamHeaders>()
  items.forEach((item, index) => {
    const name = isObject(item) && typeof item['name'] === 'string' ? item['name'] : `#${index + 1}`
    const reason = problemOf(item) ?? (tools.has(name) ? 'it is defined twice' : undefined)
    if (reason !== undefined) return void quarantined.push({ tool: name, reason })
    const tool = item as ToolDefinition // `problemOf` looked at every field of it
    if (options.hasHeaders) {
      const headers = readParamHeaders(tool.inputSchema)
      if (typeof headers === 'string') return void quarantined.push({ tool: name, reason: headers })
      paramHeaders.set(name, headers)
    }
    tools.set(name, tool)
  })
  return { tools: [...tools.values()], quarantined, paramHeaders }
}

function problemOf(item: Json): string | undefined {
  if (!isObject(item)) return 'it is no object'
  const { name, description, inputSchema, annotations } = item
  if (typeof name !== 'string' || name === '') return 'it has no name'
  if (description !== undefined && typeof description !== 'string') return 'its description is no text'
  if (annotations !== undefined && !isObject(annotations)) return 'its annotations are no object'
  if (!isObject(inputSchema)) return 'it has no inputSchema'
  if (inputSchema['type'] !== 'object') return 'its inputSchema is not of the type object'
  return undefined
}
