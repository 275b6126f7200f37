import { validateArgs, findTool } from '../call.ts'
import { checkArguments } from '../validate.ts'
import type { Json } from '../../model/json.ts'
import type { Tool } from '../../model/tool.ts'
import { decideVisibility } from '../../policy/layers.ts'
import { whyMissing } from './missing-tool.ts'
import { createCalls } from './view-calls.ts'
import type { CallByName } from './view-calls.ts'
import { waitForCatalog } from './view-context.ts'
import type { ViewContext } from './view-context.ts'
import { createCommands } from '../resources/prompt-commands.ts'
import { instructionsOf } from './server-instructions.ts'
import { createMetaTools } from './meta-tools.ts'
import { createOffers } from '../resources/resources-and-prompts.ts'
import type { CallOptions, ScopeOptions, ToolsOptions, View } from './view.ts'
import { createResourceTools } from '../resources/resource-tools.ts'
import { fieldOf, toCallable } from './own-tools.ts'
import { problemsOf } from './view-problems.ts'
import { createVisibility } from './visibility.ts'
import { explainLeftOut, explainReplaced } from './explain-tool.ts'

/**
 * A look at what servers offer. Listing, searching, calling and explaining go through the same layers, so what is
 * hidden is hidden everywhere.
 */
export function createView(context: ViewContext, scope: ScopeOptions = {}): View {
  const { catalog, native } = context
  const nativeNames = new Set(native.map(({ name }) => name))
  const see = createVisibility(context, scope)
  const offers = createOffers(context, see)
  const search: View['search'] = (words, options = {}) => {
    context.refresh()
    return context.search.find(words, { ...options, where: see().tool }).map(({ tool }) => tool)
  }

  const offered = () => catalog.tools().filter(see().tool)
  const forResources = context.hasResourceTools ? createResourceTools(offers, nativeNames) : []
  const ofResources = () =>
    forResources.map(({ tool }) => tool).filter((tool) => see().native(toCallable(tool)))
  const tools = () => [...offered(), ...ofResources()]
  const find = (nameOrRef: string): Tool | undefined => {
    const tool = catalog.byName(nameOrRef) ?? catalog.byRef(nameOrRef)
    if (tool) return see().tool(tool) ? tool : undefined
    return [...ofResources(), ...meta.looking.map((each) => each.tool)].find(({ name }) => name === nameOrRef)
  }
  const lost = (nameOrRef: string) => whyMissing(nameOrRef, context, see())
  const found = (name: string) => findTool(name, { findTool: find, tools, lost })
  const meta = createMetaTools(
    { search, find: found, servers: () => [...new Set(offered().map(({ server }) => server))] },
    nativeNames,
  )
  const own = new Map([...forResources, ...meta.looking].map((each) => [each.tool.name, each]))
  const { call, explain } = createCalls(context, {
    see,
    conversation: scope.conversation,
    find,
    tools,
    lost,
    own,
  })

  const hasSwitches = () =>
    scope.conversation !== undefined && context.memory.toggles.of(scope.conversation).size > 0
  /** One that is not known may be among what is still to be learned, or was switched on again in another program. */
  const callKnown: CallByName = (name, args, options) =>
    (context.isReady() && !hasSwitches()) || find(name)
      ? call(name, args, options)
      : waitForCatalog(context, { method: 'tools/call', signal: options?.signal })
          .then(() => context.recall?.())
          .then(() => call(name, args, options))
  /** What counts is the tool that is meant: its arguments, its rules, its result. */
  const callMeant = async (args: Json = {}, options?: CallOptions) => {
    const meant = await validateArgs(meta.calling, args, { check: checkArguments })
    return callKnown(fieldOf(meant, 'name') ?? '', meant['arguments'], options)
  }
  return {
    ...offers,
    ready: (options) => context.ready(options),
    ...createCommands(context, offers),
    search,
    instructions: () => instructionsOf(context, see()),
    tools({ mode = 'all', upTo = 0 }: ToolsOptions = {}) {
      context.refresh()
      const all = offered()
      return [...(mode === 'search' && all.length > upTo ? meta.tools() : all), ...ofResources()]
    },
    native: () => native.filter(see().native),
    call(name, given, options) {
      const args = given as Json | undefined // an object that is no JSON fails the check, or when it is written
      return name === meta.calling.name ? callMeant(args, options) : callKnown(name, args, options)
    },
    problems: () =>
      problemsOf(
        context,
        see(),
        forResources.map(({ tool }) => toCallable(tool)),
      ),
    why(nameOrRef) {
      const tool = catalog.byName(nameOrRef) ?? catalog.byRef(nameOrRef)
      if (tool) {
        const { ref, name } = tool
        const visibility = see().explain(tool)
        return { ref, name, visibility, ...explain(tool, visibility) }
      }
      const own = native.find(({ name }) => name === nameOrRef)
      const leftOut =
        own || find(nameOrRef)
          ? undefined
          : (explainLeftOut(nameOrRef, context) ?? explainReplaced(nameOrRef, context))
      if (leftOut) return leftOut
      const subject = own ?? toCallable(found(nameOrRef))
      const { name } = subject
      const visibility = decideVisibility(subject, see().layers)
      return { ref: name, name, visibility, ...explain({ hash: '', ...subject }, visibility) }
    },
  }
}
