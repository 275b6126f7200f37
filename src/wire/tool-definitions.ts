import { isEqual, isObject } from '../model/json.ts'
import type { Json } from '../model/json.ts'
import { needsTask } from '../model/tool.ts'
import type { ToolDefinition } from '../model/tool.ts'
import { readParamHeaders } from './http/param-headers.ts'
import type { ParamHeaders } from './http/param-headers.ts'

export interface ToolDefinitions {
  readonly tools: readonly ToolDefinition[]
  /** Definitions that were left out, each with the reason. */
  readonly quarantined: readonly QuarantinedDefinition[]
  /** Definitions that differ from the first one of their name. They are left out too. */
  readonly conflicting?: readonly ToolDefinition[]
  /** Arguments mirrored into headers, by tool; only for transports with headers. */
  readonly paramHeaders: ReadonlyMap<string, ParamHeaders>
}

export interface QuarantinedDefinition {
  /** The tool's name, or its position in the list. */
  readonly tool: string
  readonly reason: string
}

/**
 * Reads a tool list. A bad definition quarantines only that tool. `outputSchema` is not checked: it must not keep a
 * tool from running.
 */
export function readToolDefinitions(
  items: readonly Json[],
  options: {
    readonly hasHeaders: boolean
    /** The server declares no tasks, so a tool that runs only as a task can never be called. */
    readonly isTaskless?: boolean
  },
): ToolDefinitions {
  const tools = new Map<string, ToolDefinition>()
  const quarantined: QuarantinedDefinition[] = []
  const conflicting: ToolDefinition[] = []
  const paramHeaders = new Map<string, ParamHeaders>()
  for (const [index, item] of items.entries()) {
    const name = isObject(item) && typeof item['name'] === 'string' ? item['name'] : `#${index + 1}`
    const first = tools.get(name)
    const problem = problemOf(item) ?? (first ? 'it is defined twice' : undefined)
    const tool = item as ToolDefinition // `problemOf` checked every field
    if (first && !isEqual(first, item)) conflicting.push(tool)
    const headers = problem !== undefined || !options.hasHeaders ? [] : readParamHeaders(tool.inputSchema)
    const reason = problem ?? (typeof headers === 'string' ? headers : taskProblemOf(tool, options))
    if (reason !== undefined) {
      quarantined.push({ tool: name, reason })
      continue
    }
    tools.set(name, tool)
    if (options.hasHeaders && typeof headers !== 'string') paramHeaders.set(name, headers)
  }
  return {
    tools: [...tools.values()],
    quarantined,
    paramHeaders,
    ...(conflicting.length > 0 && { conflicting }),
  }
}

function taskProblemOf(tool: ToolDefinition, { isTaskless = false }): string | undefined {
  return isTaskless && needsTask(tool)
    ? 'it runs only as a task, and the server declares no tasks'
    : undefined
}

function problemOf(item: Json): string | undefined {
  if (!isObject(item)) return 'it is not an object'
  const { name, description, inputSchema, annotations } = item
  if (typeof name !== 'string' || name === '') return 'it has no name'
  if (description !== undefined && typeof description !== 'string') return 'its description is not a string'
  if (annotations !== undefined && !isObject(annotations)) return 'its annotations are not an object'
  if (!isObject(inputSchema)) return 'it has no inputSchema'
  if (inputSchema['type'] !== 'object') return 'its inputSchema is not of type object'
  return undefined
}
