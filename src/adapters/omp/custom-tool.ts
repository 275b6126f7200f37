import type { CallResult, Host, Json, JsonObject, Progress, Tool } from '../../index.ts'
import { HostError } from '../../model/error.ts'
import { imagesOf } from '../result-images.ts'
import type { MCPSource } from './omp-configs.ts'

/** Thrown when a call was aborted, in place of a result. */
export class ToolAbortError extends Error {
  override readonly name = 'ToolAbortError'

  constructor(message = 'Operation aborted', options?: ErrorOptions) {
    super(message, options)
  }
}

export type CustomToolContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string }

/** The data omp keeps beside the text of a result. */
export interface MCPToolDetails {
  readonly serverName: string
  readonly mcpToolName: string
  readonly provider?: string
  readonly providerName?: string
  readonly isError?: boolean
  /** As the server sent it, with secrets redacted. */
  readonly rawContent?: Json
}

export interface CustomToolResult {
  readonly content: CustomToolContent[]
  readonly details: MCPToolDetails
}

/** The part of omp's own contract that a server's tool implements. */
export interface CustomTool {
  readonly name: string
  readonly label: string
  readonly description: string
  readonly parameters: JsonObject
  readonly mcpServerName: string
  readonly mcpToolName: string
  execute(
    toolCallId: string,
    params: unknown,
    onUpdate?: (partial: CustomToolResult) => void,
    ctx?: unknown,
    signal?: AbortSignal,
  ): Promise<CustomToolResult>
}

/** A tool of a connected server (O15). */
export class MCPTool implements CustomTool {
  readonly name: string
  readonly label: string
  readonly description: string
  readonly parameters: JsonObject
  readonly mcpServerName: string
  readonly mcpToolName: string
  readonly #host: Pick<Host, 'call'>
  readonly #ref: string
  readonly #details: MCPToolDetails

  constructor(host: Pick<Host, 'call'>, tool: Tool, source?: MCPSource) {
    const { ref, name, server, description, inputSchema } = tool
    this.#host = host
    this.#ref = ref
    this.name = name
    this.label = `${server}/${tool.tool}`
    this.description = description || `MCP tool from ${server}`
    this.parameters = inputSchema
    this.mcpServerName = server
    this.mcpToolName = tool.tool
    this.#details = {
      serverName: server,
      mcpToolName: tool.tool,
      ...(source && { provider: source.provider, providerName: source.providerName }),
    }
  }

  execute: CustomTool['execute'] = async (_toolCallId, params, onUpdate, _ctx, signal) => {
    if (signal?.aborted) throw new ToolAbortError(undefined, { cause: signal.reason })
    try {
      // A model's arguments are JSON; the host rejects them if they are not an object.
      const result = await this.#host.call(this.#ref, params ?? {}, {
        signal,
        isSerial: true,
        ...(onUpdate && { onProgress: (progress) => onUpdate(this.#textResult(progressText(progress))) }),
      })
      return this.#fullResult(result)
    } catch (error) {
      if (signal?.aborted || isAbort(error)) throw new ToolAbortError(undefined, { cause: error })
      return this.#textResult(toOmpFailure(error), { isError: true })
    }
  }

  #fullResult(result: CallResult): CustomToolResult {
    const { text, blocks, failed } = result
    const { content, details } = this.#textResult(text, {
      ...(failed && { isError: true }),
      rawContent: blocks,
    })
    const images = failed ? [] : imagesOf(result)
    return {
      content: [
        ...content,
        ...images.map(({ data, mediaType }) => ({ type: 'image' as const, data, mimeType: mediaType })),
      ],
      details,
    }
  }

  #textResult(text: string, more: Partial<MCPToolDetails> = {}): CustomToolResult {
    return { content: [{ type: 'text', text }], details: { ...this.#details, ...more } }
  }
}

/** A tool known from an earlier run whose server is not connected yet; the first call waits for the connection. */
export class DeferredMCPTool extends MCPTool {}

/** The error text a model reads (O15). An aborted call throws instead. */
export function toOmpFailure(error: unknown): string {
  return `MCP error: ${error instanceof Error ? error.message : String(error)}`
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && !(error instanceof HostError) && error.name === 'AbortError'
}

function progressText({ progress, total, message }: Progress): string {
  return message ?? (total === undefined ? String(progress) : `${progress} of ${total}`)
}
