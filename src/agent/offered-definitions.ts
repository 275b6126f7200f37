import { compileTools } from '../adapters/compiled-tools.ts'
import type { CompiledTool } from '../adapters/compiled-tools.ts'
import type { Provider, Tool, View } from '../index.ts'
import type { AgentLimits, OfferedDefinitions } from './agent-options.ts'
import { estimateToolTokens } from '../models/tokens.ts'
import type { jsonSchema as JsonSchema, ToolSet } from './model-step.ts'

/** The tools as a model gets them. The same object is returned as long as they are the same. */
export interface Definitions extends OfferedDefinitions {
  readonly tools: ToolSet
  readonly byName: ReadonlyMap<string, CompiledTool>
  /** Why the mode is `search`, and which tools the provider does not take. */
  readonly reason?: string
}

export interface DefinitionChange {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly string[]
}

export interface DefinitionOptions {
  readonly view: Pick<View, 'tools'>
  readonly provider: Provider
  readonly window: number
  readonly limits: Pick<AgentLimits, 'tools' | 'toolShare'>
  readonly jsonSchema: typeof JsonSchema
}

/** In search mode until the tools are well below the limit, so that one tool more or less does not change everything. */
const leaveShare = 0.8

/**
 * The definitions of a view's tools, byte for byte the same between steps while the tools are: in the order of their
 * names, and a tool that was listed again with an equal hash keeps the text it had. A provider's cache holds as long.
 */
export class DefinitionSource {
  readonly #options: DefinitionOptions
  #listed: readonly Tool[] = []
  #current: Definitions | undefined
  #announced: Definitions | undefined
  #isSearching = false

  constructor(options: DefinitionOptions) {
    this.#options = options
  }

  current(): Definitions {
    const all = this.#options.view.tools({ skills: true })
    if (this.#current && isSame(all, this.#listed)) return this.#current
    const before = this.#current
    this.#listed = all
    const definitions = this.#define(all, before)
    if (before && isEmpty(changeBetween(before, definitions)) && before.mode === definitions.mode)
      return before
    this.#current = definitions
    return definitions
  }

  /** What changed since the last time that this was asked. */
  takeChange(): DefinitionChange | undefined {
    const definitions = this.current()
    if (definitions === this.#announced) return undefined
    const change = changeBetween(this.#announced, definitions)
    this.#announced = definitions
    return change
  }

  #define(all: readonly Tool[], before: Definitions | undefined): Definitions {
    const { view, limits, window } = this.#options
    const share = this.#isSearching ? leaveShare : 1
    const every = all.length > limits.tools * share ? undefined : this.#compile(all)
    const reason = every
      ? tooHeavy(every.tokens, limits.toolShare * window * share)
      : tooMany(all, limits.tools * share)
    this.#isSearching = reason !== undefined
    const { compiled, left } =
      every && reason === undefined ? every : this.#compile(view.tools({ mode: 'search', skills: true }))
    const kept = compiled.map((each) => keepUnchanged(each, before))
    const reasons = [...(reason === undefined ? [] : [reason]), ...left]
    return {
      tools: Object.fromEntries(kept.map((each) => [each.name, this.#toSdkTool(each)])),
      byName: new Map(kept.map((each) => [each.name, each])),
      count: kept.length,
      tokens: weightOf(kept),
      mode: this.#isSearching ? 'search' : 'all',
      ...(reasons.length > 0 && { reason: reasons.join(' ') }),
    }
  }

  #compile(tools: readonly Tool[]) {
    const left: string[] = []
    const compiled = compileTools([...tools].sort(byName), [this.#options.provider], {
      onLeftOut: ({ name }, reason) => left.push(`${name} is left out: ${reason}.`),
    })
    return { compiled, left, tokens: weightOf(compiled) }
  }

  #toSdkTool({ tool: { description }, schema }: CompiledTool): ToolSet[string] {
    return { description, inputSchema: this.#options.jsonSchema({ ...schema }) }
  }
}

/** What definitions weigh in every request. A tool is weighed once. */
const weights = new WeakMap<Tool, number>()
function weightOf(compiled: readonly CompiledTool[]): number {
  return compiled.reduce((sum, { name, tool, schema }) => {
    const { description } = tool
    const weight = weights.get(tool) ?? estimateToolTokens({ name, description, schema })
    weights.set(tool, weight)
    return sum + weight
  }, 0)
}

function tooMany(tools: readonly Tool[], limit: number): string | undefined {
  if (tools.length <= limit) return undefined
  return `There are ${tools.length} tools, more than ${Math.floor(limit)}: the model searches for them.`
}

function tooHeavy(tokens: number, limit: number): string | undefined {
  if (tokens <= limit) return undefined
  return `The tools weigh about ${tokens} tokens, more than ${Math.floor(limit)}: the model searches for them.`
}

function keepUnchanged(compiled: CompiledTool, before: Definitions | undefined): CompiledTool {
  const earlier = before?.byName.get(compiled.name)
  return earlier && isEqual(earlier, compiled) ? earlier : compiled
}

function changeBetween(before: Definitions | undefined, after: Definitions): DefinitionChange {
  const names = [...after.byName.keys()]
  const earlier = before?.byName ?? new Map<string, CompiledTool>()
  return {
    added: names.filter((name) => !earlier.has(name)),
    removed: [...earlier.keys()].filter((name) => !after.byName.has(name)),
    changed: names.filter((name) => earlier.has(name) && earlier.get(name) !== after.byName.get(name)),
  }
}

/** The host's own tools have no hash; their texts change with the servers. */
function isEqual({ tool: one }: CompiledTool, { tool: other }: CompiledTool): boolean {
  return one.ref === other.ref && one.hash === other.hash && one.description === other.description
}

function isSame(list: readonly Tool[], other: readonly Tool[]): boolean {
  return list.length === other.length && list.every((tool, at) => tool === other[at])
}

function isEmpty({ added, removed, changed }: DefinitionChange): boolean {
  return added.length + removed.length + changed.length === 0
}

function byName({ name: one }: Tool, { name: other }: Tool): number {
  return one < other ? -1 : one > other ? 1 : 0
}
