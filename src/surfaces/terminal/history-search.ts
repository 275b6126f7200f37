import { escapeLine } from './escape.ts'

/** Ctrl-R: searches the lines typed before. */
export interface HistorySearch {
  readonly mark: () => string
  /** When the search ends: the keys that no longer belong to it. */
  press(text: string): string | undefined
}

interface SearchCallbacks {
  /** Called with the current match. */
  onMatch(this: void, match: string | undefined): void
  /** Called when the search ends, with the match kept or dropped. Returns the keys that are still unhandled. */
  onDone(this: void, outcome: 'kept' | 'dropped', rest: string): string
}

const CTRL_R = '\u0012'
const DROPS = ['\u0003', '\u0007']
const ERASES = ['\u007F', '\b']

export function createHistorySearch(
  history: readonly string[],
  { onMatch, onDone }: SearchCallbacks,
): HistorySearch {
  let query = ''
  let skipped = 0
  const matches = () => history.filter((line) => line.includes(query))
  const showMatch = (): void => onMatch(query === '' ? undefined : matches()[skipped])
  return {
    mark: () => `(find "${escapeLine(query)}") `,
    press(text) {
      for (const [at, key] of Array.from(text).entries()) {
        const rest = Array.from(text)
          .slice(at + 1)
          .join('')
        if (DROPS.includes(key)) return onDone('dropped', rest)
        if (key === CTRL_R) skipped = Math.min(skipped + 1, Math.max(0, matches().length - 1))
        else if (ERASES.includes(key)) [query, skipped] = [query.slice(0, -1), 0]
        // Enter runs the match; an arrow or another control key edits it.
        else if (key < ' ') return onDone('kept', key + rest)
        else [query, skipped] = [query + key, 0]
      }
      showMatch()
      return undefined
    },
  }
}
