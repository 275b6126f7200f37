import { HostError } from '../model/error.ts'
import { isObject } from '../model/json.ts'

/** What the `run` of one API reads. */
export interface RunInput {
  /** The accepted values, for the message of the error. */
  readonly accepted: string
  /** Types of items that belong to another API. */
  readonly foreign: readonly string[]
}

/** The list a program passed to `run`, or the one in the reply that it passed. */
export function listIn(given: unknown, member: string): unknown {
  return isObject(given) ? given[member] : given
}

/**
 * Checks that the list in a given value is one of items with a type. Everything else is refused: an empty answer would end the program's
 * loop as if the model had called nothing. A type that an SDK adds later passes; the adapters look only at calls.
 */
export function typedItems(
  list: unknown,
  { accepted, foreign }: RunInput,
  given: unknown,
): readonly object[] {
  const isReadable =
    Array.isArray(list) &&
    list.every(
      (item) => isObject(item) && typeof item['type'] === 'string' && !foreign.includes(item['type']),
    )
  if (!isReadable) throw unreadable({ accepted }, given)
  return list as readonly object[]
}

/** The hint is for a program that passed a list which the reply does not have. */
export function unreadable({ accepted }: Pick<RunInput, 'accepted'>, given: unknown): HostError<'usage'> {
  const isMissing = given === undefined || given === null
  const hint = isMissing && { hint: 'A reply without calls has no list of calls: pass the reply itself.' }
  return new HostError('usage', {}, `run cannot read this value. It takes ${accepted}.`, { ...hint })
}

/** Refuses a call that lacks one of these texts, such as a part of a streamed one. */
export function requireTexts(input: RunInput, ...texts: readonly unknown[]): void {
  if (!texts.every((text) => typeof text === 'string')) throw unreadable(input, texts)
}
