import type { Json } from '../../index.ts'
import { isObject } from '../../internal.ts'
import type { Conversation, StoredMessage } from '../../store.ts'

/** A conversation as Markdown, for people: texts as they are, calls and results as code. */
export function toConversationText(
  { id, title, cwd, model, agent }: Conversation,
  messages: readonly StoredMessage[],
): string {
  const facts = [
    `- conversation: ${id}`,
    `- folder: ${cwd}`,
    ...(model === undefined ? [] : [`- model: ${model}`]),
    ...(agent === undefined ? [] : [`- agent: ${agent}`]),
  ]
  const parts = messages.map((message) => {
    const text = partsOf(message).map(drawPart).filter(Boolean).join('\n\n')
    return message.role === 'tool' ? text : `## ${titles[message.role] ?? message.role}\n\n${text}`
  })
  return `${[`# ${title.split('\n')[0] || 'Conversation'}`, facts.join('\n'), ...parts].join('\n\n')}\n`
}

const titles: Readonly<Record<string, string>> = { user: 'You', assistant: 'Model', system: 'Instructions' }

/** The text that a person wrote or a model answered, without calls and results. */
export function spokenText(message: StoredMessage): string {
  return partsOf(message)
    .flatMap((part) => (isObject(part) && part['type'] === 'text' ? [textOf(part['text'])] : []))
    .join('\n\n')
}

function partsOf({ content }: StoredMessage): readonly Json[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Array.isArray(content) ? (content as readonly Json[]) : [] // isArray does not narrow a readonly union
}

function drawPart(part: Json): string {
  if (!isObject(part)) return ''
  const name = textOf(part['toolName'])
  switch (part['type']) {
    case 'text':
      return textOf(part['text'])
    case 'image':
    case 'file':
      return `(${textOf(part['mediaType']) || 'a file'})`
    case 'tool-call':
      return `Calls \`${name}\`:\n\n${fence(JSON.stringify(part['input'] ?? {}, undefined, 2), 'json')}`
    case 'tool-result':
      return `Result of \`${name}\`:\n\n${fence(resultText(part['output'] ?? ''), '')}`
    default:
      return ''
  }
}

function resultText(output: Json): string {
  const value = isObject(output) ? (output['value'] ?? '') : output
  if (typeof value === 'string') return value
  if (!Array.isArray(value)) return JSON.stringify(value, undefined, 2)
  return (value as readonly Json[]) // isArray does not narrow a readonly union
    .map((part) => (isObject(part) && typeof part['text'] === 'string' ? part['text'] : drawOther(part)))
    .join('\n')
}

function drawOther(part: Json): string {
  return isObject(part)
    ? `(${textOf(part['mediaType']) || textOf(part['type']) || 'data'})`
    : JSON.stringify(part)
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

/** A code fence longer than any fence in the text. */
function fence(text: string, language: string): string {
  const longest = [...text.matchAll(/`{3,}/g)].reduce((most, [ticks]) => Math.max(most, ticks.length), 2)
  const marks = '`'.repeat(longest + 1)
  return `${marks}${language}\n${text}\n${marks}`
}
