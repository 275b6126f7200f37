import type {
  ChatCompletionFunctionTool,
  ChatCompletionMessage,
  ChatCompletionToolMessageParam,
} from 'openai/resources/chat/completions'
import type { FunctionTool, Response, ResponseInputItem } from 'openai/resources/responses/responses'
import type { View } from '../index.ts'
import { createRunner, markedText, parseInput } from './model-calls.ts'
import type { Answer, RunOptions } from './model-calls.ts'
import { imagesOf } from './result-images.ts'
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
    /** Runs the tool calls of a message and returns the messages to append after it; empty if there are none. */
    readonly run: (
      message: Pick<ChatCompletionMessage, 'tool_calls'>,
      options?: RunOptions,
    ) => Promise<ChatCompletionToolMessageParam[]>
  }
  readonly responses: {
    readonly tools: FunctionTool[]
    readonly run: (
      response: Pick<Response, 'output'>,
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
  const run = createRunner(view, offered)
  // Each list is built on first use: a program uses one API, and there may be thousands of tools.
  let [chatTools, responsesTools]: [ChatCompletionFunctionTool[]?, FunctionTool[]?] = []
  return {
    chat: {
      get tools() {
        return (chatTools ??= offered.map((each) => ({ type: 'function', function: toFunction(each) })))
      },
      async run({ tool_calls: calls = [] }, runOptions) {
        const ours = calls.flatMap((call) =>
          call.type === 'function'
            ? [{ id: call.id, name: call.function.name, input: parseInput(call.function.arguments) }]
            : [],
        )
        const answers = await run(ours, runOptions)
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
      async run({ output }, runOptions) {
        const ours = output.flatMap((item) =>
          item.type === 'function_call'
            ? [{ id: item.call_id, name: item.name, input: parseInput(item.arguments) }]
            : [],
        )
        const answers = await run(ours, runOptions)
        return answers.map(({ id, answer }) => ({
          type: 'function_call_output',
          call_id: id,
          output: toOutput(answer, options),
        }))
      },
    },
  }
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
