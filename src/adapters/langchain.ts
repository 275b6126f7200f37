import type { DynamicStructuredTool } from '@langchain/core/tools'
import type { Provider, View } from '../index.ts'
import { callOffered, toAnswer } from './model-calls.ts'
import type { Answer } from './model-calls.ts'
import { imagesOf } from './result-images.ts'
import { offerTools } from './compiled-tools.ts'
import type { AdapterOptions, CompiledTool } from './compiled-tools.ts'

export type { AdapterOptions }

export interface LangChainOptions extends AdapterOptions {
  /** Whose dialect schemas are said in; `openai` by default, which most providers take. */
  readonly provider?: Provider
}

/**
 * The tools of a view for `bindTools` and agents, at this moment. A message of a tool has the `CallResult` as its
 * artifact, and says when the call failed.
 */
export async function toLangChain(
  view: View,
  options: LangChainOptions = {},
): Promise<DynamicStructuredTool[]> {
  const tools = await import('@langchain/core/tools')
  const { ToolMessage } = await import('@langchain/core/messages')
  const { provider = 'openai' } = options
  const offered = await offerTools(view, [provider], options)
  return offered.map(toTool)

  function toTool(each: CompiledTool): DynamicStructuredTool {
    const { name } = each
    const { description, server, ref } = each.tool
    const tool = new tools.DynamicStructuredTool({
      name,
      description,
      schema: { ...each.schema },
      metadata: { server, ref },
      responseFormat: 'content_and_artifact',
      async func(input, _, config) {
        const calling = { signal: config?.signal }
        const answer = await toAnswer(view, callOffered(view, each, input, calling), calling)
        const [content, artifact] = [toContent(answer, options), answer.result]
        const id = idOf(config)
        if (!answer.failed || id === undefined) return [content, artifact]
        return [new ToolMessage({ status: 'error', content, artifact, name, tool_call_id: id }), undefined]
      },
    })
    return withoutItsCheck(tool)
  }
}

/** The host checks arguments; LangChain would run every pattern of a server, and one may never come to an end. */
function withoutItsCheck(tool: DynamicStructuredTool): DynamicStructuredTool {
  const unchecked: DynamicStructuredTool = Object.create(tool, { schema: { value: {} } })
  return Object.assign(tool, { call: tool.call.bind(unchecked) })
}

function idOf(config: object | undefined): string | undefined {
  const { toolCall } = (config ?? {}) as { readonly toolCall?: { readonly id?: string } } // unknown to its type
  return toolCall?.id
}

function toContent({ text, result }: Answer, { images = true }: AdapterOptions) {
  const found = images && result ? imagesOf(result) : []
  if (found.length === 0) return text
  return [
    { type: 'text', text },
    ...found.map(({ mediaType, data }) => ({
      type: 'image_url',
      image_url: { url: `data:${mediaType};base64,${data}` },
    })),
  ]
}
