import type { Json, JsonObject, Sample } from '../index.ts'
import { isObject, listOf } from '../internal.ts'

/** A model object of the AI SDK, and how it is called. */
export interface SampleModel {
  readonly model: object
  readonly name: string
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
  const { model, approve, onRejected = () => undefined, now = Date.now } = options
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
  return async ({ server, params, canWait }, { signal }) => {
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
    const input = estimate([system ?? '', ...messages.map(({ text }) => text)])
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
      }
      if (!granted.has(server)) {
        const grant = await approve(request, { signal })
        if (grant === 'conversation') granted.add(server)
        if (grant !== 'once' && grant !== 'conversation') return undefined
      }
      signal.throwIfAborted()
      isSent = true
      const answer = await askModel(current, request, params, signal)
      used.count = answer.tokens ?? input + estimate([answer.text])
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

interface ModelAnswer {
  readonly text: string
  readonly tokens: number | undefined
  readonly isCut: boolean
}

async function askModel(
  { model }: SampleModel,
  { system, messages, maxTokens }: SampleRequest,
  params: JsonObject,
  signal: AbortSignal,
): Promise<ModelAnswer> {
  const { streamText } = await import('ai')
  const { temperature, stopSequences } = params
  const stops = listOf(stopSequences).filter((each) => typeof each === 'string')
  let failure: { readonly error: unknown } | undefined
  const answer = streamText({
    model: model as Parameters<typeof streamText>[0]['model'], // declared by its shape
    ...(system !== undefined && { system }),
    messages: messages.map(({ role, text }) => ({ role, content: text })),
    maxOutputTokens: maxTokens,
    ...(typeof temperature === 'number' && { temperature }),
    ...(stops.length > 0 && { stopSequences: stops }),
    maxRetries: 1,
    abortSignal: signal,
    onError: ({ error }) => void (failure ??= { error }),
  })
  let text = ''
  for await (const piece of answer.textStream) text += piece
  if (failure) throw failure.error
  const { totalTokens } = await answer.totalUsage
  return { text, tokens: totalTokens, isCut: (await answer.finishReason) === 'length' }
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

/** About: four characters are a token of English text. */
function estimate(texts: readonly string[]): number {
  return Math.ceil(texts.reduce((sum, text) => sum + text.length, 0) / 4)
}
