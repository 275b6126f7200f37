import type { Provider } from '../catalog/provider-schema.ts'
import { platformOf } from '../config/discover-options.ts'
import type { HostError } from '../model/error.ts'
import { Redactor } from '../model/secrets/redactor.ts'
import { describeFailure } from './describe-failure.ts'
import { providers } from './describe-model.ts'
import { createFetch } from './endpoint-fetch.ts'
import type { Fetch } from './endpoint-fetch.ts'
import { EndpointHeaders } from './endpoint-key.ts'
import type { Endpoint } from './endpoints.ts'
import type { EndpointKind } from '../config/endpoints/built-in-endpoints.ts'
import { chooseModel } from './model-choice.ts'
import type { ModelChoice } from './model-choice.ts'
import type { ModelFacts } from './model-facts.ts'
import { factsOf } from './known-facts.ts'
import type { ModelOptions } from './model-options.ts'
import type { LanguageModelObject } from './model-object.ts'
import type { ModelPrice } from './model-price.ts'
import { fetchModels } from './offered-models.ts'
import type { OfferedModel } from './offered-models.ts'
import { limitTime } from './time-limit.ts'

export type { ModelOptions }

/** A model of an endpoint: an object of the AI SDK, and what is known about it. */
export interface EndpointModel {
  readonly model: LanguageModelObject
  /** Its reference, such as `openai/gpt-5`. */
  readonly name: string
  /** Whose dialect the schemas of its tools have. */
  readonly provider: Provider
  /** Tokens that fit into a request and its answer. Absent: not known. */
  readonly window?: number
  readonly maxOutput?: number
  /** Absent: not known. */
  readonly price?: ModelPrice
  /** Whether results with images can be passed on as images. */
  readonly images: boolean
  /** Looks up the key of its endpoint, so that `redact` masks it from the first prompt on. Never rejects. */
  readonly prepare: () => Promise<void>
  /** Masks the key of its endpoint in a text. */
  readonly redact: (text: string) => string
  /** Words an error of a request, with the next step; `undefined` if its endpoint is not the reason. */
  readonly toError: (error: unknown) => Promise<HostError | undefined>
}

/**
 * Opens a model of an endpoint: the given reference (`openai/gpt-5`), `PLUGBOARD_MODEL`, or the model of the person's
 * settings. No prompt is sent yet. An endpoint whose list of models tells their windows is asked for that, if nothing else does.
 *
 * @example
 * const model = await openModel('ollama/llama3.2')
 */
export async function openModel(ref?: string, options: ModelOptions = {}): Promise<EndpointModel> {
  const platform = await platformOf(options)
  const choice = await chooseModel(ref, platform)
  const { endpoint, id } = choice
  const context = { platform, redactor: new Redactor() }
  const headers = new EndpointHeaders(endpoint, context)
  const fetch = createFetch(endpoint, headers, platform)
  const list = async (ms: number) => {
    using limit = limitTime(platform.clock, ms)
    return await fetchModels(endpoint, fetch, context, limit.signal)
  }
  const [model, facts] = await Promise.all([
    createModel(endpoint, id, fetch),
    findFacts(choice, () => list(factsMs)),
  ])
  return {
    model,
    name: choice.ref,
    provider: providers[endpoint.kind],
    images: endpoint.kind !== 'openai-compatible' && !(endpoint.kind === 'openai' && endpoint.api === 'chat'),
    ...facts,
    // A request that needs the key says why there is none.
    prepare: async () => void (await headers.get().catch(() => undefined)),
    redact: (text) => context.redactor.redact(text),
    toError: (error) =>
      describeFailure(error, choice, context, async () => (await list(listMs)).map((each) => each.id)),
  }
}

/** How long an endpoint may take to list its models, when a request named one that it does not have. */
const listMs = 5000
/** The same for a window that is not known: without an answer it stays so. */
const factsMs = 2000

/** The facts that are known here. The window of a program on this machine is what it was started with, so it is asked. */
async function findFacts(
  { endpoint, id }: ModelChoice,
  list: () => Promise<readonly OfferedModel[]>,
): Promise<ModelFacts> {
  const facts = await factsOf(endpoint, id)
  if (facts.window !== undefined || !tellsWindows.includes(endpoint.kind)) return facts
  const offered = await list().catch((): readonly OfferedModel[] => [])
  const { window, maxOutput } = offered.find((each) => each.id === id) ?? {}
  return {
    ...(maxOutput !== undefined && { maxOutput }),
    ...facts,
    ...(window !== undefined && { window }),
  }
}

/** Kinds whose lists may contain windows that the table does not have. */
const tellsWindows: readonly EndpointKind[] = ['openai-compatible', 'google']

/** The AI SDK writes warnings to stdout and stderr, where results of commands are; a program that wants them sets this itself. */
function silenceWarnings(): void {
  if (!('AI_SDK_LOG_WARNINGS' in globalThis)) Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })
}

/** The providers want a key when they are created. `fetch` puts the real one in its place. */
const standIn = 'stand-in'

async function createModel(
  { name, kind, url: baseURL, api }: Endpoint,
  id: string,
  fetch: Fetch,
): Promise<LanguageModelObject> {
  const settings = { baseURL, fetch, apiKey: standIn }
  silenceWarnings()
  if (kind === 'openai') {
    const { createOpenAI } = await import('@ai-sdk/openai')
    const openai = createOpenAI(settings)
    return api === 'chat' ? openai.chat(id) : openai.responses(id)
  }
  if (kind === 'anthropic') {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    return createAnthropic(settings)(id)
  }
  if (kind === 'google') {
    const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
    return createGoogleGenerativeAI(settings)(id)
  }
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  // Without `includeUsage`, a stream does not say how many tokens it took.
  return createOpenAICompatible({ ...settings, name, includeUsage: true }).chatModel(id)
}
