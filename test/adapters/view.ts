import type { Block, CallOptions, CallResult, Json, JsonObject, Tool, View } from '../../src/index.ts'

export interface RecordedCall {
  /** The tool's name, even if it was called by its ref. */
  readonly name: string
  readonly args: Json | undefined
  readonly signal: AbortSignal | undefined
}

type Run = (args: Json | undefined, options: CallOptions) => Promise<CallResult>

/** The part of a view that adapters use: tools of one server, each with a scripted result. */
export function viewOf(
  tools: Readonly<Record<string, Run>>,
  shape: (name: string) => Partial<Tool> = () => ({}),
) {
  const called: RecordedCall[] = []
  const offered = Object.keys(tools).map((name) => toolOf(name, shape(name)))
  const view: Pick<View, 'ready' | 'tools' | 'native' | 'call'> = {
    ready: async () => undefined,
    tools: () => offered,
    native: () => [{ name: 'native' }],
    async call(nameOrRef, given, options = {}) {
      const args = given as Json | undefined // adapters pass what a model sent
      const { name, tool } = offered.find((each) => [each.name, each.ref].includes(nameOrRef))!
      called.push({ name, args, signal: options.signal })
      return tools[tool]!(args, options)
    },
  }
  return { view: view as View, called } // adapters use only these members
}

function toolOf(tool: string, shape: Partial<Tool>): Tool {
  return {
    ref: `x/${tool}`,
    name: `x__${tool}`,
    description: `It is ${tool}.`,
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    annotations: {},
    server: 'x',
    tool,
    concurrencySafe: true,
    hash: '',
    ...shape,
  }
}

export function resultOf(text: string, more: Partial<CallResult> = {}): CallResult {
  return { text, blocks: [{ type: 'text', text }], failed: false, ref: 'x/a', ms: 1, ...more }
}

export const imageOf = (data: string, more: JsonObject = {}): Block => ({
  type: 'image',
  mimeType: 'image/png',
  data,
  ...more,
})

/** One pixel. */
export const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** A view without tools that records how long an adapter waits for servers. */
export function waitingView() {
  const waits: unknown[] = []
  const ready = async (options: unknown) => void waits.push(options)
  return { view: { ...viewOf({}).view, ready } as View, waits }
}

/** Runs a tool of the AI SDK without arguments. The types of `execute` differ between its majors. */
export async function executeTool(tool: object | undefined, options: object = {}): Promise<unknown> {
  const { execute } = (tool ?? {}) as { readonly execute?: (input: object, given: object) => unknown }
  return execute?.({}, { toolCallId: 'c', messages: [], ...options })
}
