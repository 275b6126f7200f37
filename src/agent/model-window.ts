import { isList, isObject } from '../model/json.ts'
import type { Json } from '../model/json.ts'
import type { Message, StoredMessage } from '../store.ts'
import type { AgentEventBody } from './agent-events.ts'
import { estimateTokens } from '../models/tokens.ts'
import { outputText, toDropped } from './result-references.ts'
import { isPrompt } from './turn-prompts.ts'

/** After something was dropped there is room for a while: dropping at every step would void the provider's cache each time. */
const refillShare = 0.7
/** Tokens of a message besides its texts. */
const messageTokens = 4
/** A result below this is not worth dropping. */
const smallResult = 60
/** About what a provider charges for an image. */
const imageTokens = 1600

/** The messages of a request do not fit, whatever is left out. */
export interface WindowProblem {
  readonly needed: number
  readonly room: number
}

/**
 * The part of a conversation that a model gets. The messages themselves stay as they are. When they do not fit, the
 * texts of the oldest results are left out first, then the oldest turns; the last prompt always stays. What was left out
 * stays out, so that the beginning of each request is the same as before.
 */
export class ModelWindow {
  readonly #messages: () => readonly StoredMessage[]
  /** The index of the first message that is included. */
  #from = 0
  /** Messages up to this index were looked at. */
  #seen = 0
  readonly #dropped = new Set<string>()
  #tokens = 0
  /** Estimates times this are what the provider counts. */
  #ratio = 1
  #lastEstimate = 0

  constructor(messages: () => readonly StoredMessage[]) {
    this.#messages = messages
  }

