import { nodePlatform } from '../index.ts'
import type { Finding, Json, JsonObject, Sample } from '../index.ts'
import { isObject, listOf } from '../internal.ts'
import type { LanguageModelObject } from '../models/model-object.ts'
import type { ModelPrice } from '../models/model-price.ts'
import { estimateTokens } from '../models/tokens.ts'
import type { Usage } from './agent-events.ts'
import { StreamLimits } from './stream-limits.ts'
import { defaultLimits } from './turn-limits.ts'
import { toUsage } from './turn-usage.ts'

/** A model object of the AI SDK, and how it is called. */
export interface SampleModel {
  readonly model: object
  readonly name: string
  /** Absent: the cost is not known. */
  readonly price?: ModelPrice
}

/** What one server may use of the model (T21). */
export interface SampleBudget {
  /** 5 */
  readonly requestsPerMinute: number
  /** Input and output together; 20,000. Counted in this process. */
  readonly tokensPerDay: number
  /** The longest answer; 2,000. */
  readonly maxTokens: number
}

export const defaultSampleBudget: SampleBudget = {
  requestsPerMinute: 5,
  tokensPerDay: 20_000,
  maxTokens: 2000,
}

/** A request of a server to the model, as a person is shown it: whole, and nothing else is sent. */
export interface SampleRequest {
  readonly server: string
  readonly model: string
  readonly system?: string
  readonly messages: readonly SampleMessage[]
  /** The longest answer, in tokens. */
  readonly maxTokens: number
  readonly canWait?: boolean
  /** What the scanner found in it. Such a request is asked about also after a grant for the conversation. */
  readonly findings?: readonly Finding[]
}

export interface SampleMessage {
  readonly role: 'user' | 'assistant'
  readonly text: string
}

/** `conversation`: further requests of this server are not asked about, as long as the budget lasts. */
export type SampleGrant = 'once' | 'conversation' | 'no'

export type ApproveSample = (
  request: SampleRequest,
  options: { readonly signal: AbortSignal },
) => Promise<SampleGrant>

export interface SampleOptions {
  /** The model in hand at the time of a request. */
  readonly model: SampleModel | (() => SampleModel)
  readonly approve: ApproveSample
  readonly budget?: Partial<SampleBudget>
  /** Called if a request is rejected without asking, with the reason. */
  readonly onRejected?: (rejected: { readonly server: string; readonly reason: string }) => void
  /** Called after an answer, with what it used: `agent.count` adds it to the conversation. */
  readonly onUsed?: (used: { readonly server: string; readonly usage: Usage }) => void
  readonly now?: () => number
}

/**
 * Answers sampling requests of servers with a model, after a person's approval and within a budget for each server. The model
 * gets the messages of the server alone: neither tools nor any context of the conversation (T21).
 *
 * @example
 * const host = await createHost({ sample: createSample({ model, approve: desk.approveSample }) })
 */
