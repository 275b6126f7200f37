import { join, relative, sep } from 'node:path'
import type { Writable } from 'node:stream'
import { escapeLine, escapeText } from './escape.ts'
import { createDocumentWriter } from './json-document.ts'
import type { DocumentFields, JsonForm } from './json-document.ts'
import { createStyle, escapeStyled } from './style.ts'
import type { Style } from './style.ts'
import { truncate, wrap } from './width.ts'

export type TerminalStream = Writable & { readonly isTTY?: boolean; readonly columns?: number }
/** The folders that shown paths are shortened against. */
interface PathBase {
  readonly cwd: string
  readonly home?: string | undefined
}

export interface OutputOptions {
  readonly stdout: TerminalStream
  readonly stderr: TerminalStream
  readonly env: Readonly<Record<string, string | undefined>>
  /** The result only: drops notes, warnings and progress; errors stay. */
  readonly quiet?: boolean
  /** Results are JSON in this form. */
  readonly json?: JsonForm | undefined
  /** Shortens shown paths, as a person in this folder would write them. */
  readonly here?: PathBase | undefined
  /** Adds the flags of this command line to the commands that a text proposes. */
  readonly proposed?: (text: string) => string
}
/** What a result is drawn with: the style and width of its stream. The width is undefined if that is not a terminal. */
export interface Canvas {
  readonly style: Style
  readonly width: number | undefined
  readonly path: (file: string) => string
  /** Adds the needed flags to the commands that a text proposes. */
  readonly proposed: (text: string) => string
}
/** Results go to stdout, everything else to stderr. All of it is escaped here once more (T18). */
export interface Output {
  /** The canvas of stderr. */
  readonly notes: Canvas
  /** Writes the result of a command: as a JSON document, or as drawn by `draw`. */
  result(fields: DocumentFields, draw: (canvas: Canvas) => string): void
  /** Writes a result that has no JSON form. */
  text(draw: (canvas: Canvas) => string): void
  /** Writes a piece of a text that grows; the pieces are lines only together. */
  stream(piece: string): void
  /** Writes content unchanged; a terminal gets the text drawn by `draw` instead. */
  bytes(content: Uint8Array, draw: (canvas: Canvas) => string): void
  note(text: string): void
  /** Shows the subject of a question. A terminal shows it even with `quiet` (T10). */
  show(text: string): void
  warn(text: string): void
  error(text: string): void
  /** Writes why a command failed, without a prefix. */
  fault(text: string): void
  /** Writes a line that the next output replaces; only a terminal shows it. */
  progress(text: string): void
  /** Aborted when the reader of stdout went away (EPIPE): the command should stop silently. */
  readonly closed: AbortSignal
  /** Waits until everything is written. Rejects if stdout failed, unless its reader went away. */
  flush(): Promise<void>
}

type CanvasOptions = Pick<OutputOptions, 'env' | 'here' | 'proposed'>

const USUAL_WIDTH = 80
const ESC = '\u001B'
const CLEAR_LINE = `\r${ESC}[2K`
const COLOR = new RegExp(`(${ESC}\\[\\d+m)`)
const NO_READER: readonly unknown[] = ['EPIPE', 'EOF', 'ERR_STREAM_DESTROYED']

export function createOutput(options: OutputOptions): Output {
  const { stdout, stderr, quiet = false, json } = options
  const results = openResults(stdout)
  const notes = openNotes(options)
  const toJson = json && createDocumentWriter(json)
  const drawText = (draw: (canvas: Canvas) => string): string => {
    const canvas = canvasOf(stdout, options)
    return escapeDrawn(draw(canvas), canvas)
  }
  const writeResult = (text: string): void => {
    notes.clearProgress()
    results.write(`${text}\n`)
  }
  return {
    get notes() {
      return canvasOf(stderr, options)
    },
    result: (fields, draw) => writeResult(toJson ? toJson(fields) : drawText(draw)),
    text: (draw) => writeResult(drawText(draw)),
    stream(piece) {
      notes.clearProgress()
      results.write(escapeText(piece))
    },
    bytes(content, draw) {
      if (stdout.isTTY === true) return writeResult(drawText(draw))
      notes.clearProgress()
      results.write(content)
    },
    note(text) {
      if (!quiet) notes.line(text)
    },
    show(text) {
      if (!quiet || stderr.isTTY === true) notes.line(text)
    },
    warn(text) {
      if (!quiet) notes.line(text, ({ style }) => style.yellow('warning: '))
    },
    error: (text) => notes.line(text, ({ style }) => style.red('error: ')),
    fault: (text) => notes.line(text),
    progress(text) {
      if (!quiet) notes.progress(text)
    },
    closed: results.closed,
    async flush() {
      notes.clearProgress()
      await Promise.all([results.flush(), notes.flush()])
    },
  }
}

