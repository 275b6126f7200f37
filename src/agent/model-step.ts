import { randomUUID } from 'node:crypto'
import { jsonSchema, streamText } from 'ai'
import type { LanguageModel, ModelMessage, SystemModelMessage, TextStreamPart, ToolSet } from 'ai'
import type { Json, JsonObject } from '../index.ts'
import type { LanguageModelObject } from '../models/model-object.ts'

// The only module that imports `ai`. It is loaded with the first agent.

export { jsonSchema }
export type { ModelMessage, ToolSet }

export interface StepRequest {
  readonly model: LanguageModelObject
  readonly system?: SystemModelMessage | undefined
  readonly temperature?: number | undefined
  readonly stopSequences?: readonly string[] | undefined
  readonly messages: readonly ModelMessage[]
  readonly tools: ToolSet
  /** The longest answer, if it is known; some providers cut answers of unknown models short without it. */
  readonly maxOutput?: number | undefined
  readonly signal: AbortSignal
  readonly onText: (text: string) => void
  readonly onReasoning: (text: string) => void
  /** A piece of the arguments of a call; `call` is the same for all pieces of one, and for the call itself. */
  readonly onDraft?: (draft: { readonly call: string; readonly name: string; readonly text: string }) => void
  /** Called for everything that arrives, with its number of characters. */
  readonly onPiece: (length: number) => void
}

/** A call as the model wrote it. */
export interface StepCall {
  readonly id: string
  /** As the model wrote it, cut if it is longer than any name. */
  readonly name: string
  /** The same in the conversation. */
  readonly storedName: string
  /** `undefined` if the model's text was not JSON. */
  readonly input: unknown
  /** The id that `onDraft` had. */
  readonly call?: string
  /** Its arguments were nested deeper than anything here walks: they are dropped. */
  readonly isTooDeep?: boolean
}

/** More calls of one answer are dropped. Those beyond the limit of calls that run get a result that says so. */
const maxKeptCalls = 256
/** Providers, schemas and stores recurse over arguments. */
const maxDepth = 200
const maxName = 256
/** Endpoints have forms of their own for IDs, and want to get theirs back. */
const idForm = /^[\x21-\x7e]{1,128}$/
/** No request and no answer has more. */
const maxTokens = 1_000_000_000

/** What a model answered, as far as it came: it may have failed or been stopped in the middle. */
export interface StepAnswer {
  /** The parts of the assistant's message, as the AI SDK stores them. */
  readonly content: readonly JsonObject[]
  readonly text: string
  readonly calls: readonly StepCall[]
  readonly finish: string
  readonly usage?: {
    readonly input: number
    readonly output: number
    readonly cached: number
    readonly written: number
  }
  /** The AI SDK fails in three ways (an event, a throwing stream, a rejecting promise): all of them end here. */
  readonly failure?: { readonly error: unknown }
}

