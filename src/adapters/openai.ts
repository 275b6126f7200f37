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
  /** Schemas in the strict subset, where they can be said in it. */
  readonly strict?: boolean
}

export interface OpenAiTools {
  readonly chat: {
    readonly tools: ChatCompletionFunctionTool[]
    /** Runs the calls of an answer; what comes back goes into the conversation behind it. Empty: nothing was called. */
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

/** The tools of a view as OpenAI takes them, at this moment: asked again before a turn, it tells what has changed. */
export async function toOpenAi(view: View, options: OpenAiOptions = {}): Promise<OpenAiTools> {
  const offered = await offerTools(view, options.strict ? ['openai-strict', 'openai'] : ['openai'], options)
  const run = createRunner(view, offered)
  // Hardly anybody wants both, and there may be thousands.
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
        const answered = await run(ours, runOptions)
        // A message of a tool holds nothing but text.
        return answered.map(({ id, answer }) => ({
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
        const answered = await run(ours, runOptions)
        return answered.map(({ id, answer }) => ({
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
    // Left unsaid, it is true for one of the two endpoints.
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
