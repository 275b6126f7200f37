import type { CompiledLayer } from './layers.ts'
import { explainWrites } from './read-only.ts'
import type { Subject } from './read-only.ts'

/** The rule of `asks: 'writes'`: a call of a tool asks, unless the tool is declared read-only or a person's rule allows it. */
export interface AskWrites {
  /** The lists of servers whose read-only declarations count. A server has to be in all of them. */
  readonly believes: readonly (readonly string[])[]
  /** The settings of the person, where a rule can allow a tool; absent if they are not read. */
  readonly file?: string | undefined
}

/** The key of this question in an approval. An approval of a rule's question does not cover it, nor the reverse. */
export const writesCondition = 'writes'

export function askWritesOf(layers: readonly CompiledLayer[], file: string | undefined): AskWrites {
  return {
    believes: layers.flatMap(({ layer }) => (layer.readOnly?.believes ? [layer.readOnly.believes] : [])),
    file,
  }
}

/** Why a call of the tool asks; undefined if the tool is declared read-only. */
export function reasonToAsk(tool: Subject, { believes }: AskWrites): string | undefined {
  return explainWrites(tool, (server) => believes.every((list) => list.includes(server)))
}

/** A rule of the person that would allow a tool, and the file where it belongs. */
export interface AllowingRule {
  readonly rule: { readonly effect: 'allow'; readonly tools: readonly string[] }
  readonly file?: string
}

/** `undefined`: no pattern means just this tool, because `!` at the start of its name would deny it. */
export function allowingRule({ ref, name }: Subject, { file }: AskWrites): AllowingRule | undefined {
  const pattern = ref ?? name
  if (pattern.startsWith('!')) return undefined
  return { rule: { effect: 'allow', tools: [pattern] }, ...(file !== undefined && { file }) }
}

/** The sentence that tells a person how to allow the tool for good. */
export function hintToAllow({ rule, file }: AllowingRule): string {
  const text = `{ "effect": "allow", "tools": ${JSON.stringify(rule.tools)} }`
  return file === undefined
    ? `To allow it, add the rule ${text} to the option "policy".`
    : `To allow it, add the rule ${text} to "rules" in ${file}`
}
