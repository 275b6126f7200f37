import type { Token, Tokens } from 'marked'
import { lexMarkdown } from './lex-markdown.ts'
import { childrenOf, textOf, toSpans } from './markdown-inline.ts'
import { drawTable } from './markdown-table.ts'
import { wrapPlain, wrapSpans } from './painted-lines.ts'
import type { Style } from './style.ts'

export interface MarkdownCanvas {
  readonly style: Style
  readonly width: number
}

/**
 * Draws Markdown as painted lines, none wider than the canvas, to be written through `escapeStyled`. Text that is too
 * long or nested too deeply to be parsed in reasonable time is drawn as it is.
 */
export function drawMarkdown(text: string, canvas: MarkdownCanvas): readonly string[] {
  const tokens = lexMarkdown(text)
  return tokens ? drawTokens(tokens, canvas) : wrapPlain(text.trim(), canvas.width)
}

/** Draws blocks with an empty line between them. */
export function drawTokens(tokens: readonly Token[], canvas: MarkdownCanvas, depth = 0): readonly string[] {
  return joinBlocks(
    tokens.map((token) => drawBlock(token, canvas, depth)),
    [''],
  )
}

function joinBlocks(blocks: readonly (readonly string[])[], between: readonly string[]): readonly string[] {
  return blocks
    .filter((lines) => lines.length > 0)
    .flatMap((lines, at) => (at === 0 ? lines : [...between, ...lines]))
}

const maxDepth = 8
/** Narrower than this, nothing is nested any further. */
const minWidth = 12
const longestRule = 40

function drawBlock(token: Token, canvas: MarkdownCanvas, depth: number): readonly string[] {
  const { style, width } = canvas
  if (depth > maxDepth || (depth > 0 && width < minWidth)) return wrapPlain(token.raw.trim(), width)
  switch (token.type) {
    case 'space':
      return []
    case 'heading':
      return wrapSpans(toSpans(childrenOf(token), style, style.bold), width)
    case 'hr':
      return [style.dim('─'.repeat(Math.min(width, longestRule)))]
    case 'code':
      return drawCode(textOf(token), 'lang' in token ? String(token.lang ?? '') : '', canvas)
    case 'blockquote':
      return drawTokens(childrenOf(token), narrow(canvas, 2), depth + 1).map(
        (line) => `${style.dim('│')} ${line}`,
      )
    case 'list':
      return drawList(token as Tokens.List, canvas, depth) // the type names the token
    case 'table':
      return drawTable(token as Tokens.Table, canvas) // the type names the token
    case 'html':
    case 'def':
      return wrapPlain(token.raw.trim(), width)
    case 'checkbox':
      return []
    default:
      return wrapSpans(
        childrenOf(token).length > 0 ? toSpans(childrenOf(token), style) : [{ text: textOf(token) }],
        width,
      )
  }
}

function narrow({ style, width }: MarkdownCanvas, by: number): MarkdownCanvas {
  return { style, width: Math.max(2, width - by) }
}

function drawList(list: Tokens.List, canvas: MarkdownCanvas, depth: number): readonly string[] {
  const first = typeof list.start === 'number' ? list.start : 1
  const marks = list.items.map((item, at) => {
    if (item.task) return item.checked ? '[x]' : '[ ]'
    return list.ordered ? `${first + at}.` : '•'
  })
  const longest = Math.max(...marks.map(({ length }) => length))
  const items = list.items.map((item, at) => {
    // Numbers are aligned, so that ten items do not look like two lists.
    const indent = (list.ordered ? longest : (marks[at] ?? '').length) + 1
    const between = list.loose ? [''] : []
    const blocks = childrenOf(item).map((token) => drawBlock(token, narrow(canvas, indent), depth + 1))
    const lines = joinBlocks(blocks, between)
    const mark = (marks[at] ?? '').padEnd(indent)
    return (lines.length === 0 ? [''] : lines).map((line, row) =>
      row === 0 ? `${canvas.style.dim(mark)}${line}` : `${' '.repeat(indent)}${line}`.trimEnd(),
    )
  })
  return joinBlocks(items, list.loose ? [''] : [])
}

export const codeIndent = 2

/** Code keeps its own line ends and blanks; a line that is too long is broken, not cut. */
export function drawCode(text: string, language: string, canvas: MarkdownCanvas): readonly string[] {
  const lines = text.split('\n').flatMap((line) => drawCodeLine(line, canvas))
  return [...drawCodeLabel(language, canvas), ...lines]
}

export function drawCodeLabel(language: string, { style, width }: MarkdownCanvas): readonly string[] {
  const [label = ''] = wrapPlain(language.trim().split(/\s/)[0] ?? '', Math.max(2, width - codeIndent))
  return label === '' ? [] : [`${' '.repeat(codeIndent)}${style.dim(label)}`]
}

export function drawCodeLine(line: string, { style, width }: MarkdownCanvas): readonly string[] {
  return wrapPlain(line, Math.max(2, width - codeIndent)).map((part) =>
    part === '' ? '' : `${' '.repeat(codeIndent)}${style.cyan(part)}`,
  )
}
