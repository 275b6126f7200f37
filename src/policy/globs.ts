import { matchGlob } from '../model/glob.ts'

/** What a pattern is compared with: the name a model sees, or the ref where the pattern holds a `/` (D-7). */
export interface Matchable {
  readonly name: string
  /** The embedder's own tools have none. */
  readonly ref?: string
  /** What the system that a list was written for calls the tool. */
  readonly alias?: string
}

export interface GlobOptions {
  /** C24: `?` stands for one character too. */
  readonly questionMark?: boolean
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
  /** The pattern without its `!`. */
  readonly text: string
  readonly isRef: boolean
  /** Where it stands in its list. */
  readonly index: number
  matches(tool: Matchable): boolean
}

/** B16: the embedder's own tools and those of servers are judged alike. */
export function toGlobs(patterns: readonly string[], options: GlobOptions = {}): ToolGlobs {
  const globs = parseGlobs(patterns, options)
  const { names, refs } = lastLiterals(globs.filter(({ text }) => isLiteral(text, options)))
  // From the end, so that the first one found is the last that matches.
  const wild = globs.filter(({ text }) => !isLiteral(text, options)).reverse()

  const find = (tool: Matchable): Glob | undefined => {
    const literal = later(
      later(names.get(tool.name), tool.alias === undefined ? undefined : names.get(tool.alias)),
      tool.ref === undefined ? undefined : refs.get(tool.ref),
    )
    const glob = wild.find((each) => each.index > (literal?.index ?? -1) && each.matches(tool))
    return glob ?? literal
  }
  return {
    admits: (tool) => find(tool)?.admits ?? false,
    deciding: (tool) => find(tool)?.pattern,
  }
}

export function parseGlobs(patterns: readonly string[], options: GlobOptions = {}): readonly Glob[] {
  return patterns.map((pattern, index) => {
    const admits = !pattern.startsWith('!')
    const text = admits ? pattern : pattern.slice(1)
    const isRef = text.includes('/')
    const isMatch = toMatcher(text, options)
    return {
      pattern,
      admits,
      text,
      isRef,
      index,
      matches: ({ name, ref, alias }) =>
        isRef
          ? ref !== undefined && isMatch(ref)
          : isMatch(name) || (alias !== undefined && alias !== name && isMatch(alias)),
    }
  })
}

/** A list of a thousand names must not be gone through for every tool. */
function lastLiterals(literals: readonly Glob[]) {
  const names = new Map<string, Glob>()
  const refs = new Map<string, Glob>()
  for (const glob of literals) (glob.isRef ? refs : names).set(glob.text, glob)
  return { names, refs }
}

function later(a: Glob | undefined, b: Glob | undefined): Glob | undefined {
  if (!a || !b) return a ?? b
  return a.index > b.index ? a : b
}

function isLiteral(text: string, { questionMark }: GlobOptions): boolean {
  return !text.includes('*') && !(questionMark && text.includes('?'))
}

/** T43: what is longer than the text cannot match it, so the work is bounded by the text, however long the pattern. */
function toMatcher(text: string, options: GlobOptions): (subject: string) => boolean {
  if (isLiteral(text, options)) return (subject) => subject === text
  const glob = text.replace(/\*+/g, '*')
  const start = glob.slice(0, -1)
  if (glob.endsWith('*') && isLiteral(start, options)) return (subject) => subject.startsWith(start)
  const least = glob.replaceAll('*', '').length
  return (subject) => subject.length >= least && matchGlob(glob, subject, options)
}
