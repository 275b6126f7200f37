import type { Json, Tool, View } from '../../index.ts'
import type {
  DispatchHost,
  ToolAssembly,
  ToolContract,
  ToolExecuteContext,
  ToolResult,
} from './kernel-contracts.ts'
import {
  createResourceTool,
  messageOf,
  runResourceOp,
  toFailedResult,
  toParameters,
  toToolResult,
} from './tool-contracts.ts'
import type { Directories } from './working-directories.ts'
import type { Directory } from './working-directory.ts'

interface TurnToolsOptions {
  readonly defined: DefinedTools
  readonly directories: Directories
  readonly hasResourceTool: boolean
}

/**
 * The `execute` functions of our contracts. They identify a tool of ours that no filter has wrapped, also one defined by
 * an earlier activation.
 */
const executes = new WeakSet<ToolContract['execute']>()

/**
 * The servers' tools as Dispatch tools. Dispatch has one namespace for all working directories, so one name may stand
 * for two servers: a call goes to the server of the directory in which its turn runs.
 */
export class TurnTools {
  readonly #options: TurnToolsOptions
  readonly #contracts = new WeakMap<Tool, ToolContract>()
  readonly #defined = new WeakSet<Tool>()
  readonly #resourceTool: ToolContract
  #isResourceToolDefined = false

  constructor(options: TurnToolsOptions) {
    this.#options = options
    this.#resourceTool = createResourceTool((args, ctx) =>
      this.#run(ctx, undefined, async (directory) =>
        runResourceOp(await directory.view(ctx.conversationId), args, ctx.signal),
      ),
    )
    executes.add(this.#resourceTool.execute)
  }

  /** L9: called on connect and when a list changed. Unchanged tools are not defined again. Never throws. */
  define(directory: Directory): void {
    for (const tool of directory.tools()) {
      if (this.#defined.has(tool)) continue
      if (this.#tryDefine(this.#contractOf(tool, directory), directory)) this.#defined.add(tool)
    }
  }

  /** D3, D6: our tools that this turn may use, in the same order each turn. */
  async forTurn({
    tools,
    cwd,
    conversationId,
    computerId,
    signal,
  }: ToolAssembly): Promise<readonly ToolContract[]> {
    const { defined, directories } = this.#options
    // Servers run on this machine; a turn on another one does not work in this machine's directories.
    if (!cwd || computerId !== undefined) return []
    const before = defined.names()
    const directory = await directories.open(cwd)
    directories.recordTurn(conversationId, cwd)
    await directory.prepareTurn(signal)
    this.define(directory)
    const view = await directory.view(conversationId)
    const offered = directory.toolsOf(view).map((tool) => this.#contractOf(tool, directory))
    const present = new Map(tools.map((tool) => [tool.name, tool]))
    return [...offered, ...this.#resources(view, directory)]
      .filter(({ name }) => defined.has(name))
      .flatMap((contract) => {
        const given = present.get(contract.name)
        // A missing tool was removed by another filter and stays out, unless this turn defined it: then no filter saw it.
        if (!given) return before.has(contract.name) ? [] : [contract]
        const { description, parameters } = contract
        return [executes.has(given.execute) ? contract : { ...given, description, parameters }]
      })
  }

  /** D21: the tool is defined as soon as a server offers a resource. */
  #resources(view: View, directory: Directory): readonly ToolContract[] {
    if (!this.#options.hasResourceTool || view.resources().length === 0) return []
    if (!this.#isResourceToolDefined)
      this.#isResourceToolDefined = this.#tryDefine(this.#resourceTool, directory)
    return [this.#resourceTool]
  }

  /**
   * Defines a tool. `true` if that is final: defined, or its name is taken, which is logged once. `false` if Dispatch
   * rejected it, and then the next turn tries again.
   */
  #tryDefine(contract: ToolContract, directory: Directory): boolean {
    const { name } = contract
    try {
      if (!this.#options.defined.define(contract))
        directory.log(
          'warn',
          `"${name}" is a tool of Dispatch itself; the MCP tool of that name is not offered.`,
        )
      return true
    } catch (error) {
      directory.log('error', `"${name}" could not be defined: ${messageOf(error)}`)
      return false
    }
  }

  #contractOf(tool: Tool, directory: Directory): ToolContract {
    const known = this.#contracts.get(tool)
    if (known) return known
    const { name, description, inputSchema } = tool
    const contract: ToolContract = {
      name,
      description,
      parameters: toParameters(inputSchema),
      execute: (args, ctx) =>
        this.#run(ctx, directory.cwd, async (target) => {
          const view = await target.view(ctx.conversationId)
          return toToolResult(await view.call(name, args as Json, { signal: ctx.signal, isSerial: true })) // a model's arguments are JSON
        }),
      // D19
      concurrencySafe: false,
    }
    this.#contracts.set(tool, contract)
    executes.add(contract.execute)
    return contract
  }

  /** Runs a call in the directory of its turn. Errors become failed results; a tool never throws. */
  async #run(
    ctx: ToolExecuteContext,
    definedIn: string | undefined,
    work: (directory: Directory) => Promise<ToolResult>,
  ): Promise<ToolResult> {
    if (ctx.computerId !== undefined) return remoteTurnResult
    let redact = (text: string) => text
    try {
      const directory = await this.#options.directories.forCall(ctx, definedIn)
      redact = directory.redact
      if (!directory.isUsed) await directory.prepareTurn(ctx.signal)
      return await work(directory)
    } catch (error) {
      return toFailedResult(error, redact)
    }
  }
}

const remoteTurnResult: ToolResult = {
  content: 'MCP servers run on the machine of Dispatch, and this turn runs on another one.',
  isError: true,
}

type Namespace = Pick<DispatchHost, 'defineTool' | 'getTools'>

/** The names defined per Dispatch host. Dispatch cannot remove a tool, so they outlive the extension that defined them. */
const namesByHost = new WeakMap<Namespace, Set<string>>()

/** All tools we ever defined in Dispatch's one namespace. */
export class DefinedTools {
  readonly #host: Namespace
  readonly #names: Set<string>

  constructor(host: Namespace) {
    this.#host = host
    this.#names = namesByHost.get(host) ?? new Set()
    namesByHost.set(host, this.#names)
  }

  /** `false` if the name is taken: Dispatch's own tools keep theirs (C11). */
  define(tool: ToolContract): boolean {
    const { name } = tool
    if (!this.#names.has(name) && this.#host.getTools().has(name)) return false
    this.#host.defineTool(tool)
    this.#names.add(name)
    return true
  }

  has(name: string): boolean {
    return this.#names.has(name)
  }

  /** A copy of the current names. */
  names(): ReadonlySet<string> {
    return new Set(this.#names)
  }

  /** The tools of Dispatch and its other extensions. */
  native(): readonly Pick<ToolContract, 'name' | 'description'>[] {
    return [...this.#host.getTools().values()].filter(({ name }) => !this.#names.has(name))
  }
}
