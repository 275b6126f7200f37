import { HostError } from '../model/error.ts'
import { isList, isObject } from '../model/json.ts'
import type { Json } from '../model/json.ts'
import type { Message } from '../store.ts'
import type { Prompt } from './agent-options.ts'

/** Throws `usage` for a prompt that no provider takes. */
export function checkPrompt(prompt: unknown): void {
  const isEmpty =
    typeof prompt === 'string' ? prompt.trim() === '' : !Array.isArray(prompt) || prompt.length === 0
  if (isEmpty)
    throw new HostError('usage', {}, 'The prompt is empty: it is a text, or a list of texts and images.')
}

/** A prompt as it is stored. */
export function toPromptMessage(prompt: Prompt): Message {
  if (typeof prompt === 'string') return { role: 'user', content: prompt }
  const content = prompt.map((part): Json => {
    if (part.type === 'text') return { type: 'text', text: part.text }
    return { type: 'image', image: part.data, mediaType: part.mediaType }
  })
  return { role: 'user', content }
}

/** A message that the agent itself adds in the name of the person, within a turn. */
export function toFollowUp(text: string): Message {
  return {
    role: 'user',
    content: [{ type: 'text', text, providerOptions: { plugboard: { isFollowUp: true } } }],
  }
}

/** Whether a turn begins with this message. */
export function isPrompt({ role, content }: Message): boolean {
  if (role !== 'user') return false
  const first = isList(content) ? content[0] : undefined
  const options = isObject(first) ? first['providerOptions'] : undefined
  return !(isObject(options) && isObject(options['plugboard']) && options['plugboard']['isFollowUp'] === true)
}

const maxTitle = 80

/** The title of a conversation: the first line of its first prompt. */
export function titleOf({ content }: Message): string {
  const first = typeof content === 'string' ? content : isList(content) ? content.find(isText) : undefined
  const text = typeof first === 'string' ? first : isText(first) ? first.text : ''
  const line = text.trim().split('\n')[0]?.replace(/\s+/g, ' ').trim() ?? ''
  return line.length > maxTitle ? `${line.slice(0, maxTitle - 1)}…` : line
}

function isText(part: Json | undefined): part is { readonly type: 'text'; readonly text: string } {
  return isObject(part) && part['type'] === 'text' && typeof part['text'] === 'string'
}
