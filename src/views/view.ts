import { HostError } from '../model/error.ts'
import { nearest } from '../model/near.ts'
import { createCalls } from './calls.ts'
import type { ViewContext } from './context.ts'
import { createOffers } from './offers.ts'
import type { ScopeOptions, View } from './options.ts'
import { createSight } from './sight.ts'

/**
 * A look at what servers offer. Listing, searching, calling and explaining go through the same layers, so what is
 * hidden is hidden everywhere.
 */
export function createView(context: ViewContext, scope: ScopeOptions = {}): View {
  const { catalog, native, search } = context
  const see = createSight(context, scope)
  const { call, decide } = createCalls(context, see, scope.conversation)
  const { resources, read, prompts, prompt } = createOffers(context, see)
  return {
    tools: () => catalog.tools().filter(see().tool),
    native: () => native.filter(see().native),
    search: (words, options = {}) =>
      search.find(words, { ...options, where: see().tool }).map(({ tool }) => tool),
    call,
    why(nameOrRef) {
      const tool = catalog.byName(nameOrRef) ?? catalog.byRef(nameOrRef)
      if (!tool)
        throw unknown(
          nameOrRef,
          catalog.tools().map(({ name }) => name),
        )
      const { ref, name } = tool
      return { ref, name, visibility: see().explain(tool), decision: decide(tool, {}) }
    },
    resources,
    read,
    prompts,
    prompt,
  }
}

function unknown(tool: string, names: readonly string[]): HostError<'tool.unknown'> {
  const near = nearest(tool, names)
  const hint = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'See what there is: plugboard tools'
  return new HostError('tool.unknown', { tool, near }, `There is no tool "${tool}".`, { hint })
}
