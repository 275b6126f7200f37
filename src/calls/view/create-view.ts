import { validateArgs, findTool } from '../call.ts'
import { checkArguments } from '../validate.ts'
import type { Json } from '../../model/json.ts'
import type { Tool } from '../../model/tool.ts'
import { decideVisibility } from '../../policy/layers.ts'
import { explainMissingTool, unlistedError, unlistedServers } from './missing-tool.ts'
import { createApps } from '../apps/view-apps.ts'
import { callsByFlow } from './calls-by-flow.ts'
import { createCalls } from './view-calls.ts'
import type { CallByName } from './view-calls.ts'
import type { ViewContext } from './view-context.ts'
import { auditHeldOffers } from '../resources/audited-offers.ts'
import { createCommands } from '../resources/prompt-commands.ts'
import { instructionsOf } from './server-instructions.ts'
import { createMetaTools } from './meta-tools.ts'
import { lookUpShown } from './shown-tools.ts'
import { markReads } from '../resources/marked-reads.ts'
import { createOffers } from '../resources/resources-and-prompts.ts'
import type { CallOptions, ScopeOptions, ToolsOptions, View, WaitOptions } from './view.ts'
import { createResourceTools } from '../resources/resource-tools.ts'
import { stringField, toCallable } from './own-tools.ts'
import { problemsOf } from './view-problems.ts'
import { createVisibility } from './visibility.ts'
import { beforeSending, createWaits } from './wait-for-servers.ts'
import { createSkillTools } from '../skills/skill-tools.ts'
import { createViewSkills } from '../skills/view-skills.ts'
import { createVisibleSkills } from '../skills/visible-skills.ts'
import { explainExcludedTool, hiddenTools } from './explain-tool.ts'

/**
 * Creates a view. Listing, searching, calling and explaining use the same layers, so that a hidden tool is hidden
 * everywhere.
 */
