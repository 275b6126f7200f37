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

/** By these a tool of ours is known that nobody has wrapped, also one of an extension that was active before. */
const executes = new WeakSet<ToolContract['execute']>()

/**
 * The servers' tools as Dispatch's. Its namespace is one for all working directories: a name may stand for two servers
 * there, so a call goes to the server of the directory in which its turn runs.
 */
export class TurnTools {
  readonly #options: TurnToolsOptions
  readonly #contracts = new WeakMap<Tool, ToolContract>()
  readonly #defined = new WeakSet<Tool>()
  readonly #resourceTool: ToolContract
  #isResourceToolSettled = false

  constructor(options: TurnToolsOptions) {
    this.#options = options
    this.#resourceTool = createResourceTool((args, ctx) =>
      this.#run(ctx, undefined, async (directory) =>
        runResourceOp(await directory.view(ctx.conversationId), args, ctx.signal),
      ),
    )
    executes.add(this.#resourceTool.execute)
  }

  /** L9: on connect and whenever a list changed; what is as it was is not defined again. Never throws. */
  define(directory: Directory): void {
    for (const tool of directory.tools()) {
      if (this.#defined.has(tool)) continue
      if (this.#settle(this.#contractOf(tool, directory), directory)) this.#defined.add(tool)
    }
  }

  /** D3, D6: what this turn may use of ours, in an order that does not change from turn to turn. */
  async forTurn({
    tools,
    cwd,
    conversationId,
    computerId,
    signal,
  }: ToolAssembly): Promise<readonly ToolContract[]> {
    const { defined, directories } = this.#options
    // Servers run on this machine, and a turn that does not has nothing to do with its folders.
    if (!cwd || computerId !== undefined) return []
    const before = defined.names()
    const directory = await directories.of(cwd)
    directories.hasTurn(conversationId, cwd)
    await directory.begin(signal)
    this.define(directory)
    const view = await directory.view(conversationId)
    const offered = directory.toolsOf(view).map((tool) => this.#contractOf(tool, directory))
    const present = new Map(tools.map((tool) => [tool.name, tool]))
    return [...offered, ...this.#resources(view, directory)]
      .filter(({ name }) => defined.has(name))
      .flatMap((contract) => {
        const given = present.get(contract.name)
        // What another filter took out stays out; what this turn brought was in nobody's hands yet.
        if (!given) return before.has(contract.name) ? [] : [contract]
        const { description, parameters } = contract
        return [executes.has(given.execute) ? contract : { ...given, description, parameters }]
      })
  }

  /** D21: defined as soon as there is something to read. */
  #resources(view: View, directory: Directory): readonly ToolContract[] {
    if (!this.#options.hasResourceTool || view.resources().length === 0) return []
    if (!this.#isResourceToolSettled)
      this.#isResourceToolSettled = this.#settle(this.#resourceTool, directory)
    return [this.#resourceTool]
  }

  /** Defines a tool; one whose name is taken is told of once, one that Dispatch would not take is tried again. */
  #settle(contract: ToolContract, directory: Directory): boolean {
    const { name } = contract
    try {
      if (!this.#options.defined.define(contract))
        directory.say('warn', `"${name}" is a tool of Dispatch itself; the one of MCP is not offered.`)
      return true
    } catch (error) {
      directory.say('error', `"${name}" could not be defined: ${messageOf(error)}`)
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
        this.#run(ctx, directory.cwd, async (meant) => {
          const view = await meant.view(ctx.conversationId)
          return toToolResult(await view.call(name, args as Json, { signal: ctx.signal })) // a model's answer was JSON
        }),
      // D19
      concurrencySafe: false,
    }
    this.#contracts.set(tool, contract)
    executes.add(contract.execute)
    return contract
  }

  /** Nothing is thrown out of a tool. */
  async #run(
    ctx: ToolExecuteContext,
    own: string | undefined,
    work: (directory: Directory) => Promise<ToolResult>,
  ): Promise<ToolResult> {
    if (ctx.computerId !== undefined) return elsewhere
    let redact = (text: string) => text
    try {
      const directory = await this.#options.directories.ofCall(ctx, own)
      redact = directory.redact
      if (!directory.isUsed) await directory.begin(ctx.signal)
      return await work(directory)
    } catch (error) {
      return toFailedResult(error, redact)
    }
  }
}

const elsewhere: ToolResult = {
  content: 'MCP servers run on the machine of Dispatch, and this turn runs on another one.',
  isError: true,
}

type Namespace = Pick<DispatchHost, 'defineTool' | 'getTools'>

/** Nothing can be taken back there, so what is ours outlives the extension that defined it. */
const definedIn = new WeakMap<Namespace, Set<string>>()

/** What was ever defined by us in Dispatch's one namespace. */
export class DefinedTools {
  readonly #host: Namespace
  readonly #names: Set<string>

  constructor(host: Namespace) {
    this.#host = host
    this.#names = definedIn.get(host) ?? new Set()
    definedIn.set(host, this.#names)
  }

  /** C11: a tool of Dispatch's own keeps its name; `false` then. */
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

  /** As they are now. */
  names(): ReadonlySet<string> {
    return new Set(this.#names)
  }

  /** The tools of Dispatch and its other extensions. */
  native(): readonly Pick<ToolContract, 'name' | 'description'>[] {
    return [...this.#host.getTools().values()].filter(({ name }) => !this.#names.has(name))
  }
}
