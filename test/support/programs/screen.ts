const ESC = '\u001B'
const SEQUENCE = new RegExp(`${ESC}\\[([?0-9;]*)([A-Za-z])|${ESC}[()][0-9A-B]|([^])`, 'gu')

/** Renders terminal output to lines, scrollback included, without trailing blanks. */
export function renderScreen(raw: string, columns: number): readonly string[] {
  const rows: string[][] = [[]]
  let [row, column] = [0, 0]
  const put = (char: string): void => {
    if (column >= columns) [row, column] = [row + 1, 0]
    const cells = (rows[row] ??= [])
    cells[column] = char
    column++
  }
  const eraseLine = (mode: number): void => {
    const cells = rows[row] ?? []
    if (mode === 0) cells.length = Math.min(cells.length, column)
    else if (mode === 1) cells.fill(' ', 0, column + 1)
    else cells.length = 0
  }
  const applyControl = (letter: string, given: string): void => {
    const count = Number(given || 1)
    if (letter === 'A') row = Math.max(0, row - count)
    else if (letter === 'B') row += count
    else if (letter === 'C') column = Math.min(columns - 1, column + count)
    else if (letter === 'D') column = Math.max(0, column - count)
    else if (letter === 'G') column = count - 1
    else if (letter === 'K') eraseLine(Number(given || 0))
    else if (letter === 'J') {
      eraseLine(0)
      rows.length = Math.min(rows.length, row + 1)
    }
  }
  for (const [, given = '', letter, char] of raw.matchAll(SEQUENCE)) {
    if (letter !== undefined) applyControl(letter, given)
    else if (char === '\r') column = 0
    else if (char === '\n') row++
    else if (char === '\b') column = Math.max(0, column - 1)
    else if (char !== undefined && char >= ' ') put(char)
  }
  return Array.from({ length: Math.max(rows.length, row + 1) }, (_, at) =>
    Array.from(rows[at] ?? [], (char) => char ?? ' ')
      .join('')
      .trimEnd(),
  )
}
