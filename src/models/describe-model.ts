import type { Provider } from '../catalog/provider-schema.ts'
import { platformOf } from '../config/discover-options.ts'
import type { EndpointKind } from '../config/endpoints/built-in-endpoints.ts'
import { readEndpoints } from './endpoints.ts'
import { chosenReference, parseReference } from './model-choice.ts'
import { factsOf } from './known-facts.ts'
import type { ModelFacts } from './model-facts.ts'
import type { ModelOptions } from './model-options.ts'
import { toolLimits } from './tokens.ts'

/** What is known about a model without asking its endpoint. */
export interface ModelDescription extends ModelFacts {
  /** Its reference. */
  readonly name: string
  readonly provider: Provider
  /** How many tools a request may have; absent: not known, or no limit. */
  readonly maxTools?: number
}

/** Whose dialect the schemas of tools have. */
export const providers: Readonly<Record<EndpointKind, Provider>> = {
  openai: 'openai',
  'openai-compatible': 'openai',
  anthropic: 'anthropic',
  google: 'gemini',
}

/** Describes the given model or the default one; `undefined` if none is chosen. */
export async function describeModel(
  ref: string | undefined,
  options: ModelOptions = {},
): Promise<ModelDescription | undefined> {
  const platform = await platformOf(options)
  const { endpoints, model } = await readEndpoints(platform)
  const chosen = chosenReference(ref, platform, model)
  if (chosen === undefined) return undefined
  const { endpoint, id } = parseReference(chosen, endpoints)
  const maxTools = toolLimits[endpoint.kind]
  return {
    name: chosen,
    provider: providers[endpoint.kind],
    ...(await factsOf(endpoint, id)),
    ...(maxTools !== undefined && { maxTools }),
  }
}
