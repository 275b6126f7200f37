import type { Diagnostic, Place } from '../model/diagnostic.ts'
import { nearest } from '../model/near.ts'
import { parseGlobs } from './globs.ts'
import type { Glob, GlobOptions, Matchable } from './globs.ts'

export interface GlobList extends GlobOptions {
  readonly patterns: readonly string[]
  readonly of?: 'tool' | 'server'
  /** Whose list it is, as a sentence names it: `the agent "Reviewer"`. */
  readonly owner: string
  readonly origin?: Place
  /** Written for another system, whose own tools are not among ours: what matches nothing is no mistake. */
  readonly isForeign?: boolean
}

/** Beyond these a list is about something else altogether, and no hint helps. */
const maxHints = 20

/**
 * What is most likely a mistake in a list: a pattern that matches none of the tools, and denials alone (B15, D-7).
 * The tools must be all there are: while servers are still unknown, every pattern for them looks idle.
 */
export function checkGlobs(list: GlobList, tools: readonly Matchable[]): readonly Diagnostic[] {
  const globs = parseGlobs(list.patterns, list)
  if (globs.length > 0 && globs.every(({ admits }) => !admits)) return [onlyDenials(list)]
  return globs
    .filter((glob) => !tools.some((tool) => glob.matches(tool)))
    .map((glob, index) => idle(list, glob, index < maxHints ? meantBy(glob, tools) : []))
}

function onlyDenials({ owner, of = 'tool', origin, patterns }: GlobList): Diagnostic {
  return {
    code: 'only-denials',
    severity: 'warn',
    message: `The list of ${owner} only denies: it admits no ${of} at all.`,
    hint: `For everything but those, begin with "*": [*, ${patterns.join(', ')}]`,
    ...(origin && { origin }),
  }
}

function idle(
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

function meantBy({ text, isRef, admits }: Glob, tools: readonly Matchable[]): readonly string[] {
  const begins = text.endsWith('*')
  const word = begins ? text.slice(0, -1) : text
  if (word === '' || word.includes('*')) return []
  const names = tools.flatMap(({ name, ref }) => (isRef ? (ref ?? []) : name))
  const candidates = begins ? startsLike(word, names) : names
  const near = nearest(word, [...new Set(candidates)]).slice(0, begins ? 1 : 3)
  return near.map((name) => `${admits ? '' : '!'}${name}${begins ? '*' : ''}`)
}

/** The beginnings of names that are about as long as the word. */
function startsLike(word: string, names: readonly string[]): readonly string[] {
  return names.flatMap((name) => [0, 1, -1].map((more) => name.slice(0, word.length + more)))
}
