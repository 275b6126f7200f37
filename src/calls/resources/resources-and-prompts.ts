import { cleanText, withCleanProgress } from '../call-events.ts'
import { checkPromptArguments, readPrompt } from './prompt-messages.ts'
import { readResourceParts } from './resource-parts.ts'
import { ownerOf, ownersOf } from './resource-owners.ts'
import { HostError } from '../../model/error.ts'
import { isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { maskTexts } from '../../model/mask-texts.ts'
import { nearest } from '../../model/near.ts'
import { toRef } from '../../model/tool.ts'
import { waitForCatalog } from '../view/view-context.ts'
import type { ViewContext } from '../view/view-context.ts'
import type {
  CallOptions,
  CompletionRequest,
  Completion,
  OfferedPrompt,
  ResourceUpdate,
  View,
} from '../view/view.ts'
import type { Visibility } from '../view/visibility.ts'

type Offers = Pick<View, 'resources' | 'read' | 'prompts' | 'prompt' | 'complete' | 'subscribe'>

/** `server` where it is named. */
type Asking = CallOptions & { readonly server?: string }

/** The resources and prompts of the servers that a scope sees. */
export function createOffers(context: ViewContext, see: () => Visibility): Offers {
  const { catalog, connectionOf, redactor } = context
  const mask = (text: string) => redactor.maskKnown(text)
  const itemsOf = (list: 'resources' | 'resourceTemplates' | 'prompts') => {
    const sight = see()
    context.refresh()
    return catalog
      .servers()
      .filter((server) => sight.server(server))
      .flatMap((server) => (catalog.snapshotOf(server)?.[list] ?? []).map((item) => ({ server, item })))
  }
  const resources = () =>
    [...itemsOf('resources'), ...itemsOf('resourceTemplates')].map(({ server, item }) => ({
      server,
      resource: item,
    }))
  const prompts = () => itemsOf('prompts').map(({ server, item }) => ({ server, prompt: item }))
  /** Nobody is started for who may not see it. */
  const known = async (method: string, { server, signal }: Asking) => {
    if (server !== undefined) refuseUnseen(server, see())
    await waitForCatalog(context, { method, server, signal })
  }
  /** Whose a resource is; only for one that nobody lists is there anything to wait for. */
  const serverFor = async (method: string, uri: string, options: Asking): Promise<string> => {
    if (options.server !== undefined || ownersOf(uri, resources()).length === 0) await known(method, options)
    const server = options.server ?? ownerOf(uri, resources())
    refuseUnseen(server, see())
    return server
  }

  return {
    resources,
    prompts,
    async read(uri, options = {}) {
      const server = await serverFor('resources/read', uri, options)
      const connection = await connectionOf(server)
      const answer = await connection.request('resources/read', { uri }, withCleanProgress(options, mask))
      const parts = readResourceParts(answer, { uri })
      return maskTexts(parts, mask, true) as typeof parts // only texts are other ones
    },
    async prompt(server, name, args = {}, options = {}) {
      await known('prompts/get', { ...options, server })
      refuseUnseen(server, see())
      const offered = prompts().filter((each) => each.server === server)
      const declared = offered.find((each) => each.prompt['name'] === name)
      if (!declared) throw unknownPrompt(server, name, offered)
      refuseArguments(declared.prompt, toRef(server, name), args)
      const connection = await connectionOf(server)
      const answer = await connection.request(
        'prompts/get',
        { name, arguments: args },
        withCleanProgress(options, mask),
      )
      return readPrompt(maskTexts(answer, mask, true))
    },
    async complete(completing, options = {}) {
      const { server } = completing
      refuseUnseen(server, see())
      const connection = await connectionOf(server)
      const { capabilities, isAssumed } = await connection.connect(options)
      if (!isAssumed && capabilities['completions'] === undefined) return noCompletion
      const params = toCompletionParams(completing)
      const answer = await connection.request('completion/complete', params, withCleanProgress(options, mask))
      const completion = readCompletion(answer)
      return { ...completion, values: completion.values.map((value) => cleanText(value, mask)) }
    },
    async subscribe(uri, listener, options = {}) {
      const server = await serverFor('resources/subscribe', uri, options)
      const heard = (update: ResourceUpdate) => see().server(server) && listener(update)
      return context.subscribe({ server, uri }, heard, options)
    },
  }
}

function refuseUnseen(server: string, sight: Visibility): void {
  if (sight.server(server)) return
  throw new HostError('server.unknown', { server }, `There is no server "${server}" here.`)
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
    `The prompt "${ref}" was not asked for: ${list}.`,
  )
}

const noCompletion: Completion = { values: [], hasMore: false }

/** No server may send more at once. */
const mostValues = 100

/** The parameters of `completion/complete`. */
function toCompletionParams(completing: CompletionRequest): JsonObject {
  const { argument, value, known } = completing
  const ref =
    'prompt' in completing
      ? { type: 'ref/prompt', name: completing.prompt }
      : { type: 'ref/resource', uri: completing.template }
  return { ref, argument: { name: argument, value }, ...(known && { context: { arguments: known } }) }
}

/** The answer to `completion/complete`. */
function readCompletion(result: Json): Completion {
  const said = isObject(result) ? result['completion'] : undefined
  if (!isObject(said) || !Array.isArray(said['values'])) return noCompletion
  const { total, hasMore } = said
  const values = (said['values'] as readonly Json[]).filter((each) => typeof each === 'string') // isArray does not narrow a readonly union
  return {
    values: values.slice(0, mostValues),
    ...(typeof total === 'number' && { total }),
    hasMore: hasMore === true || values.length > mostValues,
  }
}
