import { cutTo } from '../limit.ts'
import { neutralize } from '../render/render.ts'
import type { ViewContext } from './view-context.ts'
import type { Visibility } from './visibility.ts'
import type { ServerInstructions } from './view.ts'

/** More than this is no instruction, and is paid for in every turn of a model. */
const maxBytes = 16 * 1024

/** Of the servers that anything is seen of; without what is hidden in them (T17). */
export function instructionsOf({ catalog }: ViewContext, sight: Visibility): readonly ServerInstructions[] {
  const isUseful = (server: string) => {
    const { resources, resourceTemplates, prompts } = catalog.snapshotOf(server) ?? noOffers
    const others = resources.length + resourceTemplates.length + prompts.length
    return (others > 0 && sight.server(server)) || catalog.toolsOf(server).some(sight.tool)
  }
  return catalog.servers().flatMap((server) => {
    const text = catalog.snapshotOf(server)?.instructions?.trim() ?? ''
    return text !== '' && isUseful(server) ? [{ server, text: shorten(neutralize(text)) }] : []
  })
}

const noOffers = { resources: [], resourceTemplates: [], prompts: [] }

function shorten(text: string): string {
  const short = cutTo(text, maxBytes)
  return short === text ? text : `${short}\n[The rest was left out.]`
}
