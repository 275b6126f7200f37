import type { Token, Tokens } from 'marked'
import { lexBlocks } from './lex-markdown.ts'
import { drawCodeLabel, drawCodeLine, drawMarkdown } from './markdown.ts'
import type { MarkdownCanvas } from './markdown.ts'
import { wrapPlain } from './painted-lines.ts'

/** Markdown that arrives in pieces. */
export interface MarkdownStream {
  /** Adds a piece and returns the lines of the blocks that are finished now; they never change again. */
  push(text: string): readonly string[]
  /** The unfinished block as it looks now. */
  open(): readonly string[]
  /** The lines of everything that is left. */
  end(): readonly string[]
}

/** A longer block is not kept open: its finished lines are drawn as they are. */
const maxOpen = 16_000
/** Of a longer list, all items but the last are finished. */
const maxList = 2000
/** Of a longer unfinished block the end is shown as plain text, because it is drawn again for each piece. */
const maxLive = 2000
const maxCodeLine = 4000

const fenceStart = /^ {0,3}(`{3,}|~{3,})([^\n`]*)\n/
/** Blocks that end with their line, and blocks that end with an empty line. Lists and indented code go on after one. */
const lineBlocks = ['heading', 'hr']
const paragraphBlocks = ['paragraph', 'table', 'blockquote', 'def']

/**
 * Draws blocks as they are finished. A fenced block is drawn line by line; of other blocks the last one stays open until the
 * next begins, because its look can still change.
 */
export function createMarkdownStream(canvas: () => MarkdownCanvas): MarkdownStream {
  let pending = ''
  /** A line end that may continue with the next piece. */
  let carried = ''
  let fence: string | undefined
  let isFirst = true
  /** The pending text begins with further items of a list whose first ones are drawn. */
  let isListOpen = false

  /** Puts an empty line before each block but the first. */
  const separate = (lines: readonly string[]): readonly string[] => {
    if (lines.length === 0) return lines
    const separated = isFirst || isListOpen ? lines : ['', ...lines]
    isFirst = false
    isListOpen = false
    return separated
  }
  const takeCode = (isEnd: boolean): readonly string[] => {
    const lines: string[] = []
    while (fence !== undefined) {
      const at = pending.indexOf('\n')
      const isCut = at < 0 && (isEnd || pending.length > maxCodeLine)
      if (at < 0 && !isCut) break
      const line = at < 0 ? pending : pending.slice(0, at)
      pending = at < 0 ? '' : pending.slice(at + 1)
      if (isClosing(line, fence)) fence = undefined
      else if (line !== '' || !isEnd || at >= 0) lines.push(...drawCodeLine(line, canvas()))
      if (at < 0) break
    }
    return lines
  }
  const takeFenceStart = (): readonly string[] | undefined => {
    const [whole, marks, language = ''] = fenceStart.exec(pending) ?? []
    if (whole === undefined || marks === undefined) return undefined
    pending = pending.slice(whole.length)
    fence = marks
    const label = drawCodeLabel(language, canvas())
    const separated = isFirst ? label : ['', ...label]
    isFirst = false
    return separated
  }
  /** Takes the finished blocks out of the pending text. */
  const takeBlocks = (): readonly string[] => {
    const tokens = lexBlocks(pending)
    const count = tokens ? finishedCount(tokens, pending) : 0
    if (!tokens || count === 0) return takeLong(tokens?.[0])
    return separate(takeDrawn(tokens.slice(0, count).reduce((sum, { raw }) => sum + raw.length, 0)))
  }
  const takeDrawn = (length: number): readonly string[] => {
    const text = pending.slice(0, length)
    pending = pending.slice(length)
    return drawMarkdown(text, canvas())
  }
  /** Takes what there is of a long block: a list up to its last item, other blocks as they are. */
  const takeLong = (block: Token | undefined): readonly string[] => {
    if (block?.type === 'list' && pending.length > maxList) {
      const { items } = block as Tokens.List // the type names the token
      const rest = items.at(-1)?.raw ?? ''
      const at = block.raw.length - rest.length
      if (items.length > 1 && block.raw.endsWith(rest)) {
        const lines = isListOpen ? takeDrawn(at) : separate(takeDrawn(at))
        isListOpen = true
        return lines
      }
    }
    return pending.length > maxOpen ? takePlain() : []
  }
  const takePlain = (): readonly string[] => {
    const at = pending.lastIndexOf('\n') + 1 || pending.length
    const text = pending.slice(0, at)
    pending = pending.slice(at)
    return separate(wrapPlain(text.trimEnd(), canvas().width))
  }
  const take = (isEnd: boolean): readonly string[] => {
    const lines: string[] = []
    for (;;) {
      const before = pending.length
      if (fence !== undefined) lines.push(...takeCode(isEnd))
      else {
        pending = pending.replace(/^(?:[ \t]*\n)+/, '')
        lines.push(...(takeFenceStart() ?? (pending.includes('\n') ? takeBlocks() : [])))
      }
      if (pending.length === before || pending === '') return lines
    }
  }
  return {
    push(text) {
      const whole = carried + text
      carried = whole.endsWith('\r') ? '\r' : ''
      pending += (carried === '' ? whole : whole.slice(0, -1)).replaceAll(/\r\n?/g, '\n')
      // Without a line end nothing can have finished, except a line that is too long to wait for.
      return /[\r\n]/.test(text) || pending.length > maxCodeLine ? take(false) : []
    },
    open() {
      if (pending.trim() === '') return []
      if (fence !== undefined) return drawCodeLine(pending, canvas())
      const { width } = canvas()
      // Of a long block only the end is shown anyway.
      const isLong = pending.length > maxLive
      const lines = isLong
        ? wrapPlain(pending.slice(-maxLive).trim(), width)
        : drawMarkdown(pending, canvas())
      return isFirst || isListOpen ? lines : ['', ...lines]
    },
    end() {
      pending += carried === '' ? '' : '\n'
      carried = ''
      const lines = [...take(true)]
      if (pending.trim() !== '') lines.push(...separate(takeDrawn(pending.length)))
      pending = ''
      fence = undefined
      return lines
    },
  }
}

function isClosing(line: string, fence: string): boolean {
  const text = line.trim()
  return text.length >= fence.length && text === (fence[0] ?? '').repeat(text.length)
}

/** How many tokens can no longer change: those before the last block, and the last one if it has ended. */
function finishedCount(tokens: readonly Token[], text: string): number {
  const last = tokens.findLastIndex(({ type }) => type !== 'space')
  const type = tokens[last]?.type
  if (type === undefined) return 0
  // The texts of the tokens have to be the text itself, or it could not be split by them.
  if (tokens.map(({ raw }) => raw).join('') !== text) return 0
  const hasEnded =
    (lineBlocks.includes(type) && text.endsWith('\n')) ||
    (paragraphBlocks.includes(type) && /\n[ \t]*\n$/.test(text))
  return hasEnded ? tokens.length : last
}
