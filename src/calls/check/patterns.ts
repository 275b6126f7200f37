import type { RE2JS } from 're2js'
import { toRe2Pattern } from './ecma-pattern.ts'

/** Whether a text fits a pattern; `undefined` when nobody can say. */
export type PatternMatcher = (pattern: string, text: string) => boolean | undefined

/** What the patterns of a stranger are run with: an engine whose time grows with the text, never with its tricks (T23). */
type Engine = typeof RE2JS

interface CompiledPattern {
  readonly test: (text: string) => boolean
  readonly size: number
}

/** A pattern longer than this, one that counts further, or a longer text is left to the server. */
const maxPattern = 500
const maxCount = 255
const maxText = 8 * 1024
const maxKept = 500

const kept = new Map<string, CompiledPattern | undefined>()
let loading: Promise<Engine> | undefined

/** Loads the engine. `spend` is told what each use costs. */
export async function loadPatternMatcher(): Promise<(spend: (steps: number) => void) => PatternMatcher> {
  loading ??= import('re2js').then((module) => module.RE2JS)
  const engine = await loading
  return (spend) => (pattern, text) => {
    if (text.length > maxText) return undefined
    const compiled = compile(pattern, engine, spend)
    spend(text.length)
    return compiled?.test(text)
  }
}

function compile(
  pattern: string,
  engine: Engine,
  spend: (steps: number) => void,
): CompiledPattern | undefined {
  if (kept.has(pattern)) return kept.get(pattern)
  const compiled = isWithinLimits(pattern) ? tryCompile(pattern, engine) : undefined
  if (kept.size >= maxKept) kept.clear()
  kept.set(pattern, compiled)
  spend((compiled?.size ?? 0) * 10)
  return compiled
}

/** What looks ahead or back or repeats what it found has no such engine. */
function tryCompile(pattern: string, engine: Engine): CompiledPattern | undefined {
  try {
    const regex = engine.compile(engine.translateRegExp(toRe2Pattern(pattern)))
    return { test: (text) => regex.matcher(text).find(), size: regex.programSize() }
  } catch {
    return undefined
  }
}

function isWithinLimits(pattern: string): boolean {
  if (pattern.length > maxPattern) return false
  for (const [, least = '', most = ''] of pattern.matchAll(/\{(\d{1,9})(?:,(\d{0,9}))?\}/g)) {
    if (Number(least) > maxCount || Number(most) > maxCount) return false
  }
  return true
}
