import type { Json } from '../../index.ts'
import { escapeJson } from '../terminal/escape.ts'
import { quoteWord } from '../terminal/quote-word.ts'

/** The command that makes this call. The page writes it too, for what is typed into a form. */
export function commandOfCall(ref: string, args: Json): string {
  const isObject = typeof args === 'object' && args !== null && !Array.isArray(args)
  const words = isObject ? Object.entries(args).map(([key, value]) => toWord(key, value)) : []
  const isPlain = isObject && words.every((word) => word !== undefined)
  // Hidden characters become those escapes of JSON that every shell passes on.
  const given = isPlain ? words : [quoteWord(escapeJson(JSON.stringify(args)))]
  return ['plugboard call', quoteWord(ref), ...given].join(' ')
}

const isWord = /^(?:true|false|null)$/

/** `key=value` for names and values that the command line reads back as they are. */
function toWord(key: string, value: Json): string | undefined {
  const isName = /^[A-Za-z_][\w-]*$/.test(key)
  // A text that could be read as a number or a word of JSON is written as JSON.
  const isPlain =
    typeof value === 'string' && /^[A-Za-z_/.][\w./:,+ -]*(?<! )$/.test(value) && !isWord.test(value)
  if (!isName) return undefined
  if (isPlain || typeof value === 'number' || typeof value === 'boolean')
    return `${key}=${quoteWord(String(value))}`
  return undefined
}
