import { isEqual } from '../model/json.ts'
import type { ToolDefinition } from '../model/tool.ts'
import type { Claim } from './naming.ts'
import { OfferedTool } from './offered-tool.ts'
import type { Offering } from './offered-tool.ts'

/** One tool of one server for as long as the server has it: it keeps its claim to a name whatever its definition says. */
export class Entry implements Claim {
  readonly server: string
  readonly tool: string
  readonly plain: string
  readonly isExact: boolean
  name = ''
  #definition: ToolDefinition
  #offering: Offering
  #offered: OfferedTool | undefined

  constructor({ server, tool, plain, isExact }: Claim, definition: ToolDefinition, offering: Offering) {
    this.server = server
    this.tool = tool
    this.plain = plain
    this.isExact = isExact
    this.#definition = definition
    this.#offering = offering
  }

  /** The tool as it is offered now; the same object for as long as nothing about it changes. */
  get offered(): OfferedTool {
    const known = this.#offered
    if (known?.name === this.name) return known
    return (this.#offered =
      known?.named(this.name) ?? new OfferedTool(this.#definition, this.name, this.#offering))
  }

  /** Whether that says anything new. The same in another order of keys does not: a model is shown what it was shown. */
  define(definition: ToolDefinition, offering: Offering): boolean {
    const isSame = this.#offering.parallel === offering.parallel && isEqual(this.#definition, definition)
    if (isSame) return false
    this.#definition = definition
    this.#offering = offering
    this.#offered = undefined
    return true
  }
}
