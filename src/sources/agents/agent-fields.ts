/** A line of a file and its number. */
export interface Line {
  readonly text: string
  readonly line: number
}

/** `key: value` and the lines below that belong to it. */
export interface Field {
  readonly value: string
  readonly line: number
  readonly below: readonly Line[]
}

export interface ListProblem {
  readonly problem: string
  readonly line: number
}

export interface Fields {
  readonly fields: ReadonlyMap<string, Field>
  /** Set if a list of tools may be in here that could not be found. */
  readonly problem?: ListProblem
}

export interface FrontMatter extends Fields {
  /** The text below it; absent if it is not closed. */
  readonly body?: string
}

export function toLines(text: string): readonly Line[] {
  const own = text.startsWith('\ufeff') ? text.slice(1) : text
  return own.split(/\r?\n/).map((each, index) => ({ text: each, line: index + 1 }))
}

/** The front matter of a file that describes one agent; `undefined` if its first line is not `---`. */
export function readFrontMatter(text: string): FrontMatter | undefined {
  const lines = toLines(text)
  if (!isDashes(lines[0])) return undefined
  const end = lines.findIndex((line, index) => index > 0 && isDashes(line))
  if (end < 0) return { fields: new Map(), problem: { problem: 'its front matter is not closed', line: 1 } }
  const body = joinLines(lines.slice(end + 1))
  return { ...readFields(lines.slice(1, end)), body }
}

export function joinLines(lines: readonly Line[]): string {
  return lines.map(({ text }) => text).join('\n')
}

export function isDashes(line: Line | undefined): boolean {
  return line !== undefined && /^---[ \t]*$/.test(line.text)
}

/** A key at the start of a line. A flow list or map may follow the colon without a space. */
const keyLine = /^(["']?)([A-Za-z_][\w.-]*)\1[ \t]*:(?=[ \t[{]|$)/

export function isKeyLine(text: string): boolean {
  return keyLine.test(text)
}

export function isBlank({ text }: Line): boolean {
  const trimmed = text.trimStart()
  return trimmed === '' || trimmed.startsWith('#')
}

/**
 * Reads the keys of a front matter and the lines below each. No YAML parser: it would reject `tools: [*]`, and real
 * descriptions are often not valid YAML. Unsupported syntax is a problem, so that a list in it is never overlooked.
 */
export function readFields(lines: readonly Line[]): Fields {
  const first = lines.find((line) => !isBlank(line))
  if (!first) return { fields: new Map() }
  const base = indentOf(first.text)
  const found: { name: string; value: string; line: number; below: Line[] }[] = []
  for (const { text, line } of lines) {
    const match = indentOf(text) === base ? keyLine.exec(text.slice(base)) : null
    if (match) {
      const [whole, , name = ''] = match
      found.push({ name: name.toLowerCase(), value: text.slice(base + whole.length).trim(), line, below: [] })
    } else if (isUnsupported(text, base)) {
      return { fields: new Map(), problem: { problem: 'its front matter cannot be read', line } }
    } else {
      found.at(-1)?.below.push({ text, line })
    }
  }
  const [, second] = found.filter(({ name }) => name === 'tools')
  const stray = second?.line ?? found.flatMap((field) => strayToolsLine(field) ?? [])[0]
  if (found[0]?.line !== first.line)
    return { fields: new Map(), problem: { problem: 'its front matter has no keys', line: first.line } }
  return {
    fields: new Map(found.map(({ name, ...field }) => [name, field])),
    ...(stray !== undefined && { problem: { problem: 'this is a second list', line: stray } }),
  }
}

/** Quoted, complex and merged keys, flow maps, anchors and tags: each could hold a `tools` list in another form. */
function isUnsupported(text: string, base: number): boolean {
  if (text.trim() === '' || indentOf(text) > base) return false
  return indentOf(text) < base || /^(?:["'{&!*%@]|\? |<<|tools[ \t]*:)/i.test(text.slice(base))
}

/** The line of a `tools:` that is indented below a scalar value: it is not part of that value. */
function strayToolsLine({ value, below }: Field): number | undefined {
  if (value === '' || value.startsWith('#') || /^[|>]/.test(value)) return undefined
  return below.find(({ text }) => /^["']?tools["']?[ \t]*:/i.test(text.trimStart()))?.line
}

export function indentOf(text: string): number {
  return text.length - text.trimStart().length
}

/** A string value: plain, quoted, or in the lines below. */
export function textOf(field: Field | undefined): string | undefined {
  if (!field) return undefined
  const below = field.below.map(({ text }) => text.trim()).filter((text) => text !== '')
  const own = /^[|>][+-]?\d?$/.test(field.value) ? [] : [unquote(field.value)]
  return [...own, ...below].join(' ').trim() || undefined
}

export function unquote(text: string): string {
  const quote = text[0]
  const isQuoted = (quote === '"' || quote === "'") && text.length > 1 && text.endsWith(quote)
  return isQuoted ? text.slice(1, -1) : text
}
