import type { ToolSet } from 'ai'
import type { CallResult, Provider, View } from '../index.ts'
import { callOffered } from './model-calls.ts'
import { takesImages, toModelOutput } from './model-output.ts'
import { offerTools } from './compiled-tools.ts'
import type { AdapterOptions } from './compiled-tools.ts'

export type { AdapterOptions }

export interface AiSdkOptions extends AdapterOptions {
  /** The provider whose schema dialect is used; `openai` by default, which most providers accept. */
  readonly provider?: Provider
  /**
   * Whether images are parts of a result; by default only for `anthropic` and `gemini`. The AI SDK does not tell which
   * model makes the call, and for OpenAI's chat completions it writes images into the text as base64. Its model for the
   * Responses API accepts them.
   */
  readonly images?: boolean
}

/**
 * Returns the tools of a view for `generateText`, `streamText` and agents, as they are now. A tool's output is a
 * `CallResult`; a call that did not run is an error, which the AI SDK reports to the model.
 *
 * @example
 * const { text } = await generateText({ model, prompt, tools: await toAiSdk(host), stopWhen: stepCountIs(5) })
 */
export async function toAiSdk(view: View, options: AiSdkOptions = {}): Promise<ToolSet> {
  const sdk = await import('ai')
  const form = 'isStepCount' in sdk ? 'file' : 'image-data' // the AI SDK 7 and later, or 6
  const { provider = 'openai' } = options
  const { images = takesImages.has(provider) } = options
  const offered = await offerTools(view, [provider], options)
  return Object.fromEntries(
    offered.map((each) => {
      const { title, description, server, ref } = each.tool
      const tool = sdk.dynamicTool({
        description,
        ...(title !== undefined && { title }),
        metadata: { server, ref },
        // No `validate` here: the host checks arguments, and bounds how long a server's pattern may run.
        inputSchema: sdk.jsonSchema({ ...each.schema }),
        execute: (input, { abortSignal }) => callOffered(view, each, input, { signal: abortSignal }),
        // The value `execute` returned, possibly restored from a stored conversation.
        toModelOutput: ({ output }) => toModelOutput(output as CallResult, images, form),
      })
      return [each.name, tool]
    }),
  )
}
