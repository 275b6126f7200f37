// Patterns with Unicode classes are compiled when needed: looking up the classes takes longer than a short run.

/** Matches a cell: a character of one or two columns with its combining marks. A line may be cut between cells. */
const cellPattern = () =>
  /\p{Regional_Indicator}{2}|\p{Emoji_Modifier_Base}\uFE0F?\p{Emoji_Modifier}|[^][\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}\u1160-\u11FF\uD7B0-\uD7FB]*/gu

/** East Asian Wide and Fullwidth, and emoji. In doubt wide: a line that is too short does no harm. */
const widePattern = () =>
  /[\u1100-\u115F\u2329\u232A\u2630-\u2637\u268A-\u268F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE10-\uFE19\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{16FE0}-\u{18DFF}\u{1AFF0}-\u{1B2FF}\u{1D300}-\u{1D376}\u{1F200}-\u{1F265}\u{1F900}-\u{1F9FF}\u{1FA70}-\u{1FAFF}\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}|\uFE0F/u

const zeroWidthPattern = () =>
  /^[\p{Mn}\p{Me}\p{Cc}\p{Default_Ignorable_Code_Point}\u1160-\u11FF\uD7B0-\uD7FB]/u
const ASCII = /^[ -~]*$/
const TAB_WIDTH = 8

/** The number of columns of one line of plain text. A tab counts with its maximum of 8. */
export function displayWidth(text: string): number {
  if (ASCII.test(text)) return text.length
  return cellsOf(text).reduce((sum, cell) => sum + cellWidth(cell), 0)
}

export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)))
}

/** Returns the text, or as much of its start as fits before an ellipsis. */
export function truncate(text: string, width: number): string {
  if (displayWidth(text) <= width) return text
  return width < 1 ? '' : `${takeCells(text, width - 1)}…`
}

/**
 * Breaks a text into lines no wider than `width`, between words, and inside a word only if it is wider than a line. Its own
 * line ends stay; blanks at a break are dropped. The minimum is two columns, which hold every character.
 */
export function wrap(text: string, width: number): readonly string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, Math.max(2, width)))
}

function wrapLine(text: string, width: number): readonly string[] {
  if (displayWidth(text) <= width) return [text]
  const lines: string[] = []
  let line = ''
  for (const { blanks, word } of wordsOf(text)) {
    if (displayWidth(line + blanks + word) <= width) {
      line += blanks + word
      continue
    }
    if (line !== '') lines.push(line)
    const pieces = splitWord(word, width)
    for (const piece of pieces.slice(0, -1)) lines.push(piece)
    line = pieces.at(-1) ?? ''
  }
  return [...lines, line]
}

function wordsOf(text: string): readonly { readonly blanks: string; readonly word: string }[] {
  return [...text.matchAll(/([ \t]*)([^ \t]+)/g)].map(([, blanks = '', word = '']) => ({ blanks, word }))
}

function splitWord(word: string, width: number): readonly string[] {
  const pieces: string[] = []
  let piece = ''
  let used = 0
  for (const cell of cellsOf(word)) {
    used += cellWidth(cell)
    if (used > width) {
      pieces.push(piece)
      piece = ''
      used = cellWidth(cell)
    }
    piece += cell
  }
  return [...pieces, piece]
}

function takeCells(text: string, width: number): string {
  let taken = ''
  let left = width
  for (const cell of cellsOf(text)) {
    left -= cellWidth(cell)
    if (left < 0) break
    taken += cell
  }
  return taken
}

function cellsOf(text: string): readonly string[] {
  return text.match(cellPattern()) ?? []
}

function cellWidth(cell: string): number {
  if (cell === '\t') return TAB_WIDTH
  if (zeroWidthPattern().test(cell)) return 0
  return widePattern().test(cell) ? 2 : 1
}
