import { isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'

/** What is being typed: an argument of a prompt, or a name in the template of a resource. */
export type Completing = {
  readonly server: string
  readonly argument: string
  /** What is there of it so far. */
  readonly value: string
  /** What the others have been given already. */
  readonly known?: Readonly<Record<string, string>>
} & ({ readonly prompt: string } | { readonly template: string })

export interface Completion {
  /** The best first. */
  readonly values: readonly string[]
  /** How many there are in all, where the server says so. */
  readonly total?: number
  readonly hasMore: boolean
}

export const noCompletion: Completion = { values: [], hasMore: false }

/** No server may send more at once. */
const mostValues = 100

/** The parameters of `completion/complete`. */
export function toCompletionParams(completing: Completing): JsonObject {
  const { argument, value, known } = completing
  const ref =
    'prompt' in completing
      ? { type: 'ref/prompt', name: completing.prompt }
      : { type: 'ref/resource', uri: completing.template }
  return { ref, argument: { name: argument, value }, ...(known && { context: { arguments: known } }) }
}

/** The answer to `completion/complete`. */
export function readCompletion(result: Json): Completion {
  const said = isObject(result) ? result['completion'] : undefined
  if (!isObject(said) || !Array.isArray(said['values'])) return noCompletion
  const { total, hasMore } = said
  const values = (said['values'] as readonly Json[]).filter((each) => typeof each === 'string') // isArray does not narrow a readonly union
  return {
    values: values.slice(0, mostValues),
    ...(typeof total === 'number' && { total }),
    hasMore: hasMore === true || values.length > mostValues,
  }
}
