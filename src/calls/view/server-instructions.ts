import { cutTo } from '../limit.ts'
import { neutralize } from '../render/render.ts'
import type { ViewContext } from './view-context.ts'
import type { Visibility } from './visibility.ts'
import type { ServerInstructions } from './view.ts'

/** Limit of the instructions of one server: a model reads them in every turn. */
const maxBytes = 16 * 1024

/** The instructions of servers that have something visible, without hidden characters (T17). */
export function instructionsOf(
  { catalog }: ViewContext,
  { isServerVisible, isToolVisible }: Visibility,
): readonly ServerInstructions[] {
  const hasVisibleOffers = (server: string) => {
    const { resources, resourceTemplates, prompts } = catalog.snapshotOf(server) ?? noOffers
    const others = resources.length + resourceTemplates.length + prompts.length
    return (others > 0 && isServerVisible(server)) || catalog.toolsOf(server).some(isToolVisible)
  }
  return catalog.servers().flatMap((server) => {
    const text = catalog.snapshotOf(server)?.instructions?.trim() ?? ''
    return text !== '' && hasVisibleOffers(server) ? [{ server, text: shorten(neutralize(text)) }] : []
  })
}

const noOffers = { resources: [], resourceTemplates: [], prompts: [] }

function shorten(text: string): string {
  const short = cutTo(text, maxBytes)
  return short === text ? text : `${short}\n[The rest was left out.]`
}
