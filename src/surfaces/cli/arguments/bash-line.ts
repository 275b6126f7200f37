/** A line that somebody types in bash, as far as the cursor. */
export interface BashLine {
  /** What bash would pass on, the last word unfinished; none where the name of a file is expected. */
  readonly words: readonly string[]
  /** What is to stand in place of what bash takes for the last word, for a whole word that is proposed. */
  toReply(this: void, word: string): string
}

type Quote = '"' | "'" | ''

/** What means something else to bash where nothing quotes it. */
const special = /[\s!"#$&'()*;<>?[\\\]^`{|}~]/g

/**
 * Reads it as bash does. `breaks` (COMP_WORDBREAKS) are signs such as `=` and `:` that end a word only for completion: of
 * `city=New` bash replaces what is behind the sign, and of an open quote what is behind that.
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
