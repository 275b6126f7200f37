import { matchGlob } from '../../model/glob.ts'

/** Whether a `tools:` list admits a tool: `*` is any characters, `!` denies, the last match wins, no match is a no (B12, B13, B15). */
export function matchToolGlob(patterns: readonly string[], name: string): boolean {
  const last = patterns.findLast((pattern) => matchGlob(pattern.replace(/^!/, ''), name))
  return last !== undefined && !last.startsWith('!')
}
