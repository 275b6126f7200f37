import type { LanguageModel } from 'ai'
import { platformOf } from '../config/discover-options.ts'
import { Redactor } from '../model/secrets/redactor.ts'
import type { AgentModel } from './agent-model.ts'
import { describeFailure } from './describe-failure.ts'
import { providers } from './describe-model.ts'
import { createFetch } from './endpoint-fetch.ts'
import type { Fetch } from './endpoint-fetch.ts'
import { EndpointHeaders } from './endpoint-key.ts'
import type { Endpoint } from './endpoints.ts'
import { chooseModel } from './model-choice.ts'
import { factsOf } from './model-facts.ts'
import type { ModelOptions } from './model-options.ts'
import { fetchModels } from './offered-models.ts'

/**
 * Opens a model of an endpoint: the given reference (`openai/gpt-5`), `PLUGBOARD_MODEL`, or the model of the person's
 * settings. Nothing is sent yet; the key is read for the first request.
 *
 * @example
 * const model = await openModel('ollama/llama3.2')
 */
export async function openModel(ref?: string, options: ModelOptions = {}): Promise<AgentModel> {
  const platform = await platformOf(options)
  const choice = await chooseModel(ref, platform)
  const { endpoint, id } = choice
  const context = { platform, redactor: new Redactor() }
  const fetch = createFetch(endpoint, new EndpointHeaders(endpoint, context), platform)
  const [model, facts] = await Promise.all([createModel(endpoint, id, fetch), factsOf(endpoint, id)])
  return {
    model,
    name: choice.ref,
    provider: providers[endpoint.kind],
    images: endpoint.kind !== 'openai-compatible' && !(endpoint.kind === 'openai' && endpoint.api === 'chat'),
    ...facts,
    redact: (text) => context.redactor.redact(text),
    toError: (error) =>
      describeFailure(error, choice, context, async () =>
        (await fetchModels(endpoint, fetch, context, AbortSignal.timeout(listMs))).map((each) => each.id),
      ),
  }
}

/** How long an endpoint may take to list its models when a request named one that it does not have. */
const listMs = 5000

/** The providers want a key when they are created. `fetch` puts the real one in its place. */
const standIn = 'stand-in'

async function createModel(
  { name, kind, url: baseURL, api }: Endpoint,
  id: string,
  fetch: Fetch,
): Promise<Exclude<LanguageModel, string>> {
  const settings = { baseURL, fetch, apiKey: standIn }
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
