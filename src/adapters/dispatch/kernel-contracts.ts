import type { JsonObject } from '../../index.ts'

/** What Dispatch's kernel expects of an extension and offers to it. They fit by their shape; nothing of it is imported. */

export interface ToolResult {
  readonly content: string
  readonly isError?: boolean
}

export interface ToolExecuteContext {
  readonly toolCallId: string
  readonly onOutput?: (data: string, stream: 'stdout' | 'stderr') => void
  readonly signal: AbortSignal
  readonly log?: Logger
  readonly cwd?: string
  readonly conversationId?: string
  /** The turn runs on another machine. */
  readonly computerId?: string
}

export interface ToolContract {
  readonly name: string
  readonly description: string
  /** The whole schema, as the server wrote it. */
  readonly parameters: ToolParameterSchema
  execute(this: void, args: unknown, ctx: ToolExecuteContext): Promise<ToolResult>
  readonly concurrencySafe?: boolean
}

export type ToolParameterSchema = JsonObject & { readonly type: 'object' }

/** The tools of one turn, on their way through the filters. */
export interface ToolAssembly {
  readonly tools: readonly ToolContract[]
  readonly conversationId: string
  readonly cwd?: string
  readonly computerId?: string
  readonly signal?: AbortSignal
}

export interface FilterDescriptor<T> {
  readonly kind: 'filter'
  readonly id: string
  /** Only for types. */
  readonly value?: T
}

export interface ServiceHandle<T> {
  readonly kind: 'service'
  readonly id: string
  /** Only for types. */
  readonly value?: T
}

type Attributes = Readonly<Record<string, string | number | boolean>>

export interface Logger {
  debug(message: string, attributes?: Attributes): void
  info(message: string, attributes?: Attributes): void
  warn(message: string, attributes?: Attributes): void
  error(message: string, attributes?: Attributes): void
}

export interface Capabilities {
  readonly fs?: boolean
  readonly shell?: boolean
  readonly network?: boolean
  readonly secrets?: boolean
  readonly db?: boolean
  readonly spawn?: boolean
}

/** What the extension uses of its host. */
export interface DispatchHost {
  /** A second definition of a name replaces the first; there is no removal. */
  defineTool(tool: ToolContract): void
  /** Its own tools are of its own types; their names are enough. */
  getTools(): ReadonlyMap<string, Pick<ToolContract, 'name' | 'description'>>
  addFilter<T>(descriptor: FilterDescriptor<T>, filter: (value: T) => T | Promise<T>): () => void
  /** Where services are announced before they are provided. */
  defineService?(handle: ServiceHandle<unknown>): unknown
  provideService<T>(handle: ServiceHandle<T>, implementation: T): void
  readonly logger?: Logger
  /** What the host grants; `false` is a denial. */
  readonly capabilities?: Capabilities
}

export interface Manifest {
  readonly id: string
  readonly name: string
  readonly version: string
  readonly apiVersion: string
  readonly trust: 'bundled' | 'local' | 'external'
  readonly activation?: 'eager'
  readonly dependsOn?: readonly string[]
  readonly capabilities?: Capabilities
  readonly contributes?: { readonly tools?: readonly string[]; readonly services?: readonly string[] }
}

export interface Extension {
  readonly manifest: Manifest
  activate(host: DispatchHost): void | Promise<void>
  deactivate(): Promise<void>
}

export const toolsFilter: FilterDescriptor<ToolAssembly> = {
  kind: 'filter',
  id: 'session-orchestrator/tools',
}
