import { escapeLine } from './escape.ts'

/** Ctrl-R: looks for a line among those typed before. */
export interface HistorySearch {
  readonly mark: () => string
  /** What was not for the search any more, when it ended. */
  press(text: string): string | undefined
}

interface Hooks {
  /** The best line so far. */
  show(this: void, match: string | undefined): void
  /** It is over: the line found is kept or dropped. Returns what is left of the rest of the keys. */
  done(this: void, outcome: 'kept' | 'dropped', rest: string): string
}

const CTRL_R = '\u0012'
const DROPS = ['\u0003', '\u0007']
const ERASES = ['\u007F', '\b']

export function createHistorySearch(history: readonly string[], { show, done }: Hooks): HistorySearch {
  let wanted = ''
  let skipped = 0
  const matches = () => history.filter((line) => line.includes(wanted))
  const look = (): void => show(wanted === '' ? undefined : matches()[skipped])
  return {
    mark: () => `(find "${escapeLine(wanted)}") `,
    press(text) {
      for (const [at, key] of Array.from(text).entries()) {
        const rest = Array.from(text)
          .slice(at + 1)
          .join('')
        if (DROPS.includes(key)) return done('dropped', rest)
        if (key === CTRL_R) skipped = Math.min(skipped + 1, Math.max(0, matches().length - 1))
        else if (ERASES.includes(key)) [wanted, skipped] = [wanted.slice(0, -1), 0]
        // Enter runs what was found; an arrow or any other such key goes on from there.
        else if (key < ' ') return done('kept', key + rest)
        else [wanted, skipped] = [wanted + key, 0]
      }
      look()
      return undefined
    },
  }
}
