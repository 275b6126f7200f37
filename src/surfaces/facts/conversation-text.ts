import type { Json, JsonObject } from '../../index.ts'
import { isList, isObject } from '../../internal.ts'
import type { Conversation, StoredMessage } from '../../store.ts'
import { escapeText } from '../terminal/escape.ts'
import { fence } from '../terminal/fence.ts'

const speakers: Readonly<Record<string, string>> = { user: 'You', assistant: 'Model', system: 'System' }

/** A conversation as Markdown: what was said, the calls with their arguments, and their results in fences. T18: escaped. */
export function toMarkdown(conversation: Conversation, messages: readonly StoredMessage[]): string {
  const { id, title, cwd, agent, model, createdAt } = conversation
  const about = [
    `conversation ${id}`,
    `folder ${cwd}`,
    ...(agent === undefined ? [] : [`agent ${agent}`]),
    ...(model === undefined ? [] : [`model ${model}`]),
    `begun ${createdAt}`,
  ]
  return escapeText(
    [`# ${title || 'Conversation'}`, about.join(' · '), ...messages.map(drawMessage)].join('\n\n'),
  )
}

function drawMessage({ role, content }: StoredMessage): string {
  const parts = isList(content) ? content.map(drawPart) : [drawPart(content)]
  // Results belong to the calls above them.
  const title = role === 'tool' ? [] : [`## ${speakers[role] ?? role}`]
  return [...title, ...parts.filter((part) => part !== '')].join('\n\n')
}

function drawPart(part: Json): string {
  if (typeof part === 'string') return part
  if (!isObject(part)) return fence(JSON.stringify(part), 'json')
  const { type, text } = part
  if (typeof text === 'string') return type === 'reasoning' ? quote(text) : text
  if (type === 'tool-call') return `Call **${nameOf(part)}**\n\n${fence(pretty(part['input']), 'json')}`
  if (type === 'tool-result') return `Result of **${nameOf(part)}**\n\n${drawOutput(part['output'])}`
  if (type === 'image' || type === 'file') return `(${type}${mediaOf(part)})`
  return fence(pretty(part), 'json')
}

/** What a tool gave back: its text, or JSON. */
function drawOutput(output: Json | undefined): string {
  if (!isObject(output)) return fence(typeof output === 'string' ? output : pretty(output))
  const { type, value } = output
  if (type === 'content' && isList(value)) return value.map(drawPart).join('\n\n')
  return typeof value === 'string' ? fence(value) : fence(pretty(value ?? output), 'json')
}

function nameOf({ toolName }: JsonObject): string {
  return typeof toolName === 'string' ? toolName : '?'
}

function mediaOf(part: JsonObject): string {
  const { mediaType } = part
  return typeof mediaType === 'string' ? `, ${mediaType}` : ''
}

function pretty(value: Json | undefined): string {
  return JSON.stringify(value ?? null, null, 2)
}

function quote(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n')
}
