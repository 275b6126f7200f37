/** A scripted call of a tool. `rawArgs` is sent as it is, also if it is no JSON. */
export interface ScriptedCall {
  readonly name: string
  readonly args?: unknown
  readonly rawArgs?: string
  readonly id?: string
}

/** What the model says. */
export interface Saying {
  readonly text?: string
  readonly reasoning?: string
  readonly calls?: readonly ScriptedCall[]
  readonly usage?: Partial<ScriptedUsage>
  /** `length`: the model ran into its limit of output. */
  readonly finish?: 'length' | 'filter'
}

export interface ScriptedUsage {
  /** All tokens read, cached ones included. */
  readonly input: number
  readonly output: number
  readonly cached: number
}

/** The same with everything filled in, as a wire format writes it. */
export interface Spoken {
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly { readonly id: string; readonly name: string; readonly args: string }[]
  readonly usage: ScriptedUsage
  readonly finish: 'stop' | 'calls' | 'length' | 'filter'
  readonly model: string
  readonly id: string
}

export interface ReceivedCall {
  readonly id: string
  readonly name: string
  readonly args: unknown
}

export interface ReceivedResult {
  readonly id: string
  readonly text: string
  readonly isError?: boolean
}

/** A message as any of the four formats carries it: tool results are messages of their own. */
export interface ReceivedMessage {
  readonly role: 'user' | 'assistant' | 'tool'
  readonly text: string
  readonly calls?: readonly ReceivedCall[]
  readonly results?: readonly ReceivedResult[]
  /** Images and files, by their media type. */
  readonly files?: readonly string[]
}

export interface ReceivedTool {
  readonly name: string
  readonly description: string
  readonly schema: unknown
}

export interface Conversation {
  readonly system: string
  readonly messages: readonly ReceivedMessage[]
  readonly tools: readonly ReceivedTool[]
}

/** The pieces of a streamed answer. `open` and `text` can be repeated without end, `close` finishes it. */
export interface Frames {
  /** Everything before the end, in order. */
  readonly body: readonly string[]
  /** The finish reason, the usage and the end marker. */
  readonly end: readonly string[]
  /** One more piece of text, or of the arguments of the last call. */
  readonly more: (kind: 'text' | 'arguments') => string
}

/** One wire format. */
export interface WireFormat {
  /** The base address, as a provider takes it. */
  readonly base: string
  /** Whether this path asks for an answer; the rest is 404. */
  readonly isAnswer: (path: string) => boolean
  readonly isStream: (path: string, body: Body) => boolean
  readonly modelOf: (path: string, body: Body) => string
  readonly keyOf: (headers: Readonly<Record<string, unknown>>, url: URL) => string | undefined
  readonly read: (body: Body) => Conversation
  readonly stream: (spoken: Spoken) => Frames
  readonly whole: (spoken: Spoken) => unknown
  readonly error: (status: number, message: string) => unknown
  readonly list: (models: readonly string[]) => unknown
}

/** A JSON object of a request: tests read what they know to be there. */
export type Body = Readonly<Record<string, unknown>>

export function objects(value: unknown): readonly Body[] {
  return Array.isArray(value) ? (value as Body[]) : []
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Content that is a text, or a list of parts with texts. */
export function contentText(value: unknown): string {
  if (typeof value === 'string') return value
  return objects(value)
    .map((part) => textOf(part.text))
    .join('')
}

export function parseArgs(text: unknown): unknown {
  try {
    return JSON.parse(textOf(text)) as unknown
  } catch {
    return text
  }
}

/** A text in at most 20 pieces; none cuts a surrogate pair. */
export function pieces(text: string): readonly string[] {
  const characters = Array.from(text)
  const size = Math.max(4, Math.ceil(characters.length / 20))
  const found: string[] = []
  for (let at = 0; at < characters.length; at += size) found.push(characters.slice(at, at + size).join(''))
  return found
}

export function bearer(headers: Readonly<Record<string, unknown>>): string | undefined {
  const value = headers.authorization
  return typeof value === 'string' && value.startsWith('Bearer ') ? value.slice(7) : undefined
}

/** Neighbours of one role that only hold results become one message. */
export function joinResults(messages: readonly ReceivedMessage[]): readonly ReceivedMessage[] {
  const joined: ReceivedMessage[] = []
  for (const message of messages) {
    const last = joined.at(-1)
    if (last?.role === 'tool' && message.role === 'tool')
      joined[joined.length - 1] = { ...last, results: [...(last.results ?? []), ...(message.results ?? [])] }
    else joined.push(message)
  }
  return joined
}

export function sse(data: unknown, event?: string): string {
  return `${event ? `event: ${event}\n` : ''}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
}
