import type { FindingSubject } from '../../model/finding.ts'
import type { JsonObject } from '../../model/json.ts'

/** A whole definition for the rules that need more than one of its texts. */
export interface DefinitionFacts {
  readonly kind: FindingSubject['kind']
  readonly definition: JsonObject
  readonly name: string
  readonly description: string
}

export function toDefinitionFacts(kind: FindingSubject['kind'], definition: JsonObject): DefinitionFacts {
  const { name, uri, description } = definition
  return {
    kind,
    definition,
    name: typeof name === 'string' ? name : typeof uri === 'string' ? uri : '',
    description: typeof description === 'string' ? description : '',
  }
}
