import { isPlainJson } from '../../model/hidden.ts'
import { isObject } from '../../model/json.ts'
import type { Json } from '../../model/json.ts'

/**
 * Answers that list tools and hide nothing. One look at the text of an answer saves one at every text in it, and hardly
 * any list has anything to hide.
 */
const plain = new WeakSet<object>()

export function notePlainList(message: Json, text: string): void {
  if (!text.includes('"inputSchema"') || !isPlainJson(text)) return
  const result = isObject(message) ? message['result'] : undefined
  if (isObject(result)) plain.add(result)
}

export function isPlainList(answer: object): boolean {
  return plain.has(answer)
}
