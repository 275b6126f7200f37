import { toolsFilter } from '../adapters/dispatch/kernel-contracts.ts'
import type {
  Capabilities,
  DispatchHost,
  Extension,
  FilterDescriptor,
  Logger,
  ServiceHandle,
  ToolAssembly,
  ToolContract,
  ToolExecuteContext,
  ToolResult,
} from '../adapters/dispatch/kernel-contracts.ts'

export interface DispatchHostOptions {
  /** The capabilities granted to the extension; `false` denies one. */
  readonly capabilities?: Capabilities
  /** Dispatch's built-in tools. */
  readonly tools?: readonly ToolContract[]
}

export interface LogEntry {
  readonly level: keyof Logger
  readonly message: string
  readonly attributes: Readonly<Record<string, string | number | boolean>>
}

/** One turn: the tools it offers, and a way to call them. */
export interface DispatchTurn {
  readonly assembly: ToolAssembly
  /** Tools that are not `concurrencySafe` run one after another. */
  readonly call: (name: string, args?: unknown, ctx?: Partial<ToolExecuteContext>) => Promise<ToolResult>
}

/** A test double for the part of Dispatch's kernel and session orchestrator that an MCP extension uses. */
export interface TestDispatchHost extends DispatchHost {
  readonly logger: Logger
  readonly logs: readonly LogEntry[]
  getTools(): ReadonlyMap<string, ToolContract>
  activate(extension: Pick<Extension, 'activate'>): Promise<void>
  getService<T>(handle: ServiceHandle<T>): T
  /** Runs the tool filters in order, as before each turn; a filter that throws is skipped. */
  turn(of: Omit<ToolAssembly, 'tools'>): Promise<DispatchTurn>
  /** Errors thrown by filters. */
  readonly thrown: readonly unknown[]
  /** Resolves when a log entry matches, now or later. */
  untilLogged(fits: (entry: LogEntry) => boolean): Promise<void>
}

interface Filter {
  readonly id: string
  readonly run: (value: unknown) => unknown
}

export function createDispatchHost({ capabilities, tools = [] }: DispatchHostOptions = {}): TestDispatchHost {
  const defined = new Map(tools.map((tool) => [tool.name, tool]))
  const services = new Map<string, unknown>()
  const waiters = new Set<() => void>()
  const [logs, thrown, filters] = [new Array<LogEntry>(), new Array<unknown>(), new Set<Filter>()]
  const log =
    (level: keyof Logger): Logger[keyof Logger] =>
    (message, attributes = {}) => {
      logs.push({ level, message, attributes })
      for (const check of waiters) check()
    }

  const host: TestDispatchHost = {
    ...(capabilities && { capabilities }),
    logs,
    thrown,
    logger: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
    defineTool: (tool) => void defined.set(tool.name, tool),
    getTools: () => defined,
    addFilter<T>({ id }: FilterDescriptor<T>, filter: (value: T) => T | Promise<T>) {
      const added: Filter = { id, run: (value) => filter(value as T) } // a descriptor has one type
      filters.add(added)
      return () => void filters.delete(added)
    },
    defineService: ({ id }) => void services.set(id, undefined),
    provideService({ id }, implementation) {
      if (!services.has(id)) throw new Error(`no such service: ${id}`)
      services.set(id, implementation)
    },
    getService<T>({ id }: ServiceHandle<T>): T {
      const found = services.get(id)
      if (found === undefined) throw new Error(`no such service: ${id}`)
      return found as T // a handle has one type
    },
    untilLogged: (fits) =>
      new Promise((resolve) => {
        const check = () => {
          if (!logs.some(fits)) return
          waiters.delete(check)
          resolve()
        }
        waiters.add(check)
        check()
      }),
    activate: async (extension) => extension.activate(host),
    async turn(of) {
      const assembly = await assemble({ ...of, tools: [...defined.values()] })
      let unsafe: Promise<unknown> = Promise.resolve()
      return {
        assembly,
        call(name, args = {}, ctx = {}) {
          const call = () => run(assembly, name, args, ctx)
          // Absent means true.
          if (assembly.tools.find((tool) => tool.name === name)?.concurrencySafe !== false) return call()
          const result = unsafe.then(call)
          unsafe = result.catch(() => undefined)
          return result
        },
      }
    },
  }
  return host

  async function assemble(assembly: ToolAssembly): Promise<ToolAssembly> {
    let value = assembly
    for (const { id, run: filter } of filters) {
      if (id !== toolsFilter.id) continue
      try {
        value = (await filter(value)) as ToolAssembly // filters of this id take and return an assembly
      } catch (error) {
        thrown.push(error)
      }
    }
    return value
  }

  async function run(
    { tools: offered, cwd, conversationId, computerId, signal }: ToolAssembly,
    name: string,
    args: unknown,
    ctx: Partial<ToolExecuteContext>,
  ): Promise<ToolResult> {
    const tool = offered.find((each) => each.name === name)
    if (!tool) return { content: `Unknown tool: ${name}`, isError: true }
    return tool.execute(args, {
      toolCallId: 'call-1',
      onOutput: () => undefined,
      signal: signal ?? new AbortController().signal,
      conversationId,
      ...(cwd !== undefined && { cwd }),
      ...(computerId !== undefined && { computerId }),
      ...ctx,
    })
  }
}
