import type { ModelPrice } from './agent-model.ts'
import type { Endpoint } from './endpoints.ts'

/** What is known about a model without asking its endpoint. */
export interface ModelFacts {
  readonly window?: number
  readonly maxOutput?: number
  readonly price?: ModelPrice
}

/** The facts of the person's settings. */
export async function factsOf({ models }: Endpoint, id: string): Promise<ModelFacts> {
  return Object.hasOwn(models, id) ? (models[id] ?? {}) : {}
}
