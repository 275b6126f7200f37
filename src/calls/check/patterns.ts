import type { RE2JS } from 're2js'
import { toRe2Pattern } from './ecma-pattern.ts'

/** Whether a text matches a pattern; `undefined` if that cannot be determined. */
export type PatternMatcher = (pattern: string, text: string) => boolean | undefined

/** The engine for patterns of servers: its time is linear in the length of the text, whatever the pattern (T23). */
type Engine = typeof RE2JS

interface CompiledPattern {
  readonly test: (text: string) => boolean
  readonly size: number
}

/** Longer patterns, larger repetition counts and longer texts are not checked; the server decides. */
const maxPattern = 500
const maxCount = 255
const maxText = 8 * 1024
const maxCompiled = 500

const compiledPatterns = new Map<string, CompiledPattern | undefined>()
let loading: Promise<Engine> | undefined

/** Loads the engine. The matcher reports the cost of each use to `spend`. */
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
  if (compiledPatterns.has(pattern)) return compiledPatterns.get(pattern)
  const compiled = isWithinLimits(pattern) ? tryCompile(pattern, engine) : undefined
  if (compiledPatterns.size >= maxCompiled) compiledPatterns.clear()
  compiledPatterns.set(pattern, compiled)
  spend((compiled?.size ?? 0) * 10)
  return compiled
}

/** `undefined` for patterns that RE2 cannot run: look-around, backreferences and invalid syntax. */
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
