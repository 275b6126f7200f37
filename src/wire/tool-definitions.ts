import { isObject } from '../model/json.ts'
import type { Json } from '../model/json.ts'
import { needsTask } from '../model/tool.ts'
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
  options: {
    readonly hasHeaders: boolean
    /** The server declares no tasks: what runs only as one can never be called. */
    readonly isTaskless?: boolean
  },
): ToolDefinitions {
  const tools = new Map<string, ToolDefinition>()
  const quarantined: Quarantined[] = []
  const paramHeaders = new Map<string, ParamHeaders>()
  for (const [index, item] of items.entries()) {
    const name = isObject(item) && typeof item['name'] === 'string' ? item['name'] : `#${index + 1}`
    const problem = problemOf(item) ?? (tools.has(name) ? 'it is defined twice' : undefined)
    const tool = item as ToolDefinition // `problemOf` looked at every field of it
    const headers = problem !== undefined || !options.hasHeaders ? [] : readParamHeaders(tool.inputSchema)
    const reason = problem ?? (typeof headers === 'string' ? headers : taskProblemOf(tool, options))
    if (reason !== undefined) {
      quarantined.push({ tool: name, reason })
      continue
    }
    tools.set(name, tool)
    if (options.hasHeaders && typeof headers !== 'string') paramHeaders.set(name, headers)
  }
  return { tools: [...tools.values()], quarantined, paramHeaders }
}

function taskProblemOf(tool: ToolDefinition, { isTaskless = false }): string | undefined {
  return isTaskless && needsTask(tool) ? 'it runs only as a task, and its server declares none' : undefined
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
