import { cleanText, withCleanProgress } from '../call-events.ts'
import { heldPromptError, refuseHeldRequest, refuseNamed } from '../held-tool.ts'
import { checkPromptArguments, readPrompt } from './prompt-messages.ts'
import { readResourceParts } from './resource-parts.ts'
import type { ReceivedPart } from './resource-parts.ts'
import { ownerOf, ownersFirst, ownersOf } from './resource-owners.ts'
import { HostError } from '../../model/error.ts'
import { isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { maskTexts } from '../../model/mask-texts.ts'
import { nearest } from '../../model/near.ts'
import { toRef } from '../../model/tool.ts'
import { requestOver } from '../request-over.ts'
import type { ViewContext } from '../view/view-context.ts'
import type { CompletionRequest, Completion, OfferedPrompt, ResourceUpdate, View } from '../view/view.ts'
import type { Visibility } from '../view/visibility.ts'
import { beforeSending, withDeadline } from '../view/wait-for-servers.ts'
import type { ServerWaits, StartedOptions } from '../view/wait-for-servers.ts'

/** What servers offer besides tools. Nothing is scanned here. */
export interface Offers extends Pick<
  View,
  'resources' | 'prompts' | 'prompt' | 'complete' | 'subscribe' | 'forward'
> {
  /** Reads a resource, and tells whose it is. */
  readonly readFrom: (
    ...request: Parameters<View['read']>
  ) => Promise<{ readonly server: string; readonly parts: readonly ReceivedPart[] }>
}

/** `server` is set if the caller names it. */
type OfferRequestOptions = StartedOptions & { readonly server?: string }

interface OffersScope {
  readonly visibility: () => Visibility
  readonly waits: ServerWaits
  /** The requests of a view take turns with those of others. */
  readonly lane: unknown
}

/** The resources and prompts of the servers that are visible in a scope. */
export function createOffers(context: ViewContext, { visibility, waits, lane }: OffersScope): Offers {
  const { catalog, clock, connectionOf, redactor } = context
  const mask = (text: string) => redactor.maskKnown(text)
  const toRequestOptions = (options: StartedOptions) => ({ ...withCleanProgress(options, mask), lane })
  const itemsOf = (list: 'resources' | 'resourceTemplates' | 'prompts') => {
    const { isServerVisible } = visibility()
    context.refresh()
    return catalog
      .servers()
      .filter((server) => isServerVisible(server))
      .flatMap((server) => (catalog.snapshotOf(server)?.[list] ?? []).map((item) => ({ server, item })))
  }
  const resources = () =>
    [...ownersFirst(itemsOf('resources'), catalog.addressClashes()), ...itemsOf('resourceTemplates')].map(
      ({ server, item }) => ({ server, resource: item }),
    )
  const prompts = () => itemsOf('prompts').map(({ server, item }) => ({ server, prompt: item }))
  /** A server that failed is not refused: connecting to it throws the reason, or tries again. */
  const refuseHidden = (server: string) => {
    if (!context.serverOf(server) || !visibility().admitsServer(server)) throw unknownServer(server)
  }
  /** Refuses a hidden server before waiting, because waiting may start it. */
  const waitForServer = async (method: string, server: string, options: StartedOptions) => {
    refuseHidden(server)
    if (catalog.snapshotOf(server)) return
    const waited = waits.forServer(server, { signal: options.signal })
    await beforeSending(waited, { ...options, method, server, clock })
  }
  /** Visible servers whose resources are unknown. */
  const unlisted = () =>
    context.servers().filter((server) => visibility().admitsServer(server) && !catalog.snapshotOf(server))
  /** The server that a resource belongs to. Waits for servers only until one lists the resource. */
  const findOwner = async (method: string, uri: string, options: OfferRequestOptions): Promise<string> => {
    const { server: named, ...limits } = options
    /** A held one is listed by no view; its owner is the one that refuses it. */
    const heldOwner = () =>
      context.servers().find((server) => visibility().admitsServer(server) && context.held?.at(server, uri))
    const isListed = () => ownersOf(uri, resources()).length > 0 || heldOwner() !== undefined
    if (named !== undefined) await waitForServer(method, named, options)
    else if (!isListed()) {
      const waited = waits.all({ signal: limits.signal, isEnough: isListed })
      await beforeSending(waited, { ...limits, method, clock })
    }
    const [owner] = ownersOf(uri, resources())
    const server =
      named ?? (owner === undefined ? heldOwner() : undefined) ?? ownerOf(uri, resources(), unlisted())
    refuseHidden(server)
    await refuseHeldRequest({ server, method, params: { uri } }, context, limits)
    return server
  }

  return {
    resources,
    prompts,
    async readFrom(uri, given = {}) {
      const options: OfferRequestOptions = withDeadline(given, clock)
      const server = await findOwner('resources/read', uri, options)
      const connection = await connectionOf(server)
      const answer = await connection.request('resources/read', { uri }, toRequestOptions(options))
      const parts = readResourceParts(answer, { uri })
      return { server, parts: maskTexts(parts, mask, true) as typeof parts } // masking changes only strings
    },
    async prompt(server, name, args = {}, given: StartedOptions = {}) {
      const options = withDeadline(given, clock)
      await waitForServer('prompts/get', server, options)
      refuseHidden(server)
      // Throws the reason if the server cannot be asked for its prompts.
      if (!catalog.snapshotOf(server))
        await beforeSending(context.listServer(server, options), {
          ...options,
          method: 'prompts/get',
          server,
          clock,
        })
      const offered = prompts().filter((each) => each.server === server)
      const declared = offered.find((each) => each.prompt['name'] === name)
      const held = declared ? undefined : context.held?.promptsOf(server).find((each) => each.tool === name)
      if (held) throw heldPromptError(held)
      if (!declared) throw unknownPrompt(server, name, offered)
      refuseArguments(declared.prompt, toRef(server, name), args)
      await refuseHeldRequest({ server, method: 'prompts/get', params: { name } }, context, options)
      const connection = await connectionOf(server)
      const answer = await connection.request(
        'prompts/get',
        { name, arguments: args },
        toRequestOptions(options),
      )
      return readPrompt(maskTexts(answer, mask, true))
    },
    async complete(request, given = {}) {
      const options = withDeadline(given, clock)
      const { server } = request
      refuseHidden(server)
      const params = toCompletionParams(request)
      refuseNamed({ server, method: 'completion/complete', params }, context.held)
      const connection = await connectionOf(server)
      const opened = connection.connect(options)
      await beforeSending(opened, { ...options, method: 'completion/complete', server, clock })
      const { capabilities, isAssumed } = await opened
      if (!isAssumed && capabilities['completions'] === undefined) return noCompletion
      const answer = await connection.request('completion/complete', params, toRequestOptions(options))
      const completion = readCompletion(answer)
      return { ...completion, values: completion.values.map((value) => cleanText(value, mask)) }
    },
    async forward(server, method, params, given = {}) {
      const options = withDeadline(given, clock)
      await waitForServer(method, server, options)
      refuseHidden(server)
      refuseNamed({ server, method, params }, context.held)
      const { forward: onBehalf } = given
      const answer = await requestOver(context, server, onBehalf?.connection, (connection) =>
        connection.request(method, params, {
          ...toRequestOptions(options),
          onBehalf,
          ...(onBehalf?.lane !== undefined && { lane: onBehalf.lane }),
        }),
      )
      return redactor.isEmpty ? answer : maskTexts(answer, mask, true)
    },
    async subscribe(uri, listener, options = {}) {
      const server = await findOwner('resources/subscribe', uri, withDeadline(options, clock))
      const onUpdate = (update: ResourceUpdate) => visibility().isServerVisible(server) && listener(update)
      return context.subscribe({ server, uri }, onUpdate, options)
    },
  }
}

/** Does not tell a hidden server from one that does not exist. */
function unknownServer(server: string): HostError {
  return new HostError('server.unknown', { server }, `There is no server "${server}" here.`)
}

function unknownPrompt(server: string, prompt: string, offered: readonly OfferedPrompt[]): HostError {
  const names = offered.map((each) => each.prompt['name']).filter((name) => typeof name === 'string')
  const data = { server, prompt, near: nearest(prompt, names) }
  return new HostError('prompt.unknown', data, `"${server}" offers no prompt "${prompt}".`)
}

function refuseArguments(prompt: JsonObject, ref: string, args: Readonly<Record<string, string>>): void {
  const problems = checkPromptArguments(prompt, args)
  if (problems.length === 0) return
  const list = problems.map(({ path, message }) => `${path} ${message}`).join(', ')
  throw new HostError(
    'call.invalid-args',
    { ref, problems },
    `The prompt "${ref}" was not requested: ${list}.`,
  )
}

const noCompletion: Completion = { values: [], hasMore: false }

/** The protocol's limit of values in one response. */
const maxValues = 100

/** The parameters of `completion/complete`. */
function toCompletionParams(request: CompletionRequest): JsonObject {
  const { argument, value, known } = request
  const ref =
    'prompt' in request
      ? { type: 'ref/prompt', name: request.prompt }
      : { type: 'ref/resource', uri: request.template }
  return { ref, argument: { name: argument, value }, ...(known && { context: { arguments: known } }) }
}

/** Reads a `completion/complete` response. */
function readCompletion(result: Json): Completion {
  const completion = isObject(result) ? result['completion'] : undefined
  if (!isObject(completion) || !Array.isArray(completion['values'])) return noCompletion
  const { total, hasMore } = completion
  const values = (completion['values'] as readonly Json[]).filter((each) => typeof each === 'string') // isArray does not narrow a readonly union
  return {
    values: values.slice(0, maxValues),
    ...(typeof total === 'number' && { total }),
    hasMore: hasMore === true || values.length > maxValues,
  }
}
