import { matchGlob } from '../model/glob.ts'

/** The names that a pattern is compared with: the name a model sees, or the ref if the pattern contains a `/` (D-7). */
export interface Matchable {
  readonly name: string
  /** Absent for native tools. */
  readonly ref?: string
  /** The tool's name in the system that a list was written for. */
  readonly alias?: string
  /** Ambiguous names, which may also mean another tool. Only a pattern that restricts is compared with them. */
  readonly ambiguous?: readonly string[]
}

export interface GlobOptions {
  /** Whether `?` matches one character (C24). */
  readonly questionMark?: boolean
  /** Whether a pattern without `!` admits a tool to a list, or puts it under a rule that restricts it. */
  readonly purpose?: 'admit' | 'restrict'
}

/** A list of globs: only `*` is special, `!` denies, the last match wins, and without a match the tool is denied (B12, B13, B15). */
export interface ToolGlobs {
  admits(tool: Matchable): boolean
  /** The pattern that decided; undefined if none matched. */
  deciding(tool: Matchable): string | undefined
}

export interface Glob {
  readonly pattern: string
  readonly admits: boolean
  /** Whether a match takes a tool or a permission away. */
  readonly restricts: boolean
  /** The pattern without its `!`. */
  readonly text: string
  readonly isRef: boolean
  /** Position in the list. */
  readonly index: number
  /** The exact name, for a pattern without wildcards. */
  readonly whole?: string
  /** The prefix, for a pattern whose only wildcard is at its end. */
  readonly start?: string
  matches(tool: Matchable): boolean
}

const nothing: readonly string[] = []

/** Native tools and server tools are matched by the same rules (B16). */
export function compileGlobs(patterns: readonly string[], options: GlobOptions = {}): ToolGlobs {
  const globs = parseGlobs(patterns, options)
  const byName = toTable(globs.filter(({ isRef }) => !isRef))
  const byRef = toTable(globs.filter(({ isRef }) => isRef))
  let restrictions: Table | undefined
  const restricting = () =>
    (restrictions ??= toTable(globs.filter(({ isRef, restricts }) => restricts && !isRef)))
  // In reverse order: the first match found is the last match in the list.
  const others = globs.filter(({ whole, start }) => whole === undefined && start === undefined).reverse()

  const find = (tool: Matchable): Glob | undefined => {
    let found = later(lookUp(byName, tool.name), lookUp(byRef, tool.ref))
    if (tool.alias !== undefined) found = later(found, lookUp(byName, tool.alias))
    for (const name of tool.ambiguous ?? nothing) found = later(found, lookUp(restricting(), name))
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
      matches({ name, ref, alias, ambiguous = nothing }) {
        if (isRef) return ref !== undefined && isMatch(ref)
        if (isMatch(name) || (alias !== undefined && isMatch(alias))) return true
        return restricts && ambiguous.some(isMatch)
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

/** A pattern with more literal characters than the text cannot match, so the text bounds the work, not the pattern (T43). */
function toMatcher(form: Form, options: GlobOptions): (subject: string) => boolean {
  if ('whole' in form) return (subject) => subject === form.whole
  if ('start' in form) return (subject) => subject.startsWith(form.start)
  const least = form.glob.replaceAll('*', '').length
  return (subject) => subject.length >= least && matchGlob(form.glob, subject, options)
}

/** Lookup tables for exact names and prefixes: a list of a thousand patterns must not be scanned for every tool. */
interface Table {
  readonly wholes: ReadonlyMap<string, Glob>
  /** Keyed by prefix length. */
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