function canvasOf(stream: TerminalStream, { env, here, proposed = (text) => text }: CanvasOptions): Canvas {
  const isTTY = stream.isTTY === true
  return {
    style: createStyle({ env, isTTY }),
    // Some pseudo-terminals report 0 columns.
    width: isTTY ? stream.columns || USUAL_WIDTH : undefined,
    path: here ? memoize((file) => shortPath(file, here)) : (file) => file,
    proposed,
  }
}

function escapeDrawn(text: string, { style }: Canvas): string {
  return style.enabled ? escapeStyled(text) : escapeText(text)
}

/** Wraps a one-line text between words; a text with line ends is already laid out and stays as it is. */
function wrapNote(text: string, { width }: Canvas): string {
  if (width === undefined || text.includes('\n')) return text
  // Splitting by a pattern with one group puts the colors at the odd indexes.
  const pieces = text.split(COLOR)
  const lines = wrap(pieces.filter((_, at) => at % 2 === 0).join(''), width)
  return lines.length === 1 ? text : applyLineBreaks(lines, pieces)
}

/** Inserts the line ends of the wrapped plain text into the painted one; blanks at a break are dropped. */
function applyLineBreaks(lines: readonly string[], pieces: readonly string[]): string {
  let [row, column] = [0, 0]
  const placeCharacter = (character: string): string => {
    const isFull = column >= (lines[row]?.length ?? 0) && row < lines.length - 1
    if (isFull && isBlank(character)) return ''
    if (isFull) [row, column] = [row + 1, 0]
    column += character.length
    return isFull ? `\n${character}` : character
  }
  return pieces
    .map((piece, at) => (at % 2 === 1 ? piece : Array.from(piece, placeCharacter).join('')))
    .join('')
}

function isBlank(character: string): boolean {
  return character === ' ' || character === '\t'
}

function openResults(stdout: TerminalStream) {
  const closing = new AbortController()
  let failure: Error | undefined
  const writer = openWriter(stdout, (error) => {
    if (hasNoReader(error)) closing.abort()
    else failure ??= error
  })
  return {
    closed: closing.signal,
    write(text: string | Uint8Array): void {
      if (!closing.signal.aborted) writer.write(text)
    },
    async flush(): Promise<void> {
      await writer.flush()
      if (failure) throw failure
    },
  }
}

function openNotes({ stderr, ...drawing }: OutputOptions) {
  const { env } = drawing
  // A failure of stderr is ignored: there is no other stream to report it on.
  const writer = openWriter(stderr, () => undefined)
  let showsProgress = false
  const clearProgress = (): void => {
    if (showsProgress) writer.write(CLEAR_LINE)
    showsProgress = false
  }
  return {
    clearProgress,
    line(text: string, prefix: (canvas: Canvas) => string = () => ''): void {
      const canvas = canvasOf(stderr, drawing)
      clearProgress()
      writer.write(`${wrapNote(escapeDrawn(prefix(canvas) + canvas.proposed(text), canvas), canvas)}\n`)
    },
    progress(text: string): void {
      const canvas = canvasOf(stderr, drawing)
      const { style, width } = canvas
      if (width === undefined || env['TERM'] === 'dumb') return
      writer.write(CLEAR_LINE + escapeDrawn(style.dim(truncate(escapeLine(text), width - 1)), canvas))
      showsProgress = true
    },
    flush: () => writer.flush(),
  }
}

function openWriter(stream: TerminalStream, onFailure: (error: Error) => void) {
  let written: Promise<unknown> = Promise.resolve()
  stream.on('error', onFailure)
  return {
    write(text: string | Uint8Array): void {
      const done = new Promise<void>((resolve) => {
        stream.write(text, (error) => {
          if (error) onFailure(error)
          resolve()
        })
      })
      written = Promise.all([written, done])
    },
    async flush(): Promise<void> {
      await written
    },
  }
}

export function hasNoReader(error: Error): boolean {
  return 'code' in error && NO_READER.includes(error.code)
}

/** Caches results: long lists contain the same few files many times. */
function memoize(work: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>()
  return (text) => {
    const result = known.get(text) ?? work(text)
    known.set(text, result)
    return result
  }
}

/** Shortens a path: relative to the working directory, or with ~ for the home directory. */
export function shortPath(file: string, { cwd, home }: PathBase): string {
  if (isInside(file, cwd)) return relative(cwd, file)
  return home && isInside(file, home) ? join('~', relative(home, file)) : file
}

function isInside(file: string, folder: string): boolean {
  return folder !== sep && file.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}
