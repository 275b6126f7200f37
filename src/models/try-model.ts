import type { LanguageModel } from 'ai'
import { isObject } from '../model/json.ts'
import type { Json } from '../model/json.ts'
import { openModel } from './open-model.ts'
import type { EndpointModel } from './open-model.ts'
import type { ModelOptions } from './model-options.ts'

/** What a model did with one small request that asks for one call of a tool. */
export interface ModelTrial {
  readonly model: string
  /** Whether it called the tool with the arguments it was asked for. */
  readonly callsTools: boolean
  /** Whether it said how many tokens that took. */
  readonly reportsUsage: boolean
  readonly inputTokens?: number
  readonly outputTokens?: number
  /** What it said instead of calling the tool, or besides. */
  readonly text: string
}

const longestText = 200
/** More is read than is shown: a key that is cut off at the end would not be recognized. */
const longestRead = 4000

/** Sends one small request with one tool. Throws a `HostError` if the endpoint did not carry it out. */
export async function tryModel(
  ref: string | undefined,
  { signal, ...options }: ModelOptions & { readonly signal?: AbortSignal } = {},
): Promise<ModelTrial> {
  const model = await openModel(ref, options)
  try {
    return await askForCall(model, signal)
  } catch (error) {
    signal?.throwIfAborted()
    throw (await model.toError(error)) ?? error
  }
}

async function askForCall(
  { model, name, redact }: EndpointModel,
  signal: AbortSignal | undefined,
): Promise<ModelTrial> {
  const { streamText, tool, jsonSchema } = await import('ai')
  let callsTools = false
  let text = ''
  const result = streamText({
    model: model as LanguageModel, // our own, of the same version
    prompt: 'Call the tool "report" with the word "ready". Say nothing else.',
    tools: {
      report: tool({
        description: 'Reports one word.',
        inputSchema: jsonSchema({
          type: 'object',
          properties: { word: { type: 'string' } },
          required: ['word'],
        }),
      }),
    },
    maxRetries: 0,
    ...(signal && { abortSignal: signal }),
    // The stream has the error too; by default it is also written to the console.
    onError: () => undefined,
  })
  for await (const part of result.fullStream) {
    if (part.type === 'error') throw part.error
    if (part.type === 'abort') signal?.throwIfAborted()
    if (part.type === 'text-delta' && text.length < longestRead) text += part.text
    if (part.type === 'tool-call') callsTools ||= saysReady(part.toolName, part.input as Json) // parsed from JSON
  }
  const { inputTokens, outputTokens } = await result.totalUsage
  return {
    model: name,
    callsTools,
    reportsUsage: inputTokens !== undefined && outputTokens !== undefined,
    ...(inputTokens !== undefined && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
    text: redact(text).slice(0, longestText).trim(),
  }
}

function saysReady(name: string, input: Json): boolean {
  return name === 'report' && isObject(input) && /ready/i.test(JSON.stringify(input))
}
