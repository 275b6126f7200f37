import type { Greeting, JsonObject, OfferChoice, ReviewResult, ServerHeld } from '../../index.ts'
import type { ServiceHandle } from './kernel-contracts.ts'

/** The types of an MCP extension under the names that Dispatch's plan gives them. */

export type McpServerConfig =
  | {
      readonly command: string
      readonly args?: readonly string[]
      readonly env?: Readonly<Record<string, string>>
      readonly framing?: 'auto' | 'ndjson' | 'content-length'
      /** Milliseconds. */
      readonly startupTimeout?: number
      readonly disabled?: boolean
    }
  | {
      readonly transport: 'http'
      readonly url: string
      readonly headers?: Readonly<Record<string, string>>
      readonly startupTimeout?: number
      readonly disabled?: boolean
    }

export type ConfigSource = '.dispatch/mcp.json' | 'opencode.json'

export interface ResolvedMcpServer {
  readonly id: string
  /** The program and its arguments; empty for an HTTP server. */
  readonly command: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly transport?: 'http'
  readonly url?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly disabled?: true
  readonly configSource: ConfigSource
}

export interface McpServerStatus {
  readonly id: string
  readonly state: 'connecting' | 'connected' | 'error' | 'disconnected'
  /** The problem and the next step. */
  readonly error?: string
  /** The number of its tools that a turn can use now. */
  readonly toolCount: number
  /** The number of its tools, prompts, templates and instructions that are held until a person reviews them; absent if none is. */
  readonly held?: number
}

export interface McpToolInfo {
  readonly name: string
  readonly description?: string
  readonly inputSchema: JsonObject
}

export interface McpContentItem {
  readonly type: string
  readonly text?: string
  readonly data?: string
  readonly mimeType?: string
  readonly resource?: { readonly uri: string; readonly text?: string }
}

export interface McpCallResult {
  readonly content: readonly McpContentItem[]
  readonly isError?: boolean
}

/** One server of one working directory; connects on first use. */
export interface McpClient {
  readonly serverId: string
  readonly state: McpServerStatus['state']
  initialize(): Promise<Greeting>
  listTools(): Promise<readonly McpToolInfo[]>
  callTool(name: string, args: unknown, signal?: AbortSignal): Promise<McpCallResult>
  /** Calls the listener when the server reports that its tools changed. */
  onToolsChanged(listener: () => void): Disposable
}

/** A prompt of a server as a skill. */
export interface McpSkill {
  /** `<serverId>__<promptName>` */
  readonly name: string
  readonly description: string
  readonly serverId: string
  readonly arguments: readonly {
    readonly name: string
    readonly description?: string
    readonly required?: boolean
  }[]
}

export interface ConversationRef {
  readonly cwd: string
  readonly conversationId?: string
}

export interface McpService {
  /** The servers declared for a directory. Starts none of them. */
  status(cwd: string): Promise<readonly McpServerStatus[]>
  /** The client of a server in an open directory. `cwd` may be omitted if exactly one open directory declares the server. */
  getClient(serverId: string, cwd?: string): McpClient | undefined
  /** Stops every server of every directory; the next turn starts them again. */
  shutdownAll(): Promise<void>
  /** Switches a server off or on again in one conversation. */
  switchServer(
    which: Required<ConversationRef> & { readonly serverId: string; readonly on: boolean },
  ): Promise<void>
  /** What servers of a directory offer and turns do not get until a person has reviewed it, as `Host.held`. */
  held(cwd: string): Promise<readonly ServerHeld[]>
  /** Records that a person accepts exactly these definitions, as `Host.accept`; the next turn has them. */
  accept(which: {
    readonly cwd: string
    readonly serverId: string
    readonly choices: readonly OfferChoice[]
  }): Promise<ReviewResult>
  /** Empty unless prompts are offered as skills. */
  skills(of: ConversationRef): Promise<readonly McpSkill[]>
  /** The text of a skill, rendered with these arguments. */
  readSkill(
    which: ConversationRef & { readonly name: string; readonly arguments?: Readonly<Record<string, string>> },
  ): Promise<string>
}

export const mcpServiceHandle: ServiceHandle<McpService> = { kind: 'service', id: 'mcp' }
