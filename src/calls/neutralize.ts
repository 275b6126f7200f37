import { removeHidden } from '../model/hidden.ts'

/**
 * What steers a terminal, turns text around or hides it from the person who reads along is taken out of what a model gets,
 * and a last line says so (T16, T17). What writing needs stays: joiners, marks of direction, emoji with all their parts.
 */
export function neutralize(text: string): string {
  const { text: clean, removed } = removeHidden(text)
  if (removed.length === 0) return clean
  return `${clean}\n[hidden characters were removed: ${removed.join(', ')}]`
}
