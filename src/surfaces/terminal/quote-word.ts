import { escapeLine } from './escape.ts'

/** Words that need no quotes. Only a flag may contain an equals sign: a first word with one would set a variable. */
const PLAIN = /^(?:[\w@%+:,./-]+|-[\w@%+:,./=-]+)$/

/** Writes a word with the escapes that its quotes need. */
type WriteWord = (word: string, escape: (piece: string) => string) => string

/** Quotes a word so that its end is clear, and in $'…' a literal backslash is told from an escape sequence. */
export function quoteWord(word: string, write: WriteWord = (text, escape) => escape(text)): string {
  if (escapeLine(word) !== word)
    return `$'${write(word, (piece) => escapeLine(piece.replace(/[\\']/g, '\\$&')))}'`
  if (PLAIN.test(word)) return write(word, (piece) => piece)
  return `'${write(word, (piece) => piece.replaceAll("'", `'\\''`))}'`
}
