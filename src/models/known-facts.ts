import { usualUrls } from '../config/endpoints/built-in-endpoints.ts'
import { isLoopbackHost } from '../platform/ip-address.ts'
import type { Endpoint } from './endpoints.ts'
import type { ModelFacts, PricedPlace } from './model-facts.ts'

/** What the person's settings and the table of prices say about a model; the settings count first. */
export async function factsOf(endpoint: Endpoint, id: string): Promise<ModelFacts> {
  const own = Object.hasOwn(endpoint.models, id) ? endpoint.models[id] : undefined
  const place = placeOf(endpoint)
  if (!place) return own ?? {}
  const { lookUpFacts } = await import('./model-facts.ts')
  return { ...lookUpFacts(id, place), ...own }
}

/** A program on this machine has no price, so the table is not loaded for it. */
function placeOf({ kind, url }: Endpoint): PricedPlace | undefined {
  if (usualUrls[kind] === url) return { providerId: kind }
  return isLoopbackHost(new URL(url).hostname) ? undefined : { providerApiUrl: url }
}