  /** The tokens of the included messages, about. */
  get tokens(): number {
    return Math.round(this.#tokens * this.#ratio)
  }

  /** Corrects the estimates by what the provider counted for the last request. */
  correct(reported: number, besides: number): void {
    const estimated = this.#lastEstimate + besides
    if (reported > 0 && estimated > 200) this.#ratio = Math.min(2, Math.max(0.5, reported / estimated))
  }

  /** Forgets what was weighed and dropped. Called when messages were removed or the model was changed. */
  reset(): void {
    this.#from = 0
    this.#seen = 0
    this.#tokens = 0
    this.#ratio = 1
    this.#dropped.clear()
  }

  /** Makes the messages fit into `room` tokens. */
  fit(room: number, emit: (event: AgentEventBody) => void): WindowProblem | undefined {
    const budget = Math.floor(room / this.#ratio)
    const messages = this.#messages()
    const hadFrom = this.#from
    if (this.#seen === 0 && messages.length > 1) this.#open(messages, budget, emit)
    for (; this.#seen < messages.length; this.#seen++) this.#tokens += this.#weigh(messages[this.#seen])
    if (this.#tokens > budget) this.#makeRoom(messages, budget, emit)
    if (this.#from > hadFrom) emit({ type: 'messages.dropped', count: this.#from })
    this.#lastEstimate = this.#tokens
    return this.#tokens > budget ? { needed: this.tokens, room } : undefined
  }

  /** The messages of the next request. */
  request(): readonly Message[] {
    return this.#messages()
      .slice(this.#from)
      .map((message) => this.#shown(message))
  }

  /**
   * A conversation that goes on: walks back from its end as far as the window reaches, so that opening ten thousand
   * messages costs no more than those that fit.
   */
  #open(messages: readonly StoredMessage[], budget: number, emit: (event: AgentEventBody) => void): void {
    const last = lastPrompt(messages)
    const dropped: { readonly at: number; readonly call: string }[] = []
    let saved = 0
    let tokens = 0
    let isFull = false
    let at = messages.length - 1
    for (; at >= 0; at--) {
      let weight = this.#weigh(messages[at])
      if (!isFull && tokens + weight > budget * refillShare) isFull = true
      if (isFull && at < last) {
        for (const call of this.#dropResults(messages[at], Infinity)) dropped.push({ at, call })
        const whole = weight
        weight = this.#weigh(messages[at])
        if (tokens + weight > budget) break
        saved += whole - weight
      }
      tokens += weight
    }
    this.#from = at < 0 ? 0 : Math.min(nextPrompt(messages, at + 1), last)
    this.#seen = this.#from
    this.#tokens = 0
    const calls = dropped.filter(({ at: index }) => index >= this.#from).map(({ call }) => call)
    if (calls.length > 0) emit({ type: 'results.dropped', calls: calls.reverse(), tokens: saved })
  }

  #makeRoom(messages: readonly StoredMessage[], budget: number, emit: (event: AgentEventBody) => void): void {
    const goal = budget * refillShare
    const calls: string[] = []
    const before = this.#tokens
    // The results of the last step are what the model waits for.
    const lastStep = messages.findLastIndex(({ role }) => role === 'tool')
    for (let at = this.#from; at < messages.length && this.#tokens > goal; at++) {
      if (at !== lastStep) calls.push(...this.#dropFrom(messages[at], goal))
    }
    const last = lastPrompt(messages)
    while (this.#tokens > budget && this.#from < last) {
      const next = Math.min(nextPrompt(messages, this.#from + 1), last)
      for (; this.#from < next; this.#from++) this.#tokens -= this.#weigh(messages[this.#from])
    }
    if (this.#tokens > budget && lastStep >= this.#from)
      calls.push(...this.#dropFrom(messages[lastStep], budget))
    if (calls.length > 0)
      emit({ type: 'results.dropped', calls, tokens: Math.round((before - this.#tokens) * this.#ratio) })
  }

  #dropFrom(message: StoredMessage | undefined, goal: number): readonly string[] {
    const before = this.#weigh(message)
    const calls = this.#dropResults(message, this.#tokens - goal)
    this.#tokens -= before - this.#weigh(message)
    return calls
  }

  /** Drops results of a message until `excess` tokens are saved; returns their calls. */
  #dropResults(message: StoredMessage | undefined, excess: number): readonly string[] {
    if (message?.role !== 'tool' || !isList(message.content)) return []
    const calls: string[] = []
    let saved = 0
    for (const part of message.content) {
      const id = callId(part)
      if (saved >= excess) break
      const weight = weighPart(part)
      if (id === undefined || this.#dropped.has(keyOf(message, id)) || weight < smallResult) continue
      this.#dropped.add(keyOf(message, id))
      calls.push(id)
      saved += weight
    }
    return calls
  }

  #shown(message: StoredMessage): Message {
    const { role, content } = message
    if (role !== 'tool' || this.#dropped.size === 0 || !isList(content)) return message
    const shown = content.map((part) =>
      isObject(part) && this.#dropped.has(keyOf(message, callId(part) ?? '')) ? toDropped(part) : part,
    )
    return shown.some((part, at) => part !== content[at]) ? { role, content: shown } : message
  }

  #weigh(message: StoredMessage | undefined): number {
    if (!message) return 0
    if (message.role !== 'tool' || this.#dropped.size === 0) return weigh(message)
    return weighContent(this.#shown(message).content)
  }
}

const weights = new WeakMap<Message, number>()

function weigh(message: Message): number {
  const known = weights.get(message)
  if (known !== undefined) return known
  const weight = weighContent(message.content)
  weights.set(message, weight)
  return weight
}

function weighContent(content: Json): number {
  if (typeof content === 'string') return estimateTokens(content) + messageTokens
  if (!isList(content)) return messageTokens
  return content.reduce((sum: number, part) => sum + weighPart(part), messageTokens)
}

function weighPart(part: Json): number {
  if (!isObject(part)) return 0
  const { type, text, input, output } = part
  if (type === 'image' || type === 'file') return imageTokens
  if (typeof text === 'string') return estimateTokens(text)
  if (input !== undefined) return estimateTokens(JSON.stringify(input)) + messageTokens * 2
  return output === undefined
    ? 0
    : estimateTokens(outputText(part)) + imagesOf(output) * imageTokens + messageTokens
}

function imagesOf(output: Json): number {
  const value = isObject(output) ? output['value'] : undefined
  return isList(value) ? value.filter((item) => isObject(item) && item['type'] !== 'text').length : 0
}

/** Some endpoints use the same ids in every answer. */
function keyOf({ seq }: StoredMessage, call: string): string {
  return `${seq} ${call}`
}

function callId(part: Json): string | undefined {
  const id = isObject(part) ? part['toolCallId'] : undefined
  return typeof id === 'string' ? id : undefined
}

function lastPrompt(messages: readonly Message[]): number {
  return Math.max(0, messages.findLastIndex(isPrompt))
}

function nextPrompt(messages: readonly Message[], from: number): number {
  const at = messages.findIndex((message, index) => index >= from && isPrompt(message))
  return at < 0 ? messages.length : at
}
