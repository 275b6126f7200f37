/** What is being typed after `/` or `@`, with its place in the text. */
export interface Trigger {
  readonly sign: '/' | '@'
  readonly words: string
  readonly from: number
  readonly to: number
}

/** `/` counts at the beginning of a message, `@` at the beginning of a word. */
export function readTrigger(text: string, caret: number): Trigger | undefined {
  const before = text.slice(0, caret)
  const found = /^(\/)([^\s/]*)$/.exec(before) ?? /(?:^|\s)(@)([^\s@]*)$/.exec(before)
  if (!found) return undefined
  const [, sign = '', words = ''] = found
  return { sign: sign === '/' ? '/' : '@', words, from: caret - words.length - 1, to: caret }
}

/** The text with the typed word replaced, and where the caret is then. */
export function replaceTrigger(
  text: string,
  { from, to }: Trigger,
  by: string,
): { readonly text: string; readonly caret: number } {
  return { text: text.slice(0, from) + by + text.slice(to), caret: from + by.length }
}

export interface Suggestion {
  readonly key: string
  readonly label: string
  readonly detail: string
}

const maxShown = 8

/** Those that contain all typed words, the ones that begin with them first. */
export function matching<T extends Suggestion>(all: readonly T[], words: string): readonly T[] {
  const typed = words.toLowerCase()
  const rank = ({ label, detail, key }: T): number => {
    const name = label.toLowerCase()
    if (name.startsWith(typed)) return 0
    if (name.includes(typed)) return 1
    return `${key} ${detail}`.toLowerCase().includes(typed) ? 2 : 3
  }
  return all
    .map((each) => ({ each, at: rank(each) }))
    .filter(({ at }) => at < 3)
    .sort((one, other) => one.at - other.at)
    .slice(0, maxShown)
    .map(({ each }) => each)
}
