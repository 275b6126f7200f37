/** The contracts of Dispatch's kernel, as its own packages declare them. The extension must match them without importing them. */
interface KernelLogger {
  debug(msg: string, attrs?: Readonly<Record<string, string | number | boolean | null>>): void
  info(msg: string, attrs?: Readonly<Record<string, string | number | boolean | null>>): void
  warn(msg: string, attrs?: Readonly<Record<string, string | number | boolean | null>>): void
  error(msg: string, attrs?: Readonly<Record<string, string | number | boolean | null>>): void
  child(ctx: Readonly<Record<string, string>>): KernelLogger
  span(name: string): { end(): void }
}

interface KernelToolContext {
  readonly toolCallId: string
  readonly onOutput: (data: string, stream: 'stdout' | 'stderr') => void
  readonly signal: AbortSignal
  readonly log: KernelLogger
  readonly cwd?: string
  readonly conversationId?: string
  readonly computerId?: string
}

export interface KernelTool {
  readonly name: string
  readonly description: string
  readonly parameters: {
    readonly type: 'object'
    readonly properties?: Readonly<Record<string, unknown>>
    readonly required?: readonly string[]
    readonly additionalProperties?: boolean | Readonly<Record<string, unknown>>
    readonly description?: string
  }
  readonly execute: (args: unknown, ctx: KernelToolContext) => Promise<{ content: string; isError?: boolean }>
  readonly concurrencySafe?: boolean
}

interface KernelDescriptor<Kind extends string, T> {
  readonly kind: Kind
  readonly id: string
  readonly __type?: T
}

export interface KernelHost {
  defineTool(tool: KernelTool): void
  getTools(): ReadonlyMap<string, KernelTool>
  addFilter<T>(filter: KernelDescriptor<'filter', T>, fn: (value: T) => T | Promise<T>): () => void
  provideService<T>(handle: KernelDescriptor<'service', T>, impl: T): void
  getService<T>(handle: KernelDescriptor<'service', T>): T
  emit<T>(event: KernelDescriptor<'event', T>, payload: T): void
  readonly logger: KernelLogger
  readonly config: { get(key: string): unknown }
}

export interface KernelExtension {
  readonly manifest: {
    readonly id: string
    readonly name: string
    readonly version: string
    readonly apiVersion: string
    readonly trust: 'bundled' | 'local' | 'external'
    readonly activation?: 'eager'
    readonly dependsOn?: readonly string[]
    readonly capabilities?: {
      readonly fs?: boolean
      readonly shell?: boolean
      readonly network?: boolean
      readonly secrets?: boolean
      readonly db?: boolean
      readonly spawn?: boolean
    }
    readonly contributes?: Readonly<Partial<Record<'tools' | 'services' | 'routes', readonly string[]>>>
  }
  activate(host: KernelHost): void | Promise<void>
  deactivate?(): void | Promise<void>
}