/** Sends one request to a model and reads its answer. The tools have no `execute`: the caller runs the calls. */
export async function runModelStep(request: StepRequest): Promise<StepAnswer> {
  const { model, system, messages, tools, maxOutput, signal, temperature, stopSequences } = request
  const answer = new AnswerReader(request)
  try {
    signal.throwIfAborted()
    const { fullStream } = streamText({
      model: withoutWarnings(model),
      ...(system && { system }),
      ...(temperature !== undefined && { temperature }),
      ...(stopSequences && { stopSequences: [...stopSequences] }),
      // The real messages are those of `prepareStep`: these here are checked against a schema, which for a long
      // conversation takes longer than everything else.
      prompt: 'unused',
      prepareStep: () => ({ messages: [...messages] }),
      tools,
      ...(maxOutput !== undefined && { maxOutputTokens: maxOutput }),
      abortSignal: signal,
      // OpenAI would store each answer, and later requests would name stored parts, which are gone after a month.
      ...(model.provider.endsWith('.responses') && { providerOptions: { openai: { store: false } } }),
      // Retries are the caller's: it reports them, and they end with its signal.
      maxRetries: 0,
      experimental_include: { requestBody: false },
      // The default prints to the console.
      onError: () => undefined,
    })
    const reader = fullStream.getReader()
    // Also ends the reading of a model object that ignores the signal.
    const cancel = () => void reader.cancel().catch(() => undefined)
    signal.addEventListener('abort', cancel, { once: true })
    try {
      for (let next = await reader.read(); !next.done; next = await reader.read()) answer.take(next.value)
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  } catch (error) {
    answer.fail(error)
  }
  return answer.end()
}

interface StreamPart {
  readonly type: string
}

/** The AI SDK prints the warnings of a provider to the console, which belongs to the program. */
function withoutWarnings(model: LanguageModelObject): LanguageModel {
  const stream = async (options: never) => {
    const result = (await model.doStream(options)) as { readonly stream: ReadableStream<StreamPart> }
    const strip = new TransformStream<StreamPart, StreamPart>({
      transform(part, controller) {
        controller.enqueue(part.type === 'stream-start' ? ({ ...part, warnings: [] } as StreamPart) : part)
      },
    })
    return { ...result, stream: result.stream.pipeThrough(strip) }
  }
  // A model object may be of a class: its other members stay what they are.
  const quiet: unknown = new Proxy(model, {
    get(target, key) {
      if (key === 'doStream') return stream
      const member: unknown = Reflect.get(target, key)
      return typeof member === 'function' ? (member.bind(target) as unknown) : member
    },
  })
  return quiet as LanguageModel // checked by its version when the agent was created
}

type Part = TextStreamPart<ToolSet>
type Draft = { type: 'text' | 'reasoning'; text: string; providerOptions?: JsonObject; isOpen: boolean }
type DraftPart = Extract<Part, { readonly type: `${'text' | 'reasoning'}-${string}` }>
type Finished = Extract<Part, { readonly type: 'finish-step' }>

class AnswerReader {
  readonly #request: StepRequest
  readonly #parts: (Draft | JsonObject)[] = []
  readonly #open = new Map<string, Draft>()
  readonly #calls: StepCall[] = []
  readonly #ids = new Set<string>()
  /** Calls that are written, by the id of the provider. */
  readonly #drafts = new Map<string, { readonly call: string; readonly name: string }>()
  #finished: Finished | undefined
  #failure: { readonly error: unknown } | undefined

  constructor(request: StepRequest) {
    this.#request = request
  }

  take(part: Part): void {
    const { onText, onReasoning, onPiece } = this.#request
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
        this.#begin(part)
        this.#add(part, '')
        return
      case 'text-delta':
      case 'reasoning-delta':
        onPiece(part.text.length)
        // A piece beyond the limit may have any length, and is not kept.
        if (this.#request.signal.aborted) return
        this.#add(part, part.text)
        return part.type === 'text-delta' ? onText(part.text) : onReasoning(part.text)
      case 'text-end':
      case 'reasoning-end':
        this.#add(part, '').isOpen = false
        return
      case 'tool-input-start':
        onPiece(0)
        this.#drafts.set(part.id, { call: randomUUID(), name: part.toolName })
        return
      case 'tool-input-delta': {
        onPiece(part.delta.length)
        const draft = this.#drafts.get(part.id)
        if (draft && !this.#request.signal.aborted) this.#request.onDraft?.({ ...draft, text: part.delta })
        return
      }
      case 'tool-call':
        onPiece(0)
        return this.#request.signal.aborted ? undefined : this.#call(part)
      case 'file': {
        const { base64: data, mediaType } = part.file
        onPiece(data.length)
        if (this.#request.signal.aborted) return
        this.#parts.push({ type: 'file', data, mediaType, ...optionsOf(part.providerMetadata) })
        return
      }
      case 'finish-step':
        this.#finished = part
        // How most providers of the AI SDK report a stream that ended in the middle, or a page in place of a stream.
        if (part.finishReason === 'other' && part.rawFinishReason === undefined)
          this.fail(new Error('it ended without a finish reason.'))
        return
      case 'error':
        return this.fail(part.error)
      default:
        return onPiece(0)
    }
  }

  fail(error: unknown): void {
    this.#failure ??= { error }
  }

  end(): StepAnswer {
    const isStopped = this.#request.signal.aborted
    const content = this.#parts.flatMap((part) => this.#toStored(part))
    const usage = this.#finished?.usage
    const isReported = isCount(usage?.inputTokens) && isCount(usage?.outputTokens)
    return {
      content,
      text: textOf(content),
      calls: this.#calls,
      finish: this.#finished?.finishReason ?? (isStopped ? 'abort' : 'error'),
      ...(isReported && {
        usage: {
          input: usage.inputTokens ?? 0,
          output: usage.outputTokens ?? 0,
          cached: countOf(usage.inputTokenDetails.cacheReadTokens),
          written: countOf(usage.inputTokenDetails.cacheWriteTokens),
        },
      }),
      ...(this.#failure && !isStopped && { failure: this.#failure }),
    }
  }

  #begin(part: DraftPart): Draft {
    const type = part.type.startsWith('text') ? 'text' : 'reasoning'
    const draft: Draft = { type, text: '', isOpen: true }
    this.#open.set(keyOf(part), draft)
    this.#parts.push(draft)
    return draft
  }

  #add(part: DraftPart, text: string): Draft {
    const draft = this.#open.get(keyOf(part)) ?? this.#begin(part)
    draft.text += text
    return Object.assign(draft, optionsOf(part.providerMetadata))
  }

  #call(part: Extract<Part, { readonly type: 'tool-call' }>): void {
    if (this.#calls.length >= maxKeptCalls) return
    // Some endpoints give all calls of an answer the same id.
    const given = idForm.test(part.toolCallId) ? part.toolCallId : 'call'
    let id = given
    for (let count = 2; this.#ids.has(id); count++) id = `${given}_${count}`
    this.#ids.add(id)
    const isInvalid = 'invalid' in part && part.invalid === true && typeof part.input === 'string'
    const isTooDeep = !isInvalid && isDeeper(part.input, maxDepth)
    const input: unknown = isTooDeep ? {} : part.input
    const storedName = toStoredName(part.toolName)
    const draft = this.#drafts.get(part.toolCallId)
    this.#drafts.delete(part.toolCallId)
    this.#calls.push({
      id,
      ...(draft && { call: draft.call }),
      name: part.toolName.slice(0, maxName),
      storedName,
      input: isInvalid ? undefined : input,
      ...(isTooDeep && { isTooDeep }),
    })
    this.#parts.push({
      type: 'tool-call',
      toolCallId: id,
      toolName: storedName,
      // Providers accept only objects here.
      input: typeof input === 'object' && input !== null ? (input as Json) : {},
      ...optionsOf(part.providerMetadata),
    })
  }

  /** Without empty texts, and without thoughts that were cut: a provider rejects them, because their signature is missing. */
  #toStored(part: Draft | JsonObject): readonly JsonObject[] {
    if (!isDraft(part)) return [part]
    const { isOpen, ...stored } = part
    if (part.type === 'reasoning') return isOpen ? [] : [stored]
    return part.text === '' ? [] : [stored]
  }
}

