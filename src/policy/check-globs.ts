import type { Diagnostic, Place } from '../model/diagnostic.ts'
import { nearest } from '../model/near.ts'
import { parseGlobs } from './globs.ts'
import type { Glob, GlobOptions, Matchable } from './globs.ts'

export interface GlobList extends GlobOptions {
  readonly patterns: readonly string[]
  readonly of?: 'tool' | 'server'
  /** The owner of the list, as messages name it: `the agent "Reviewer"`. */
  readonly owner: string
  readonly origin?: Place
  /** Written for another system: a pattern may match one of its own tools, so one without a match is not a mistake. */
  readonly isForeign?: boolean
}

/** A list with more patterns without a match was made for other tools; suggestions would not help. */
const maxHints = 20

/**
 * Likely mistakes in a list: a pattern that matches no tool, and a list with only denials (B15, D-7). `tools` must be
 * complete: as long as the tools of a server are unknown, its patterns match nothing.
 */
export function checkGlobs(list: GlobList, tools: readonly Matchable[]): readonly Diagnostic[] {
  const globs = parseGlobs(list.patterns, list)
  if (globs.length > 0 && globs.every(({ admits }) => !admits)) return [onlyDenials(list)]
  return globs
    .filter((glob) => !tools.some((tool) => glob.matches(tool)))
    .map((glob, index) => idlePattern(list, glob, index < maxHints ? suggestionsFor(glob, tools) : []))
}

function onlyDenials({ owner, of = 'tool', origin, patterns }: GlobList): Diagnostic {
  return {
    code: 'only-denials',
    severity: 'warn',
    message: `The list of ${owner} has only denials: it admits no ${of}.`,
    hint: `To admit all others, start the list with "*": [*, ${patterns.join(', ')}]`,
    ...(origin && { origin }),
  }
}

function idlePattern(
  { owner, of = 'tool', origin, isForeign }: GlobList,
  { pattern }: Glob,
  near: readonly string[],
): Diagnostic {
  return {
    code: 'idle-pattern',
    severity: isForeign ? 'info' : 'warn',
    message: `The pattern ${JSON.stringify(pattern)} of ${owner} matches no ${of}.`,
    ...(near.length > 0 && { hint: `Did you mean ${near.join(' or ')}?` }),
    ...(origin && { origin }),
  }
}

function suggestionsFor({ text, isRef, admits }: Glob, tools: readonly Matchable[]): readonly string[] {
  const isPrefix = text.endsWith('*')
  const word = isPrefix ? text.slice(0, -1) : text
  if (word === '' || word.includes('*')) return []
  const names = tools.flatMap(({ name, ref }) => (isRef ? (ref ?? []) : name))
  const candidates = isPrefix ? prefixesOf(names, word) : names
  const near = nearest(word, [...new Set(candidates)]).slice(0, isPrefix ? 1 : 3)
  return near.map((name) => `${admits ? '' : '!'}${name}${isPrefix ? '*' : ''}`)
}

/** Prefixes of the names, as long as the word or one character longer or shorter. */
function prefixesOf(names: readonly string[], word: string): readonly string[] {
  return names.flatMap((name) => [0, 1, -1].map((more) => name.slice(0, word.length + more)))
}
