import { nearest } from '../model/near.ts'

/** `; did you mean "state"?`, or nothing. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const [best] = nearest(word, candidates)
  return best === undefined ? '' : `; did you mean ${JSON.stringify(best)}?`
}
