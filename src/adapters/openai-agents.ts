import type { FunctionTool } from '@openai/agents'
import type { View } from '../index.ts'
import { offerTools } from './compiled-tools.ts'
import type { AdapterOptions, CompiledTool } from './compiled-tools.ts'
import { callOffered, markedText, toAnswer } from './model-calls.ts'
import type { Answer } from './model-calls.ts'
import { imagesOf } from './result-images.ts'

export type { AdapterOptions }

/**
 * Returns the tools of a view for `Agent`, as they are now. A failed call is a text that begins with `Error`. Use
 * `images: false` with a model of chat completions, which takes only text.
 *
 * @example
 * const agent = new Agent({ name: 'Helper', instructions, tools: await toOpenAiAgents(host) })
 * const { finalOutput } = await run(agent, prompt)
 */
export async function toOpenAiAgents(
  view: View,
  options: AdapterOptions = {},
): Promise<FunctionTool<unknown>[]> {
  const agents = await import('@openai/agents')
  const offered = await offerTools(view, ['openai'], options)
  return offered.map(toTool)

  function toTool(each: CompiledTool): FunctionTool<unknown> {
    const thrown = new WeakSet<object>()
    return agents.tool({
      name: each.name,
      description: each.tool.description,
      // Its type lists the parameters, which are known only at run time.
      parameters: { ...each.schema } as never,
      strict: false,
      async execute(input, _, details) {
        const callOptions = { signal: details?.signal }
        try {
          const result = callOffered(view, each, input, callOptions)
          return toOutput(await toAnswer(view, result, callOptions), options)
        } catch (error) {
          if (error instanceof Error) thrown.add(error)
          throw error
        }
      },
      // The default replaces every error, also a cancelled call or a closed host, by a text for the model.
      errorFunction(_, error) {
        if (error instanceof Error && thrown.has(error)) throw error
        return 'Error: The arguments are not JSON.'
      },
    })
  }
}

function toOutput(answer: Answer, { images = true }: AdapterOptions) {
  const text = markedText(answer)
  const found = images && answer.result ? imagesOf(answer.result) : []
  if (found.length === 0) return text
  return [
    { type: 'text', text },
    ...found.map(({ mediaType, data }) => ({ type: 'image', image: `data:${mediaType};base64,${data}` })),
  ]
}
