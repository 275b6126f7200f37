import type { ViewContext } from '../../calls/view/view-context.ts'
import type { Snapshot } from '../../catalog/catalog.ts'
import { hashDefinition } from '../../model/definition/canonical-definition.ts'
import { passedDefinition } from '../../model/definition/passed-definition.ts'
import { isList, isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Redactor } from '../../model/secrets/redactor.ts'
import { itemWithoutSecrets } from '../secrets/without-secrets.ts'

interface ListContext extends Pick<ViewContext, 'held' | 'hasListed' | 'listServer'> {
  /** The accepted part of what a server offers. */
  readonly acceptedOf: (server: string) => Snapshot | undefined
  /** Everything that it offers. */
  readonly offeredBy: (server: string) => Snapshot | undefined
  readonly redactor: Redactor
}

const lists = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'skills/list': 'skills',
} as const

/**
 * The answer to a bare request without the definitions and instructions that were not accepted (T12): the program that
 * asked may be an agent, and they are texts for a model. An item is shown if it equals an accepted one; a server that has
 * listed other items since it was judged is listed and judged again first.
 */
export async function withoutHeld(
  answer: Json,
  { server, method }: { readonly server: string; readonly method: string },
  context: ListContext,
): Promise<Json> {
  if (!context.held || !isObject(answer)) return answer
  if (!context.hasListed(server)) await context.listServer(server, {})
  if (method === 'initialize' || method === 'server/discover') {
    const { instructions: _, ...rest } = answer
    const accepted = context.acceptedOf(server)?.instructions
    return answer['instructions'] === undefined || accepted === undefined
      ? rest
      : { ...rest, instructions: accepted }
  }
  if (!isListRequest(method)) return answer
  const list = lists[method]
  const { [list]: items } = answer
  const { redactor } = context
  if (!isList(items)) return answer
  const mask = (item: JsonObject) => (redactor.isEmpty ? item : itemWithoutSecrets(list, item, redactor)) // as snapshots have it
  const known = (of: Snapshot | undefined) => {
    const hashes = new Set((of?.[list] ?? []).map((each) => hashDefinition(each)))
    return (item: Json): item is JsonObject => isObject(item) && hashes.has(hashDefinition(mask(item)))
  }
  if (!items.every(known(context.offeredBy(server)))) await context.listServer(server, {})
  const shown = items.filter(known(context.acceptedOf(server)))
  return { ...answer, [list]: shown.map(passedDefinition) }
}

function isListRequest(method: string): method is keyof typeof lists {
  return Object.hasOwn(lists, method)
}
