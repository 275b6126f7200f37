import { platformOf } from '../config/discover-options.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import { HostError } from '../model/error.ts'
import type { EndpointKind } from '../config/endpoints/built-in-endpoints.ts'
import { Redactor } from '../model/secrets/redactor.ts'
import { HttpError } from '../platform/platform.ts'
import type { Platform } from '../platform/platform.ts'
import type { ModelPrice } from './model-price.ts'
import { createFetch } from './endpoint-fetch.ts'
import { EndpointHeaders, keySource, lacksKey } from './endpoint-key.ts'
import { findEndpoint, readEndpoints } from './endpoints.ts'
import type { Endpoint } from './endpoints.ts'
import { chosenReference } from './model-choice.ts'
import { toUnreachable } from './model-errors.ts'
import { factsOf } from './known-facts.ts'
import { fetchModels } from './offered-models.ts'
import type { ModelOptions } from './model-options.ts'
import { limitTime } from './time-limit.ts'

export interface ListModelsOptions extends ModelOptions {
  /** Only this endpoint. */
  readonly endpoint?: string
  /** How long each endpoint may take; 10 s by default. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

export interface ListedModel {
  readonly ref: string
  readonly id: string
  readonly title?: string
  readonly window?: number
  readonly maxOutput?: number
  readonly price?: ModelPrice
}

/** An endpoint and what it offers, or why that is not known. */
export interface ListedEndpoint {
  readonly name: string
  readonly title: string
  readonly kind: EndpointKind
  readonly url: string
  readonly isBuiltIn: boolean
  /** Where its key comes from; absent if it has none. */
  readonly key?: string
  /** With the state `no-key`: the variables that are looked for. */
  readonly keyVariables?: readonly string[]
  /** `no-key`: it needs one, so nothing was asked. */
  readonly state: 'ready' | 'no-key' | 'refused' | 'unreachable'
  readonly problem?: { readonly message: string; readonly hint?: string }
  readonly models: readonly ListedModel[]
}

export interface ModelListing {
  /** The model of `PLUGBOARD_MODEL` or of the settings. */
  readonly default?: string
  readonly endpoints: readonly ListedEndpoint[]
  readonly file: string
  readonly diagnostics: readonly Diagnostic[]
}

/** Asks all endpoints at once what they offer. One that does not answer is part of the list, with the reason. */
export async function listModels(options: ListModelsOptions = {}): Promise<ModelListing> {
  const platform = await platformOf(options)
  const { endpoints, model, file, diagnostics } = await readEndpoints(platform)
  const chosen = chosenReference(undefined, platform, model)
  const wanted = options.endpoint === undefined ? endpoints : [findEndpoint(options.endpoint, endpoints)]
  return {
    ...(chosen !== undefined && { default: chosen }),
    endpoints: await Promise.all(wanted.map((each) => listEndpoint(each, platform, options))),
    file,
    diagnostics,
  }
}

const usualMs = 10_000

async function listEndpoint(
  endpoint: Endpoint,
  platform: Platform,
  { signal, timeoutMs = usualMs }: ListModelsOptions,
): Promise<ListedEndpoint> {
  const { name, title, kind, url, isBuiltIn } = endpoint
  const key = keySource(endpoint, platform)
  const about = { name, title, kind, url, isBuiltIn, ...(key !== undefined && { key }) }
  if (lacksKey(endpoint, platform))
    return { ...about, keyVariables: endpoint.keyVariables, state: 'no-key', models: [] }
  using limit = limitTime(platform.clock, timeoutMs, signal)
  try {
    const models = await askEndpoint(endpoint, platform, limit.signal)
    return { ...about, state: 'ready', models }
  } catch (error) {
    signal?.throwIfAborted()
    const { code, message, hint } = toFailure(error, endpoint)
    const state = code === 'model.unauthorized' || code === 'model.refused' ? 'refused' : 'unreachable'
    return { ...about, state, problem: { message, ...(hint !== undefined && { hint }) }, models: [] }
  }
}

async function askEndpoint(
  endpoint: Endpoint,
  platform: Platform,
  signal: AbortSignal,
): Promise<readonly ListedModel[]> {
  const context = { platform, redactor: new Redactor() }
  const fetch = createFetch(endpoint, new EndpointHeaders(endpoint, context), platform)
  const found = await fetchModels(endpoint, fetch, context, signal)
  return Promise.all(
    found.map(async (each) => ({
      ref: `${endpoint.name}/${each.id}`,
      ...each,
      ...(await factsOf(endpoint, each.id)),
    })),
  )
}

/** Every error of a request to an endpoint is one of these; others are bugs. */
function toFailure(error: unknown, endpoint: Endpoint): HostError {
  if (error instanceof HostError) return error
  const cause = error instanceof TypeError ? error.cause : error
  if (cause instanceof HttpError) return toUnreachable(cause, endpoint)
  throw error
}
