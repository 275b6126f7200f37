import type {
  ChatCompletion,
  ChatCompletionFunctionTool,
  ChatCompletionMessage,
  ChatCompletionMessageToolCall,
  ChatCompletionToolMessageParam,
} from 'openai/resources/chat/completions'
import type {
  FunctionTool,
  Response,
  ResponseInputItem,
  ResponseOutputItem,
} from 'openai/resources/responses/responses'
import type { View } from '../index.ts'
import { isObject } from '../model/json.ts'
import { createRunner, markedText, parseInput } from './model-calls.ts'
import type { Answer, ModelCall, RunOptions } from './model-calls.ts'
import { imagesOf } from './result-images.ts'
import { listIn, requireTexts, typedItems } from './run-input.ts'
import { offerTools } from './compiled-tools.ts'
import type { AdapterOptions, CompiledTool } from './compiled-tools.ts'

export type { AdapterOptions, RunOptions }

export interface OpenAiOptions extends AdapterOptions {
  /** Uses strict mode for each tool whose schema fits the strict subset. */
  readonly strict?: boolean
}

export interface OpenAiTools {
  readonly chat: {
    readonly tools: ChatCompletionFunctionTool[]
    /**
     * Runs the tool calls of a message and returns the messages to append after it; empty if there are none. Also takes
     * the completion with that message, or the list of its calls.
     */
    readonly run: (
      message:
        | Partial<ChatCompletionMessage>
        | Pick<ChatCompletion, 'choices'>
        | readonly ChatCompletionMessageToolCall[],
      options?: RunOptions,
    ) => Promise<ChatCompletionToolMessageParam[]>
  }
  readonly responses: {
    readonly tools: FunctionTool[]
    /** Runs the calls of a response, or of its `output`, and returns the items to append after it. */
    readonly run: (
      response: Pick<Response, 'output'> | readonly ResponseOutputItem[],
      options?: RunOptions,
    ) => Promise<ResponseInputItem.FunctionCallOutput[]>
  }
}

/**
 * Returns the tools of a view as OpenAI takes them, as they are now. Call it again before each turn to follow changes.
 *
 * @example
 * const { chat } = await toOpenAi(host)
 * const answer = await client.chat.completions.create({ model, messages, tools: chat.tools })
 * messages.push(answer.choices[0].message, ...(await chat.run(answer.choices[0].message)))
 */
export async function toOpenAi(view: View, options: OpenAiOptions = {}): Promise<OpenAiTools> {
  const offered = await offerTools(view, options.strict ? ['openai-strict', 'openai'] : ['openai'], options)
  const run = createRunner(view, offered, options)
  // Each list is built on first use: a program uses one API, and there may be thousands of tools.
  let [chatTools, responsesTools]: [ChatCompletionFunctionTool[]?, FunctionTool[]?] = []
  return {
    chat: {
      get tools() {
        return (chatTools ??= offered.map((each) => ({ type: 'function', function: toFunction(each) })))
      },
      async run(given, runOptions) {
        const answers = await run(chatCalls(given), runOptions)
        // A tool message can hold only text.
        return answers.map(({ id, answer }) => ({
          role: 'tool',
          tool_call_id: id,
          content: markedText(answer),
        }))
      },
    },
    responses: {
      get tools() {
        return (responsesTools ??= offered.map((each) => ({ type: 'function', ...toFunction(each) })))
      },
      async run(given, runOptions) {
        const answers = await run(responseCalls(given), runOptions)
        return answers.map(({ id, answer }) => ({
          type: 'function_call_output',
          call_id: id,
          output: toOutput(answer, options),
        }))
      },
    },
  }
}

const chatInput = {
  accepted: 'a message of chat.completions, a completion with one choice, or message.tool_calls',
  foreign: ['function_call', 'message', 'reasoning', 'tool_use'],
}
const responseInput = {
  accepted: 'a response of responses.create, or response.output',
  foreign: ['function', 'tool_use'],
}

function chatCalls(given: unknown): readonly ModelCall[] {
  const calls = typedItems(toolCallsOf(given), chatInput, given) as readonly ChatCompletionMessageToolCall[] // types of this API
  return calls.flatMap((call) => {
    if (call.type !== 'function') return []
    const { id, function: called } = call
    requireTexts(chatInput, id, called?.name, called?.arguments)
    return [{ id, name: called.name, input: parseInput(called.arguments) }]
  })
}

/** The list of calls; empty for a message without any, which compatible servers also write as `null`. */
function toolCallsOf(given: unknown): unknown {
  if (!isObject(given)) return given
  const { choices, role, content, tool_calls: calls } = given
  if (choices === undefined) {
    const isMessage = calls !== undefined || (role === 'assistant' && !Array.isArray(content))
    return isMessage ? (calls ?? []) : undefined
  }
  const [only, ...others] = Array.isArray(choices) ? (choices as readonly unknown[]) : []
  return others.length === 0 && isObject(only) && isObject(only['message'])
    ? toolCallsOf(only['message'])
    : undefined
}

function responseCalls(given: unknown): readonly ModelCall[] {
  const items = typedItems(listIn(given, 'output'), responseInput, given) as readonly ResponseOutputItem[] // types of this API
  return items.flatMap((item) => {
    if (item.type !== 'function_call') return []
    requireTexts(responseInput, item.call_id, item.name, item.arguments)
    return [{ id: item.call_id, name: item.name, input: parseInput(item.arguments) }]
  })
}

function toFunction({ tool, schema, provider }: CompiledTool) {
  return {
    name: tool.name,
    ...(tool.description && { description: tool.description }),
    parameters: { ...schema },
    // Set explicitly: the Responses API defaults to true.
    strict: provider === 'openai-strict',
  }
}

function toOutput(
  answer: Answer,
  { images = true }: AdapterOptions,
): ResponseInputItem.FunctionCallOutput['output'] {
  const text = markedText(answer)
  const found = images && answer.result ? imagesOf(answer.result) : []
  if (found.length === 0) return text
  return [
    { type: 'input_text', text },
    ...found.map(({ mediaType, data }) => ({
      type: 'input_image' as const,
      image_url: `data:${mediaType};base64,${data}`,
    })),
  ]
}
