import type { ContentBlock, Message, Tool, ToolResultBlockParam } from '@anthropic-ai/sdk/resources/messages'
import type { View } from '../index.ts'
import type { Answer, ModelCall, RunOptions } from './model-calls.ts'
import { imagesOf } from './result-images.ts'
import { offerTools } from './compiled-tools.ts'
import type { AdapterOptions, CompiledTool } from './compiled-tools.ts'
import { createRunner } from './model-calls.ts'
import { listIn, requireTexts, typedItems } from './run-input.ts'

export type { AdapterOptions, RunOptions }

export interface AnthropicTools {
  readonly tools: Tool[]
  /** Runs the tool calls of a message, or of its `content`, and returns the content of the next user message; empty if there are none. */
  readonly run: (
    message: Pick<Message, 'content'> | readonly ContentBlock[],
    options?: RunOptions,
  ) => Promise<ToolResultBlockParam[]>
}

/**
 * Returns the tools of a view as Anthropic takes them, as they are now. Call it again before each turn to follow changes.
 *
 * @example
 * const { tools, run } = await toAnthropic(host)
 * const message = await client.messages.create({ model, max_tokens: 1024, messages, tools })
 * messages.push({ role: 'user', content: await run(message) })
 */
export async function toAnthropic(view: View, options: AdapterOptions = {}): Promise<AnthropicTools> {
  const offered = await offerTools(view, ['anthropic'], options)
  const run = createRunner(view, offered, options)
  return {
    tools: offered.map(toTool),
    async run(given, runOptions) {
      const answers = await run(callsOf(given), runOptions)
      return answers.map(({ id, answer }) => ({
        type: 'tool_result',
        tool_use_id: id,
        content: toContent(answer, options),
        ...(answer.failed && { is_error: true }),
      }))
    },
  }
}

const runInput = {
  accepted: 'a message of messages.create, or message.content',
  foreign: ['function', 'function_call'],
}

function callsOf(given: unknown): readonly ModelCall[] {
  const blocks = typedItems(listIn(given, 'content'), runInput, given) as readonly ContentBlock[] // types of this API
  return blocks.flatMap((block) => {
    if (block.type !== 'tool_use') return []
    requireTexts(runInput, block.id, block.name)
    return [block]
  })
}

function toTool({ tool, schema }: CompiledTool): Tool {
  return {
    name: tool.name,
    ...(tool.description && { description: tool.description }),
    input_schema: { ...schema, type: 'object' },
  }
}

function toContent(
  { text, failed, result }: Answer,
  { images = true }: AdapterOptions,
): NonNullable<ToolResultBlockParam['content']> {
  // The API accepts only text in a failed result.
  const found = images && result && !failed ? imagesOf(result) : []
  if (found.length === 0) return text
  return [
    { type: 'text', text },
    ...found.map(({ mediaType, data }) => ({
      type: 'image' as const,
      source: { type: 'base64' as const, media_type: mediaType, data },
    })),
  ]
}
