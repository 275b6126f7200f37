import type { DynamicStructuredTool } from '@langchain/core/tools'
import type { Provider, View } from '../index.ts'
import { callOffered, toAnswer } from './model-calls.ts'
import type { Answer } from './model-calls.ts'
import { imagesOf } from './result-images.ts'
import { offerTools } from './compiled-tools.ts'
import type { AdapterOptions, CompiledTool } from './compiled-tools.ts'

export type { AdapterOptions }

export interface LangChainOptions extends AdapterOptions {
  /** The provider whose schema dialect is used; `openai` by default, which most providers accept. */
  readonly provider?: Provider
}

/**
 * Returns the tools of a view for `bindTools` and agents, as they are now. A tool message carries the `CallResult` as
 * its artifact, and the status `error` when the call failed.
 *
 * @example
 * const agent = createAgent({ model, tools: await toLangChain(host) })
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
        const callOptions = { signal: config?.signal }
        const answer = await toAnswer(view, callOffered(view, each, input, callOptions), callOptions)
        const [content, artifact] = [toContent(answer, options), answer.result]
        const id = toolCallIdOf(config)
        if (!answer.failed || id === undefined) return [content, artifact]
        return [new ToolMessage({ status: 'error', content, artifact, name, tool_call_id: id }), undefined]
      },
    })
    return withoutSchemaCheck(tool)
  }
}

/** Skips LangChain's own check: the host checks arguments, and a server's pattern could run without end in LangChain's. */
function withoutSchemaCheck(tool: DynamicStructuredTool): DynamicStructuredTool {
  const unchecked: DynamicStructuredTool = Object.create(tool, { schema: { value: {} } })
  return Object.assign(tool, { call: tool.call.bind(unchecked) })
}

function toolCallIdOf(config: object | undefined): string | undefined {
  // LangChain passes `toolCall`, but its type for `config` does not have it.
  const { toolCall } = (config ?? {}) as { readonly toolCall?: { readonly id?: string } }
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
