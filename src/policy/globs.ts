import { matchGlob } from '../model/glob.ts'

/** What a pattern is compared with: the name a model sees, or the ref where the pattern holds a `/` (D-7). */
export interface Matchable {
  readonly name: string
  readonly ref: string
}

/** A list of globs: only `*` is special, `!` denies, the last match wins, what nothing matches is out (B12, B13, B15). */
export interface ToolGlobs {
  admits(tool: Matchable): boolean
  /** The pattern that decided; none when nothing matched. */
  deciding(tool: Matchable): string | undefined
}

interface Glob {
  readonly pattern: string
  readonly text: string
  readonly admits: boolean
  readonly field: 'name' | 'ref'
}

export function readGlobs(patterns: readonly string[]): ToolGlobs {
  // From the end, so that the first one found is the last that matches.
  const globs = patterns.map(toGlob).reverse()
  const find = (tool: Matchable) => globs.find((glob) => matchGlob(glob.text, tool[glob.field]))
  return {
    admits: (tool) => find(tool)?.admits ?? false,
    deciding: (tool) => find(tool)?.pattern,
  }
}

function toGlob(pattern: string): Glob {
  const admits = !pattern.startsWith('!')
  const text = admits ? pattern : pattern.slice(1)
  return { pattern, text, admits, field: text.includes('/') ? 'ref' : 'name' }
}

/** Patterns that match none of the tools, and a list that can admit none: both are most likely mistakes. */
export function idleGlobs(patterns: readonly string[], tools: readonly Matchable[]): readonly string[] {
  return patterns.filter((pattern) => {
    const { text, field } = toGlob(pattern)
    return !tools.some((tool) => matchGlob(text, tool[field]))
  })
}

export function onlyDenies(patterns: readonly string[]): boolean {
  return patterns.length > 0 && patterns.every((pattern) => pattern.startsWith('!'))
}
