import type { JsonObject } from '../../index.ts'

/** The contracts between Dispatch's kernel and an extension, matched structurally; nothing is imported from Dispatch. */

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
  /** Set if the turn runs on another machine. */
  readonly computerId?: string
}

export interface ToolContract {
  readonly name: string
  readonly description: string
  /** The whole schema, as the server sent it. */
  readonly parameters: ToolParameterSchema
  execute(this: void, args: unknown, ctx: ToolExecuteContext): Promise<ToolResult>
  readonly concurrencySafe?: boolean
}

export type ToolParameterSchema = JsonObject & { readonly type: 'object' }

/** The tools of one turn, as passed from filter to filter. */
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
  /** Only carries the type. */
  readonly value?: T
}

export interface ServiceHandle<T> {
  readonly kind: 'service'
  readonly id: string
  /** Only carries the type. */
  readonly value?: T
}

export type Attributes = Readonly<Record<string, string | number | boolean>>

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

/** The part of Dispatch's host API that the extension uses. */
export interface DispatchHost {
  /** A second definition of a name replaces the first; there is no removal. */
  defineTool(tool: ToolContract): void
  /** Dispatch's tools have types of their own; only these two fields are used. */
  getTools(): ReadonlyMap<string, Pick<ToolContract, 'name' | 'description'>>
  addFilter<T>(descriptor: FilterDescriptor<T>, filter: (value: T) => T | Promise<T>): () => void
  /** Present in kernels where a service is announced before it is provided. */
  defineService?(handle: ServiceHandle<unknown>): unknown
  provideService<T>(handle: ServiceHandle<T>, implementation: T): void
  readonly logger?: Logger
  /** The capabilities the host grants; `false` denies one. */
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