function keyOf({ type, id }: DraftPart): string {
  return `${type.startsWith('text')} ${id}`
}

/** An endpoint may report anything; a negative number would switch the limits off. */
function isCount(tokens: number | undefined): tokens is number {
  return tokens !== undefined && tokens >= 0 && tokens <= maxTokens
}

function countOf(tokens: number | undefined): number {
  return isCount(tokens) ? tokens : 0
}

/** A name as providers take it back: others reject the whole conversation for one that is not of this form. */
function toStoredName(name: string): string {
  if (/^[a-zA-Z_][\w-]{0,63}$/.test(name)) return name
  const cleaned = name.replace(/^(?![a-zA-Z_])/, '_').slice(0, 64)
  return cleaned.replace(/[^\w-]/g, '_')
}

/** Whether a value has more levels than these. Not recursive, because the value may be of any depth. */
function isDeeper(value: unknown, levels: number): boolean {
  let level: readonly unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levels) return true
    level = level.flatMap((each) =>
      typeof each === 'object' && each !== null ? (Object.values(each) as readonly unknown[]) : [],
    )
  }
  return false
}

function isDraft(part: Draft | JsonObject): part is Draft {
  return 'isOpen' in part
}

function optionsOf(metadata: unknown): { readonly providerOptions?: JsonObject } {
  return metadata === undefined || metadata === null ? {} : { providerOptions: metadata as JsonObject } // plain JSON of the provider
}

function textOf(content: readonly JsonObject[]): string {
  return content
    .flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []))
    .join('')
}
