import type { Json } from '../../model/json.ts'
import { toJsonText } from './json-text.ts'
import { markData } from './marks.ts'
import { isSaid } from './said.ts'
import type { Shown } from './said.ts'

/** Structured content as fenced JSON, unless what is shown already says the same. */
export function renderStructured(structured: Json | undefined, shown: Shown): string | undefined {
  const value = unsaid(structured, shown)
  if (value === undefined) return undefined
  const json = toJsonText(value)
  const fence = '`'.repeat(Math.max(3, longestRun(json) + 1))
  return `${fence}json\n${json}\n${fence}`
}

/** All of what is structured where any of it is not said yet, but for bytes; nothing where all is. */
export function unsaid(structured: Json | undefined, shown: Shown): Json | undefined {
  if (structured === undefined) return undefined
  try {
    return isSaid(structured, shown) ? undefined : markData(structured, shown.blocks)
  } catch {
    return '(nested too deep to be shown)'
  }
}

function longestRun(text: string): number {
  let longest = 0
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  return longest
}
