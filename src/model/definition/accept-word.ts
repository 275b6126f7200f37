import type { Json } from '../json.ts'

/** How definitions are accepted, from the least strict on. */
export const acceptWords = ['off', 'tofu', 'strict'] as const
export type AcceptWord = (typeof acceptWords)[number]

/** The word in a settings file; one that cannot be read counts as the strictest. */
export function acceptWordOf(value: Json): AcceptWord {
  return acceptWords.find((each) => each === value) ?? 'strict'
}
