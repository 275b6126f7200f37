import { resourceTools } from '../resources/resource-tools.ts'
import type { JsonObject } from '../../model/json.ts'
import type { Tool, ToolDefinition } from '../../model/tool.ts'
import { fieldOf, ownName, textOf, toOwnTool } from './own-tools.ts'
import type { OwnTool } from './own-tools.ts'

const maxFound = 50

const purpose = 'Finds tools by words. Use it before you say that something cannot be done.'

/** What stands for a list of tools that is too long for a model: look for one, look at it, call it. */
const search: ToolDefinition = {
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

const describe: ToolDefinition = {
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

const call: ToolDefinition = {
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

/** What no tool of a server may be called: the embedder's own names, and ours. */
export function reservedNames(
  native: readonly { readonly name: string }[],
  resources: 'tools' | undefined,
): readonly string[] {
  const taken = new Set(native.map(({ name }) => name))
  const ours = [search, describe, call, ...(resources ? resourceTools : [])]
  return [...taken, ...ours.map(({ name }) => ownName(name, taken))]
}

const defaultLimit = 10
const maxWords = 200
const maxServers = 50

interface Looking {
  search(words: string, options: { readonly limit: number }): readonly Tool[]
  /** Throws for one that is not seen. */
  find(name: string): Tool
  servers(): readonly string[]
}

export interface MetaTools {
  /** What a model is offered now. */
  tools(): readonly Tool[]
  readonly looking: readonly OwnTool[]
  /** Calls of it are calls of another tool. */
  readonly calling: Tool
}

/** Three tools in place of all the others. They see what their view sees, and nothing else. */
export function createMetaTools(view: Looking, native: ReadonlySet<string>): MetaTools {
  const describing = toOwnTool(describe, native)
  const calling = toOwnTool(call, native)
  const looking: readonly OwnTool[] = [
    {
      tool: toOwnTool(search, native),
      isFree: true,
      async run(args) {
        // Where servers alone check arguments, nobody has looked at it.
        const asked = typeof args['limit'] === 'number' ? args['limit'] : defaultLimit
        const limit = Math.min(asked, maxFound)
        return textOf(toLines(view.search(fieldOf(args, 'query') ?? '', { limit })))
      },
    },
    {
      tool: describing,
      isFree: true,
      run: async (args) => textOf(toDescription(view.find(fieldOf(args, 'name') ?? ''))),
    },
  ]
  return {
    looking,
    calling,
    tools: () => [toOwnTool(withServers(view.servers()), native), describing, calling],
  }
}

/** A model that does not know what there is does not look for it. */
function withServers(servers: readonly string[]): ToolDefinition {
  if (servers.length === 0) return search
  const shown = servers.slice(0, maxServers)
  const more = servers.length > shown.length ? ` and ${servers.length - shown.length} more` : ''
  return { ...search, description: `${purpose} Servers: ${shown.join(', ')}${more}.` }
}

function toLines(tools: readonly Tool[]): string {
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

function toDescription({ name, description, inputSchema, outputSchema }: Tool): string {
  const schema = (title: string, value: JsonObject) => `${title}: ${JSON.stringify(value)}`
  return [
    name,
    ...(description === '' ? [] : [description]),
    schema('Arguments', inputSchema),
    ...(outputSchema ? [schema('Structured result', outputSchema)] : []),
  ].join('\n\n')
}
