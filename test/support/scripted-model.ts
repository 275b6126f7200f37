import type { LanguageModelObject } from '../../src/agent.ts'

/** One answer of the model. */
export interface ScriptedAnswer {
  readonly text?: string
  readonly calls?: readonly {
    readonly id?: string
    readonly name: string
    readonly args?: object
    readonly raw?: string
  }[]
  readonly reasoning?: string
  readonly finish?: 'stop' | 'length' | 'content-filter'
  readonly usage?: { readonly input: number; readonly output: number; readonly cached?: number } | null
  /** Fails before anything is sent. */
  readonly error?: unknown
  /** Breaks off after the text. */
  readonly breaks?: unknown
  /** Waits for this after the text. */
  readonly until?: Promise<unknown>
  /** Sends its text again and again until it is stopped. */
  readonly endless?: boolean
}

/** What the model was asked, as a provider would get it. */
export interface ScriptedRequest {
  readonly prompt: readonly { readonly role: string; readonly content: unknown }[]
  readonly tools?: readonly {
    readonly name: string
    readonly description?: string
    readonly inputSchema: object
  }[]
  readonly abortSignal?: AbortSignal
}

export type Script = readonly (ScriptedAnswer | ((request: ScriptedRequest) => ScriptedAnswer))[]

/** A model object as an embedder may write one. After its script it repeats the last answer. */
export function scriptedModel(...script: Script) {
  const requests: ScriptedRequest[] = []
  const model: LanguageModelObject = {
    specificationVersion: 'v3',
    provider: 'scripted.chat',
    modelId: 'one',
    ...({ supportedUrls: {} } as object),
    async doStream(given: never) {
      const request = given as ScriptedRequest
      requests.push(structuredClone({ prompt: request.prompt, tools: request.tools ?? [] }))
      const scripted = script[Math.min(requests.length, script.length) - 1] ?? {}
      const answer = typeof scripted === 'function' ? scripted(request) : scripted
      if (answer.error !== undefined) throw answer.error
      return { stream: ReadableStream.from(partsOf(answer, requests.length, request.abortSignal)) }
    },
  }
  return { model, requests }
}

async function* partsOf(answer: ScriptedAnswer, turn: number, signal: AbortSignal | undefined) {
  yield { type: 'stream-start', warnings: [] }
  const { text, reasoning, calls = [], usage } = answer
  if (reasoning !== undefined) {
    yield { type: 'reasoning-start', id: 'r' }
    yield { type: 'reasoning-delta', id: 'r', delta: reasoning }
    yield { type: 'reasoning-end', id: 'r', providerMetadata: { scripted: { signature: 's1' } } }
  }
  if (text !== undefined) {
    yield { type: 'text-start', id: 't' }
    do {
      yield { type: 'text-delta', id: 't', delta: text }
      if (answer.endless) await new Promise((resolve) => setImmediate(resolve))
      if (signal?.aborted) return
    } while (answer.endless)
    if (answer.until) await answer.until
    if (answer.breaks !== undefined) throw answer.breaks
    yield { type: 'text-end', id: 't' }
  }
  for (const [at, { name, args = {}, raw, id = `c${turn}_${at + 1}` }] of calls.entries())
    yield {
      type: 'tool-call',
      toolCallId: id,
      toolName: name,
      input: raw ?? JSON.stringify(args),
    }
  const { input, output, cached = 0 } = usage ?? { input: 10, output: 5 }
  const isReported = usage !== null
  yield {
    type: 'finish',
    finishReason: { unified: answer.finish ?? (calls.length > 0 ? 'tool-calls' : 'stop'), raw: undefined },
    usage: {
      inputTokens: {
        total: isReported ? input : undefined,
        noCache: undefined,
        cacheRead: cached,
        cacheWrite: undefined,
      },
      outputTokens: { total: isReported ? output : undefined, text: undefined, reasoning: undefined },
    },
  }
}
