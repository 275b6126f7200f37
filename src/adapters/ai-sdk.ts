import type { ToolSet } from 'ai'
import type { CallResult, Provider, View } from '../index.ts'
import { callOffered } from './model-calls.ts'
import { imagesOf } from './result-images.ts'
import { offerTools } from './compiled-tools.ts'
import type { AdapterOptions } from './compiled-tools.ts'

export type { AdapterOptions }

export interface AiSdkOptions extends AdapterOptions {
  /** Whose dialect schemas are said in; `openai` by default, which most providers take. */
  readonly provider?: Provider
  /**
   * Whether images are parts of a result: by default for `anthropic` and `gemini` alone. The AI SDK does not say which
   * model asks, and writes them as base64 into the text for OpenAI's chat completions; its responses model takes them.
   */
  readonly images?: boolean
}

const takesImages: ReadonlySet<Provider> = new Set(['anthropic', 'gemini'])

/**
 * The tools of a view for `generateText`, `streamText` and agents, at this moment. What a tool answers is a
 * `CallResult`; a call that did not run is an error, which the AI SDK tells the model.
 */
export async function toAiSdk(view: View, options: AiSdkOptions = {}): Promise<ToolSet> {
  const { dynamicTool, jsonSchema } = await import('ai')
  const { provider = 'openai' } = options
  const { images = takesImages.has(provider) } = options
  const offered = await offerTools(view, [provider], options)
  return Object.fromEntries(
    offered.map((each) => {
      const { title, description, server, ref } = each.tool
      const tool = dynamicTool({
        description,
        ...(title !== undefined && { title }),
        metadata: { server, ref },
        // Without a check of its own: the host checks, and lets no pattern of a server run away.
        inputSchema: jsonSchema({ ...each.schema }),
        execute: (input, { abortSignal }) => callOffered(view, each, input, { signal: abortSignal }),
        // What `execute` answered, maybe read back from where a conversation is kept.
        toModelOutput: ({ output }) => toModelOutput(output as CallResult, images),
      })
      return [each.name, tool]
    }),
  )
}

function toModelOutput(result: CallResult, images: boolean) {
  const { text, failed } = result
  if (failed) return { type: 'error-text' as const, value: text }
  const found = images ? imagesOf(result) : []
  if (found.length === 0) return { type: 'text' as const, value: text }
  return {
    type: 'content' as const,
    value: [
      { type: 'text' as const, text },
      ...found.map((image) => ({ type: 'image-data' as const, ...image })),
    ],
  }
}
