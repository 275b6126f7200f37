import { matchGlob } from '../model/glob.ts'

/** What a pattern is compared with: the name a model sees, or the ref where the pattern holds a `/` (D-7). */
export interface Matchable {
  readonly name: string
  /** The embedder's own tools have none. */
  readonly ref?: string
  /** What the system that a list was written for calls the tool. */
  readonly alias?: string
  /** Names that may mean another tool: they count where a pattern takes something away. */
  readonly against?: readonly string[]
}

export interface GlobOptions {
  /** C24: `?` stands for one character too. */
  readonly questionMark?: boolean
  /** What a pattern without `!` does: it lets a tool in, or puts it under a rule that restricts. */
  readonly purpose?: 'admit' | 'restrict'
}

/** A list of globs: only `*` is special, `!` denies, the last match wins, what nothing matches is out (B12, B13, B15). */
export interface ToolGlobs {
  admits(tool: Matchable): boolean
  /** The pattern that decided; none when nothing matched. */
  deciding(tool: Matchable): string | undefined
}

export interface Glob {
  readonly pattern: string
  readonly admits: boolean
  /** It takes something away from what it matches. */
  readonly restricts: boolean
  /** The pattern without its `!`. */
  readonly text: string
  readonly isRef: boolean
  /** Where it stands in its list. */
  readonly index: number
  /** What the whole of a name is, or how it begins; absent where only a match can tell. */
  readonly whole?: string
  readonly start?: string
  matches(tool: Matchable): boolean
}

const nothing: readonly string[] = []

/** B16: the embedder's own tools and those of servers are judged alike. */
export function toGlobs(patterns: readonly string[], options: GlobOptions = {}): ToolGlobs {
  const globs = parseGlobs(patterns, options)
  const byName = toTable(globs.filter(({ isRef }) => !isRef))
  const byRef = toTable(globs.filter(({ isRef }) => isRef))
  let restrictions: Table | undefined
  const restricting = () =>
    (restrictions ??= toTable(globs.filter(({ isRef, restricts }) => restricts && !isRef)))
  // From the end, so that the first one found is the last that matches.
  const others = globs.filter(({ whole, start }) => whole === undefined && start === undefined).reverse()

  const find = (tool: Matchable): Glob | undefined => {
    let found = later(lookUp(byName, tool.name), lookUp(byRef, tool.ref))
    if (tool.alias !== undefined) found = later(found, lookUp(byName, tool.alias))
    for (const name of tool.against ?? nothing) found = later(found, lookUp(restricting(), name))
    for (const other of others) {
      if (found && other.index < found.index) return found
      if (other.matches(tool)) return other
    }
    return found
  }
  return {
    admits: (tool) => find(tool)?.admits ?? false,
    deciding: (tool) => find(tool)?.pattern,
  }
}

export function parseGlobs(patterns: readonly string[], options: GlobOptions = {}): readonly Glob[] {
  return patterns.map((pattern, index) => {
    const admits = !pattern.startsWith('!')
    const restricts = admits === (options.purpose === 'restrict')
    const text = admits ? pattern : pattern.slice(1)
    const isRef = text.includes('/')
    const form = formOf(text, options)
    const isMatch = toMatcher(form, options)
    return {
      pattern,
      admits,
      restricts,
      text,
      isRef,
      index,
      ...form,
      matches({ name, ref, alias, against = nothing }) {
        if (isRef) return ref !== undefined && isMatch(ref)
        if (isMatch(name) || (alias !== undefined && isMatch(alias))) return true
        return restricts && against.some(isMatch)
      },
    }
  })
}

type Form = { readonly whole: string } | { readonly start: string } | { readonly glob: string }

function formOf(text: string, { questionMark }: GlobOptions): Form {
  const isPlain = (part: string) => !part.includes('*') && !(questionMark && part.includes('?'))
  if (isPlain(text)) return { whole: text }
  const glob = text.replace(/\*+/g, '*')
  const start = glob.slice(0, -1)
  return glob.endsWith('*') && isPlain(start) ? { start } : { glob }
}

/** T43: what is longer than the text cannot match it, so the work is bounded by the text, however long the pattern. */
function toMatcher(form: Form, options: GlobOptions): (subject: string) => boolean {
  if ('whole' in form) return (subject) => subject === form.whole
  if ('start' in form) return (subject) => subject.startsWith(form.start)
  const least = form.glob.replaceAll('*', '').length
  return (subject) => subject.length >= least && matchGlob(form.glob, subject, options)
}

/** Names and beginnings to look up: a list of a thousand of them must not be gone through for every tool. */
interface Table {
  readonly wholes: ReadonlyMap<string, Glob>
  /** By their lengths. */
  readonly starts: ReadonlyMap<number, ReadonlyMap<string, Glob>>
}

function toTable(globs: readonly Glob[]): Table {
  const wholes = new Map<string, Glob>()
  const starts = new Map<number, Map<string, Glob>>()
  for (const glob of globs) {
    const { whole, start } = glob
    if (whole !== undefined) wholes.set(whole, glob)
    if (start === undefined) continue
    const alike = starts.get(start.length) ?? new Map<string, Glob>()
    starts.set(start.length, alike.set(start, glob))
  }
  return { wholes, starts }
}

function lookUp({ wholes, starts }: Table, text: string | undefined): Glob | undefined {
  if (text === undefined) return undefined
  let found = wholes.get(text)
  for (const [length, alike] of starts) {
    if (length <= text.length) found = later(found, alike.get(text.slice(0, length)))
  }
  return found
}

function later(a: Glob | undefined, b: Glob | undefined): Glob | undefined {
  if (!a || !b) return a ?? b
  return a.index > b.index ? a : b
}
