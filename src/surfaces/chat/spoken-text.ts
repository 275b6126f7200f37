import { isObject, listOf } from '../../internal.ts'
import type { StoredMessage } from '../../store.ts'

/** The text that a person wrote or a model answered, without calls, results and attached images. */
export function spokenText({ content }: StoredMessage): string {
  if (typeof content === 'string') return content
  return listOf(content)
    .flatMap((part) => (isObject(part) && part['type'] === 'text' ? [part['text']] : []))
    .filter((text) => typeof text === 'string')
    .join('\n\n')
}
