import { nearest } from '../model/near.ts'

/** Comparing words costs the product of their lengths, and both may be a stranger's. */
const maxLength = 64
const maxWords = 2000

/** The words that may have been meant; cheap however many and however long they are. */
export function near(word: string, candidates: readonly string[]): readonly string[] {
  if (word.length > maxLength) return []
  const reach = Math.max(1, Math.floor(word.length / 3))
  const similar = candidates.filter(
    (each) =>
      each.length <= maxLength && (Math.abs(each.length - word.length) <= reach || each.startsWith(word)),
  )
  return nearest(word, similar.slice(0, maxWords))
}

/** `; did you mean "state"?`, or nothing. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const [best] = near(word, candidates)
  return best === undefined ? '' : `; did you mean ${JSON.stringify(best)}?`
}
