import { resourceTools } from '../resources/resource-tools.ts'
import { skillTools } from '../skills/skill-tools.ts'
import type { JsonObject } from '../../model/json.ts'
import type { Tool, ToolDefinition } from '../../model/tool.ts'
import { ownName, stringField, toOwnTool, toTextResult } from './own-tools.ts'
import type { OwnTool } from './own-tools.ts'

const maxFound = 50

const purpose = 'Finds tools by words. Use it before you say that something cannot be done.'

// Three tools that replace a list too long for a model: search for a tool, read its description, call it.

const searchTools: ToolDefinition = {
  name: 'search_tools',
  description: purpose,
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'What the tool should do, in a few words.' },
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: maxFound,
        description: 'How many at most; 10 if not given.',
      },
    },
    required: ['query'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true },
}

const describeTool: ToolDefinition = {
  name: 'describe_tool',
  description: 'Tells what a tool does and which arguments it takes, as a JSON Schema.',
  inputSchema: {
    type: 'object',
    properties: { name: { type: 'string', description: 'The name, as search_tools gives it.' } },
    required: ['name'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true },
}

const callTool: ToolDefinition = {
  name: 'call_tool',
  description: 'Calls a tool that search_tools found. Look at its arguments with describe_tool first.',
  inputSchema: {
    type: 'object',
    properties: {
      name: { type: 'string', description: 'The name, as search_tools gives it.' },
      arguments: { type: 'object', description: 'Its arguments.' },
    },
    required: ['name'],
    additionalProperties: false,
  },
}

/** Names that no tool of a server may get: those of native tools and of the host's own tools. */
export function reservedNames(
  native: readonly { readonly name: string }[],
  resources: 'tools' | undefined,
): readonly string[] {
  const taken = new Set(native.map(({ name }) => name))
  const ours = [searchTools, describeTool, callTool, ...skillTools, ...(resources ? resourceTools : [])]
  return [...taken, ...ours.map(({ name }) => ownName(name, taken))]
}

const defaultLimit = 10
const maxWords = 200
const maxServers = 50

export interface DescribedTool extends Pick<Tool, 'name' | 'description' | 'inputSchema'> {
  readonly outputSchema?: JsonObject | undefined
}

export interface ToolLookup {
  search(words: string, options: { readonly limit: number }): readonly DescribedTool[]
  /** Throws for a tool that is not visible. */
  find(name: string): DescribedTool
  servers(): readonly string[]
}

export interface MetaTools {
  /** The three tools as a model sees them now. */
  tools(): readonly Tool[]
  /** `search_tools` and `describe_tool`. */
  readonly lookupTools: readonly OwnTool[]
  /** `call_tool`: a call of it becomes a call of the tool in its arguments. */
  readonly callTool: Tool
}

/** Creates the three tools that replace all others. They see only what their view sees. */
export function createMetaTools(view: ToolLookup, native: ReadonlySet<string>): MetaTools {
  const describeOwn = toOwnTool(describeTool, native)
  const callOwn = toOwnTool(callTool, native)
  const lookupTools: readonly OwnTool[] = [
    {
      tool: toOwnTool(searchTools, native),
      isAlwaysAllowed: true,
      async run(args) {
        // Not validated if only servers check arguments.
        const requested = typeof args['limit'] === 'number' ? args['limit'] : defaultLimit
        const limit = Math.min(requested, maxFound)
        return toTextResult(toLines(view.search(stringField(args, 'query') ?? '', { limit })))
      },
    },
    {
      tool: describeOwn,
      isAlwaysAllowed: true,
      run: async (args) => toTextResult(toDescription(view.find(stringField(args, 'name') ?? ''))),
    },
  ]
  return {
    lookupTools,
    callTool: callOwn,
    tools: () => [toOwnTool(withServers(view.servers()), native), describeOwn, callOwn],
  }
}

/** Adds the names of the servers to the description, so that a model knows what it can search for. */
function withServers(servers: readonly string[]): ToolDefinition {
  if (servers.length === 0) return searchTools
  const shown = servers.slice(0, maxServers)
  const more = servers.length > shown.length ? ` and ${servers.length - shown.length} more` : ''
  return { ...searchTools, description: `${purpose} Servers: ${shown.join(', ')}${more}.` }
}

function toLines(tools: readonly DescribedTool[]): string {
  if (tools.length === 0) return '(no tool matches these words)'
  return tools.map(({ name, description }) => `${name}: ${shorten(description)}`).join('\n')
}

function shorten(text: string): string {
  const words = text
    .slice(0, 4 * maxWords)
    .replace(/\s+/g, ' ')
    .trim()
  return words.length > maxWords ? `${words.slice(0, maxWords - 1).trimEnd()}…` : words
}

function toDescription({ name, description, inputSchema, outputSchema }: DescribedTool): string {
  const schema = (title: string, value: JsonObject) => `${title}: ${JSON.stringify(value)}`
  return [
    name,
    ...(description === '' ? [] : [description]),
    schema('Arguments', inputSchema),
    ...(outputSchema ? [schema('Structured result', outputSchema)] : []),
  ].join('\n\n')
}
