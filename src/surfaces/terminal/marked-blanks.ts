/** Also the blank pattern of Braille, which looks like a blank and is none. */
const manyBlanks = /(?<=[^\p{Zs}\u2800])[\p{Zs}\u2800]{4,}/gu

/**
 * Writes a run of blanks as its number, `␠×1830`: blanks that fill a screen could push what a decision is about out of sight
 * (T10). The indentation of a line stays.
 */
export function markBlanks(line: string): string {
  return line.replace(manyBlanks, (run) => `␠×${run.length}`)
}
