import { Lexer } from 'marked'
import type { Token } from 'marked'

/** Longer text is not parsed. */
const maxText = 200_000
/** A longer run of inline text is not parsed: the time of emphasis grows with the square of its length. */
const maxInline = 4000
/** Deeper nesting of quotes and lists on one line is not parsed: the lexer recurses for each level. */
const maxNesting = 20

const inlineMarks = /[*_`[\]!<&~\\]|https?:|www\.|@/

/** The tokens of a Markdown text; `undefined` if it is too long or nested too deeply. */
export function lexMarkdown(text: string): readonly Token[] | undefined {
  return lex(text, (lexer) => {
    for (const { src, tokens: inline } of lexer.inlineQueue) {
      if (src.length <= maxInline && inlineMarks.test(src)) lexer.inlineTokens(src, inline)
      else inline.push({ type: 'text', raw: src, text: src, escaped: false })
    }
  })
}

/** The same without the inline parts, which take most of the time: enough to see where a block ends. */
export function lexBlocks(text: string): readonly Token[] | undefined {
  return lex(text, () => undefined)
}

function lex(text: string, finish: (lexer: Lexer) => void): readonly Token[] | undefined {
  if (text.length > maxText || isNestedTooDeeply(text)) return undefined
  try {
    const lexer = new Lexer({ gfm: true })
    const tokens = lexer.blockTokens(text.replaceAll(/\r\n?/g, '\n'), [])
    finish(lexer)
    return tokens
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function isNestedTooDeeply(text: string): boolean {
  return text.split('\n').some((line) => {
    const [start = ''] = /^[\s>*+\d.)-]*/.exec(line) ?? []
    return (start.match(/>|[*+-]\s|[.)]\s/g)?.length ?? 0) > maxNesting
  })
}