export function createSample(options: SampleOptions): Sample {
  const { model, approve, onRejected = () => undefined, onUsed, now = Date.now } = options
  const budget = { ...defaultSampleBudget, ...options.budget }
  const spending = new Map<string, Spending>()
  const granted = new Set<string>()
  const spendingOf = (server: string): Spending => {
    const found = spending.get(server) ?? { requests: [], tokens: [] }
    const [minute, day] = [now() - 60_000, now() - 24 * 3_600_000]
    const current: Spending = {
      requests: found.requests.filter((at) => at > minute),
      tokens: found.tokens.filter(({ at }) => at > day),
    }
    spending.set(server, current)
    return current
  }
  return async ({ server, params, canWait, findings }, { signal }) => {
    const reject = (reason: string) => {
      onRejected({ server, reason })
      return undefined
    }
    const { requests, tokens } = spendingOf(server)
    if (requests.length >= budget.requestsPerMinute)
      return reject(`It sent more than ${budget.requestsPerMinute} requests to the model within a minute.`)
    // Counted before the person is asked: the limit also holds off a flood of questions.
    requests.push(now())
    const messages = readMessages(params['messages'])
    if (!messages) return reject('Its messages cannot be read: only text is passed on.')
    const system = textOf(params['systemPrompt'])
    const texts = [...(system === undefined ? [] : [system]), ...messages.map(({ text }) => text)]
    const input = estimateTokens(texts.join('\n'))
    const left = budget.tokensPerDay - tokens.reduce((sum, { count }) => sum + count, 0) - input
    const maxTokens = Math.min(budget.maxTokens, left, countOf(params['maxTokens']) ?? Infinity)
    if (maxTokens < 1)
      return reject(`It has used its ${budget.tokensPerDay} tokens of the model for this day.`)
    const used: { readonly at: number; count: number } = { at: now(), count: input + maxTokens }
    // Reserved now, corrected below: other requests of the server may run meanwhile.
    tokens.push(used)
    let isSent = false
    try {
      const current = typeof model === 'function' ? model() : model
      const request: SampleRequest = {
        server,
        model: current.name,
        ...(system !== undefined && { system }),
        messages,
        maxTokens,
        ...(canWait && { canWait }),
        ...(findings && { findings }),
      }
      if (!granted.has(server) || findings) {
        const grant = await approve(request, { signal })
        if (grant === 'conversation') granted.add(server)
        if (grant !== 'once' && grant !== 'conversation') return undefined
      }
      signal.throwIfAborted()
      isSent = true
      const answer = await sampleAnswer(current, request, params, signal)
      const estimated = { input, output: estimateTokens(answer.text) }
      const usage = toUsage(answer.usage, estimated, current)
      used.count = usage.inputTokens + usage.outputTokens
      onUsed?.({ server, usage })
      return {
        role: 'assistant',
        content: { type: 'text', text: answer.text },
        model: current.name,
        stopReason: answer.isCut ? 'maxTokens' : 'endTurn',
      }
    } finally {
      if (!isSent) used.count = 0
    }
  }
}

interface Spending {
  /** When requests came. */
  readonly requests: number[]
  readonly tokens: { readonly at: number; count: number }[]
}

/** How long a server's request may keep the model. */
const sampleMs = 5 * 60_000
/** No token of a text has more characters on average. */
const maxCharsPerToken = 16

async function sampleAnswer(
  { model }: SampleModel,
  { system, messages, maxTokens }: SampleRequest,
  params: JsonObject,
  signal: AbortSignal,
) {
  const { runModelStep } = await import('./model-step.ts')
  const { temperature, stopSequences } = params
  const stops = listOf(stopSequences).filter((each) => typeof each === 'string')
  const output = Math.max(1000, maxTokens * maxCharsPerToken)
  const stream = new StreamLimits(nodePlatform({}).clock, { ...defaultLimits, output }, signal, sampleMs)
  try {
    const answer = await runModelStep({
      model: model as LanguageModelObject, // declared by its shape
      ...(system !== undefined && { system: { role: 'system', content: system } }),
      messages: messages.map(({ role, text }) => ({ role, content: text })),
      tools: {},
      maxOutput: maxTokens,
      ...(typeof temperature === 'number' && { temperature }),
      ...(stops.length > 0 && { stopSequences: stops }),
      signal: stream.signal,
      onText: () => undefined,
      onReasoning: () => undefined,
      onPiece: (length) => stream.count(length),
    })
    signal.throwIfAborted()
    if (answer.failure) throw answer.failure.error
    if (stream.exceeded !== undefined && stream.exceeded !== 'output')
      throw new Error('The model took too long.')
    const isCut = answer.finish === 'length' || stream.exceeded === 'output'
    return { text: answer.text, usage: answer.usage, isCut }
  } finally {
    stream[Symbol.dispose]()
  }
}

/** The texts of the messages; `undefined` if one of them cannot be sent as text. */
function readMessages(value: Json | undefined): readonly SampleMessage[] | undefined {
  const messages = listOf(value).map((message): SampleMessage | undefined => {
    const { role, content } = isObject(message) ? message : {}
    const parts = Array.isArray(content) ? listOf(content) : [content ?? null]
    const texts = parts.map((part) =>
      isObject(part) && part['type'] === 'text' ? textOf(part['text']) : undefined,
    )
    if ((role !== 'user' && role !== 'assistant') || texts.includes(undefined)) return undefined
    return { role, text: texts.join('\n') }
  })
  return messages.length > 0 && messages.every((each) => each !== undefined) ? messages : undefined
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function countOf(value: Json | undefined): number | undefined {
  return typeof value === 'number' && value >= 1 ? Math.floor(value) : undefined
}