export function createView(context: ViewContext, scope: ScopeOptions = {}): View {
  const { catalog, native } = context
  const nativeNames = new Set(native.map(({ name }) => name))
  const visibility = createVisibility(context, scope)
  const waits = createWaits(context, visibility)
  const lane = laneOf(scope)
  const { readFrom, ...offered } = createOffers(context, { visibility, waits, lane })
  const marked = { ...offered, ...markReads({ ...offered, readFrom }, context) }
  const offers = auditHeldOffers(marked, context.audit, scope.agent)
  const visibleSkills = createVisibleSkills(context, visibility)
  const { findCall, isLoaded, load, ...skillReads } = createViewSkills(context, {
    visible: visibleSkills,
    admitsServer: (server) => visibility().admitsServer(server),
    waits,
    lane,
  })
  const skillTools = createSkillTools(visibleSkills, nativeNames)
  const search: View['search'] = (words, options = {}) => {
    context.refresh()
    return context.search
      .find(words, { ...options, where: visibility().isToolVisible })
      .map(({ tool }) => tool)
  }

  const serverTools = () => catalog.tools().filter(visibility().isToolVisible)
  const allResourceTools = context.hasResourceTools
    ? createResourceTools({ ...offered, readFrom }, nativeNames)
    : []
  const resourceTools = () =>
    allResourceTools.map(({ tool }) => tool).filter((tool) => visibility().isNativeVisible(toCallable(tool)))
  const tools = () => [...serverTools(), ...resourceTools()]
  const find = (nameOrRef: string): Tool | undefined => {
    const tool = catalog.byName(nameOrRef) ?? catalog.byRef(nameOrRef)
    if (tool) return visibility().isToolVisible(tool) ? tool : undefined
    const ownTools = [...resourceTools(), ...lookups.map((each) => each.tool)]
    return ownTools.find(({ name }) => name === nameOrRef) ?? visibleSkills.byCall(nameOrRef)
  }
  const whyMissing = (nameOrRef: string) => explainMissingTool(nameOrRef, context, visibility())
  const findOrThrow = (name: string) => findTool(name, { findTool: find, tools, whyMissing })
  const meta = createMetaTools(
    {
      search,
      find: findOrThrow,
      ...(scope.shown && lookUpShown(scope.shown, { search, find, tools: serverTools })),
      servers: () => [...new Set(serverTools().map(({ server }) => server))],
    },
    nativeNames,
  )
  const lookups = [...meta.lookupTools, skillTools.find]
  const own = new Map([...allResourceTools, ...lookups].map((each) => [each.tool.name, each]))
  const callScope = {
    visibility,
    conversation: scope.conversation,
    agent: scope.agent,
    lane,
    find,
    tools,
    whyMissing,
    own,
    skills: { isLoaded, load },
  }
  const { call: ownCall, explain } = createCalls(context, callScope)
  const openFlow = (flow: string) => createCalls(context, { ...callScope, flow }).call
  const call = context.flows ? callsByFlow(ownCall, openFlow) : ownCall

  const apps = createApps(context, {
    visibility,
    waits,
    find: findOrThrow,
    callsOf: (appTool) => {
      const listed = {
        tools: () => [],
        whyMissing: () => undefined,
        own: new Map(),
        skills: { isLoaded, load },
      }
      const { conversation, agent } = scope
      return createCalls(context, {
        visibility,
        conversation,
        agent,
        lane,
        find: appTool,
        ...listed,
        isApp: true,
      }).call
    },
  })

  const waitForAll = (options: WaitOptions = {}) =>
    waits.all({ ...options, skipsSlow: () => serverTools().length > 0 })
  const switches = () =>
    scope.conversation === undefined ? [] : [...context.memory.toggles.of(scope.conversation)]
  const recall = async () => {
    const before = String(switches())
    await context.reloadMemory?.()
    // A server that was switched on may not be listed yet.
    if (String(switches()) !== before) await waitForAll()
  }
  let recalling: Promise<void> | undefined
  const hasToggles = () =>
    scope.conversation !== undefined && context.memory.toggles.of(scope.conversation).size > 0
  /** Waits first for an unknown tool: its server may not be listed yet, or another program may have enabled it again. */
  const callWhenKnown: CallByName = (name, args, options) => {
    // A native name belongs to no server, so none is asked.
    if (find(name) || nativeNames.has(name)) return call(name, args, options)
    const isComplete = context.isReady() && !hasToggles() && !waits.isToolDue(name)
    if (isComplete) return call(name, args, options)
    const { clock } = context
    const { signal, maxTimeoutMs } = options ?? {}
    const since = clock.monotonic()
    const deadline = maxTimeoutMs ? since + maxTimeoutMs : undefined
    const limits = { method: 'tools/call', signal, maxTimeoutMs, deadline, clock }
    return beforeSending(waits.forTool(name, { signal }), limits)
      .then(() => (scope.conversation === undefined ? undefined : context.reloadMemory?.()))
      .then(() => call(name, args, options, clock.monotonic() - since))
  }
  /** `call_tool`: the arguments, rules and result are those of the tool that it names. */
  const callNamedTool = async (args: Json = {}, options?: CallOptions) => {
    const request = await validateArgs(meta.callTool, args, { check: checkArguments })
    return callWhenKnown(stringField(request, 'name') ?? '', request['arguments'], options)
  }
  /** `load_skill`: the rules and the result are those of the skill that it names. */
  const callNamedSkill = async (args: Json = {}, options: CallOptions = {}) => {
    const request = await validateArgs(skillTools.load, args, { check: checkArguments })
    const { ref } = await findCall(stringField(request, 'skill') ?? '', options)
    const file = stringField(request, 'file')
    return call(ref, file === undefined ? {} : { file }, options)
  }
  return {
    ...offers,
    ...skillReads,
    loadSkill: (skill, { file, ...options } = {}) =>
      callNamedSkill(file === undefined ? { skill } : { skill, file }, options),
    ready({ tool, slow, ...options } = {}) {
      if (tool !== undefined) return waits.forTool(tool, options)
      return slow === 'skip' ? waitForAll(options) : waits.all(options)
    },
    recall: () => (recalling ??= recall().finally(() => (recalling = undefined))),
    ...createCommands(offers, {
      waits,
      clock: context.clock,
      errorOf: (isMeant) => unlistedError(isMeant, context, visibility()),
    }),
    search,
    unlisted: () => unlistedServers(context, visibility()),
    instructions: () => instructionsOf(context, visibility()),
    tools({ mode = 'all', upTo = 0, skills = false }: ToolsOptions = {}) {
      context.refresh()
      const all = serverTools()
      const offeredTools = mode === 'search' && all.length > upTo ? meta.tools() : all
      return [...offeredTools, ...resourceTools(), ...(skills ? skillTools.tools() : [])]
    },
    native: () => native.filter(visibility().isNativeVisible),
    readApp: apps.readApp,
    call(name, given, options) {
      const args = given as Json | undefined // a value that is not JSON fails the check, or when it is serialized
      if (options?.app !== undefined) return apps.call(options.app, name, args, options)
      if (name === skillTools.load.name) return callNamedSkill(args, options)
      return name === meta.callTool.name ? callNamedTool(args, options) : callWhenKnown(name, args, options)
    },
    hiddenTools: () => hiddenTools(context, visibility()),
    problems: () =>
      problemsOf(
        context,
        visibility(),
        allResourceTools.map(({ tool }) => toCallable(tool)),
      ),
    why(nameOrRef, options) {
      const tool = catalog.byName(nameOrRef) ?? catalog.byRef(nameOrRef)
      if (tool) {
        const { ref, name } = tool
        const decision = visibility().explainTool(tool)
        return { ref, name, visibility: decision, ...explain(tool, decision, options) }
      }
      const nativeTool = native.find(({ name }) => name === nameOrRef)
      const excluded = nativeTool || find(nameOrRef) ? undefined : explainExcludedTool(nameOrRef, context)
      if (excluded) return excluded
      const subject = nativeTool ?? toCallable(findOrThrow(nameOrRef))
      const { name } = subject
      const decision = decideVisibility(subject, visibility().layers)
      return {
        ref: name,
        name,
        visibility: decision,
        ...explain({ hash: '', ...subject }, decision, options),
      }
    },
  }
}

/** All views of a conversation share a lane; any other view has its own. */
function laneOf({ conversation }: ScopeOptions): unknown {
  return conversation === undefined ? {} : `conversation ${conversation}`
}
