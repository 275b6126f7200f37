/** A line of bash input, up to the cursor. */
export interface BashLine {
  /** The arguments bash would pass, the last one unfinished; empty where a file name is expected. */
  readonly words: readonly string[]
  /** The text that replaces the part bash considers the last word, for a proposed whole word. */
  toReply(this: void, word: string): string
}

type Quote = '"' | "'" | ''

/** Characters that are special to bash outside quotes. */
const special = /[\s!"#$&'()*;<>?[\\\]^`{|}~]/g

/**
 * Splits a line as bash does. `breaks` (COMP_WORDBREAKS) are characters such as `=` and `:` that end a word only for
 * completion: in `city=New` bash replaces the text after `=`, and inside an open quote the text after the quote.
 */
export function readBashLine(line: string, breaks: string): BashLine {
  const words: string[] = []
  let word: string | undefined
  let isFile = false
  let quote: Quote = ''
  let [broken, opened] = [0, 0]
  const add = (text: string) => (word = (word ?? '') + text)
  const finish = () => {
    if (word !== undefined && !isFile) words.push(word)
    if (word !== undefined) isFile = false
    word = undefined
    broken = 0
  }
  for (let at = 0; at < line.length; at++) {
    const char = line[at] ?? ''
    if (quote === '' && /\s/.test(char)) finish()
    else if (quote === '' && (char === '<' || char === '>')) {
      finish()
      isFile = true
    } else if (char === '\\' && isEscape(quote, line[at + 1])) add(line[++at] ?? '')
    else if (quote === char) quote = ''
    else if (quote === '' && (char === '"' || char === "'")) {
      quote = char
      opened = add('').length
    } else {
      add(char)
      if (quote === '' && breaks.includes(char)) broken = word?.length ?? 0
    }
  }
  const kept = quote === '' ? broken : opened
  return {
    words: isFile ? [] : [...words, word ?? ''].slice(1),
    toReply: (proposed) => quoted(proposed.slice(kept), quote),
  }
}

function isEscape(quote: Quote, next = ''): boolean {
  return quote === '' || (quote === '"' && /["\\$`]/.test(next))
}

function quoted(text: string, quote: Quote): string {
  if (quote === "'") return text.replaceAll("'", `'\\''`)
  return text.replace(quote === '"' ? /["\\$`]/g : special, '\\$&')
}
