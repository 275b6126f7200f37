import { toRef } from '../../../../src/model/tool.ts'
import type { Json, PromptImage, StoredMessage, Turn, TurnCall, TurnPart, TurnPrompt } from './turn.ts'

type JsonObject = Readonly<Record<string, Json>>

/** The turns of stored messages, which have the form of the AI SDK. What does not have it is left out. */
export function readMessages(messages: readonly StoredMessage[]): readonly Turn[] {
  const turns: Turn[] = []
  for (const message of messages) {
    if (isPrompt(message)) {
      turns.push({ key: `m${message.seq}`, prompt: readPrompt(message), parts: [], isRunning: false })
      continue
    }
    const last = turns.pop() ?? { key: `m${message.seq}`, parts: [], isRunning: false }
    turns.push({ ...last, parts: addMessage(last.parts, message) })
  }
  return turns
}

/** Whether a turn begins with this message: the agent itself adds follow-ups in the name of the person. */
export function isPrompt({ role, content }: StoredMessage): boolean {
  if (role !== 'user') return false
  const options = objectOf(objectOf(listOf(content)[0])['providerOptions'])
  return objectOf(options['plugboard'])['isFollowUp'] !== true
}

export function readPrompt({ seq, content }: StoredMessage): TurnPrompt {
  const parts = typeof content === 'string' ? [content] : listOf(content)
  const text = parts.flatMap((part) => (typeof part === 'string' ? [part] : textIn(part))).join('\n\n')
  return { seq, text, images: parts.flatMap(imageIn) }
}

function addMessage(parts: readonly TurnPart[], message: StoredMessage): readonly TurnPart[] {
  const { role, content } = message
  if (role === 'tool') return listOf(content).reduce(addResult, parts)
  const added = typeof content === 'string' ? [toText(content)] : listOf(content).flatMap(readPart)
  // A follow-up is no word of the model.
  return role === 'assistant'
    ? [...parts, ...added]
    : [...parts, ...added.map((part) => (part.kind === 'text' ? toNote(part.text) : part))]
}

function readPart(part: Json): readonly TurnPart[] {
  const { type, toolCallId, toolName, input } = objectOf(part)
  if (type === 'tool-call') {
    const call = { id: wordOf(toolCallId), ...calledTool(wordOf(toolName), input ?? {}) }
    return [{ kind: 'call', call: { ...call, state: 'running' } }]
  }
  const images = imageIn(part).map((image): TurnPart => ({ kind: 'image', image }))
  const texts = textIn(part).map((text): TurnPart => (type === 'reasoning' ? toThought(text) : toText(text)))
  return [...texts, ...images]
}

/** With many tools a model calls them through `call_tool`: the inner tool is what a person looks for. */
function calledTool(name: string, input: Json): Pick<TurnCall, 'name' | 'args'> {
  const { name: inner, arguments: args } = objectOf(input)
  return name.endsWith('call_tool') && typeof inner === 'string'
    ? { name: inner, args: args ?? {} }
    : { name, args: input }
}

function addResult(parts: readonly TurnPart[], result: Json): readonly TurnPart[] {
  const { type, toolCallId, output, providerOptions } = objectOf(result)
  if (type !== 'tool-result') return parts
  const at = parts.findLastIndex(
    (part) => part.kind === 'call' && part.call.id === toolCallId && part.call.state === 'running',
  )
  const part = parts[at]
  if (part?.kind !== 'call') return parts
  const { type: form, value, reason } = objectOf(output)
  const isFailed = wordOf(form).startsWith('error') || form === 'execution-denied'
  const text = outputText(value ?? reason)
  const images = form === 'content' ? listOf(value).flatMap(imageIn) : []
  const call: TurnCall = {
    ...part.call,
    state: isFailed ? 'failed' : 'done',
    ...toldBy(objectOf(objectOf(providerOptions)['plugboard'])),
    text,
    bytes: new TextEncoder().encode(text).length,
    ...(images.length > 0 && {
      blocks: images.map(({ mediaType, data }) => ({ type: 'image', data, mimeType: mediaType })),
    }),
  }
  return parts.with(at, { kind: 'call', call })
}

/** What the host keeps with a result: the tool that ran, whatever the model called it, and how long it took. */
function toldBy({ server, tool, ms, call, app }: JsonObject): Pick<TurnCall, 'ref' | 'ms' | 'call' | 'app'> {
  return {
    ...(wordOf(server) !== '' && wordOf(tool) !== '' && { ref: toRef(wordOf(server), wordOf(tool)) }),
    ...(typeof ms === 'number' && { ms }),
    ...(wordOf(app) !== '' && { call: wordOf(call), app: wordOf(app) }),
  }
}

function outputText(value: Json | undefined): string {
  if (value === undefined) return ''
  if (typeof value === 'string') return value
  return Array.isArray(value) ? value.flatMap(textIn).join('\n') : JSON.stringify(value, undefined, 2)
}

function toText(text: string): TurnPart {
  return { kind: 'text', text }
}

function toThought(text: string): TurnPart {
  return { kind: 'reasoning', text }
}

function toNote(text: string): TurnPart {
  return { kind: 'note', text }
}

function textIn(part: Json): readonly string[] {
  const { text } = objectOf(part)
  return typeof text === 'string' && text !== '' ? [text] : []
}

/** Images of prompts, of answers and of results. */
function imageIn(part: Json): readonly PromptImage[] {
  const { image, data, mediaType } = objectOf(part)
  const bytes = image ?? data
  return typeof bytes === 'string' && typeof mediaType === 'string' && mediaType.startsWith('image/')
    ? [{ mediaType, data: bytes }]
    : []
}

function wordOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [] // checked on this line
}

function objectOf(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {} // checked on this line
}
