import type { DispatchHost, ToolContract } from './kernel-contracts.ts'

type Namespace = Pick<DispatchHost, 'defineTool' | 'getTools'>

/** Nothing can be taken back there, so what is ours outlives the extension that defined it. */
const definedIn = new WeakMap<Namespace, Set<string>>()

/** What was ever defined by us in Dispatch's one namespace. */
export class Definitions {
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
