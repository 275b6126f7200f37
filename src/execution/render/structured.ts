import { isObject } from '../../model/json.ts'
import type { Json } from '../../model/json.ts'
import type { Block } from '../../model/result.ts'
import { isSame, parseJson, toJsonText } from './json-text.ts'

/** Structured content as fenced JSON, unless the blocks already say the same. */
export function renderStructured(structured: Json | undefined, blocks: readonly Block[]): string | undefined {
  if (structured === undefined || isSaid(structured, blocks)) return undefined
  const json = toJsonText(structured)
  const fence = '`'.repeat(Math.max(3, longestRun(json) + 1))
  return `${fence}json\n${json}\n${fence}`
}

/** Servers repeat it as JSON in a text; some wrap a plain value as `{ result }` and say one text for each item of a list. */
function isSaid(structured: Json, blocks: readonly Block[]): boolean {
  const texts = blocks.flatMap(({ type, text }) =>
    type === 'text' && typeof text === 'string' ? [text] : [],
  )
  if (texts.some((text) => says(text, structured))) return true
  const inner = unwrap(structured)
  if (inner === undefined) return false
  if (texts.some((text) => text === inner || says(text, inner))) return true
  if (!Array.isArray(inner)) return false
  const items = inner as readonly Json[] // isArray does not narrow a readonly union
  return (
    items.length === texts.length &&
    items.every((item, index) => item === texts[index] || says(texts[index] ?? '', item))
  )
}

function unwrap(structured: Json): Json | undefined {
  if (!isObject(structured) || Object.keys(structured).length !== 1) return undefined
  return structured['result']
}

function says(text: string, value: Json): boolean {
  // Most texts are no JSON, and one look tells.
  if (!/^\s*[[{"\-\dtfn]/.test(text)) return false
  const parsed = parseJson(text)
  return parsed !== undefined && isSame(parsed, value)
}

function longestRun(text: string): number {
  let longest = 0
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  return longest
}
