import type { Tool } from '@mastra/core/tools'
import type { CallResult, JsonObject, Provider, View } from '../index.ts'
import { offerTools } from './compiled-tools.ts'
import type { AdapterOptions } from './compiled-tools.ts'
import { callOffered } from './model-calls.ts'
import { takesImages, toModelOutput } from './model-output.ts'

export type { AdapterOptions }

export interface MastraOptions extends AdapterOptions {
  /** The provider whose schema dialect is used; `openai` by default, which most providers accept. */
  readonly provider?: Provider
  /** Whether images are parts of a result; by default only for `anthropic` and `gemini`. */
  readonly images?: boolean
}

/**
 * Returns the tools of a view for `Agent`, as they are now. A tool's output is a `CallResult`; a call that did not run is
 * an error, which Mastra reports to the model.
 *
 * @example
 * const agent = new Agent({ id: 'helper', name: 'Helper', instructions, model, tools: await toMastra(host) })
 * const { text } = await agent.generate(prompt)
 */
export async function toMastra(view: View, options: MastraOptions = {}): Promise<Record<string, Tool>> {
  const { createTool } = await import('@mastra/core/tools')
  const { provider = 'openai' } = options
  const { images = takesImages.has(provider) } = options
  const offered = await offerTools(view, [provider], options)
  return Object.fromEntries(
    offered.map((each) => {
      const tool = createTool({
        id: each.name,
        description: each.tool.description,
        inputSchema: uncheckedSchema(each.schema),
        execute: (input, context) => callOffered(view, each, input, { signal: context?.abortSignal }),
        // The value `execute` returned, possibly restored from a stored conversation.
        toModelOutput: (output) => toModelOutput(output as CallResult, images, 'image-data'),
      })
      return [each.name, tool]
    }),
  )
}

/** A schema that describes the arguments and accepts everything: the host checks them, and bounds how long a pattern may run. */
function uncheckedSchema(schema: JsonObject) {
  const toSchema = () => ({ ...schema })
  return {
    '~standard': {
      version: 1 as const,
      vendor: 'plugboard',
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: toSchema, output: toSchema },
    },
  }
}
