import { HostError, fromRef, isHostError, toRef } from '../../index.ts'
import type { CallOptions, ForwardOptions, Host, Json, JsonObject } from '../../index.ts'
import { isObject } from '../../internal.ts'
import {
  invalidParams,
  logLevelKey,
  missingCapability,
  withoutReserved,
  withoutReservedMeta,
} from '../../serving.ts'
import { askClient } from './active-calls.ts'
import type { ActiveCalls } from './active-calls.ts'
import type { CallerFlows } from './callers/caller-flows.ts'
import type { CallLimits } from './callers/call-limits.ts'
import type { Seals } from './callers/seals.ts'
import type { CallApprovals } from './call-approvals.ts'
import { auditedCaller, isBound, laneOf } from './caller-of-request.ts'
import { calledBy, calledTool, whenKnown } from './called-tool.ts'
import type { CalledTool } from './called-tool.ts'
import { readSkillFile } from './forward-skills.ts'
import type { getSkill } from './forward-skills.ts'
import { toOwnUri, toServedUris } from './gateway-skills.ts'
import { passedError, toFailedResult } from './gateway-errors.ts'
import { asksPerson } from './gateway-person.ts'
import type { GatewayPerson } from './gateway-person.ts'
import type { GatewayView } from './gateway-view.ts'
import { isMissing, notFound, whyNoPrompt, whyNoResource } from './missing-offers.ts'
import { ParkedCalls } from './parked-calls.ts'
import { ownerWhenKnown } from './changes/watched-resources.ts'
import { untilListed } from './unlisted-servers.ts'
import type { ServerLogins } from './server-logins.ts'
import type { ServerIsolation } from './server-isolation.ts'
import type { Answer, ServedRequest } from './served-request.ts'

/** What a person can be asked in place of a client. */
const elicitation: JsonObject = { form: {}, url: {} }

export const tasksExtension = 'io.modelcontextprotocol/tasks'

export interface ForwardParts {
  readonly host: Host
  readonly active: ActiveCalls
  readonly parked: ParkedCalls
  readonly seals: Seals
  readonly approvals: CallApprovals
  /** Whether clients are asked for approvals. */
  readonly asksClients: () => boolean
  readonly logins: ServerLogins
  /** Absent if there are no rules. */
  readonly limits: () => CallLimits | undefined
  readonly flows: CallerFlows
  /** Absent if no person answers in place of clients. */
  readonly person?: GatewayPerson | undefined
  /** The era of a server that has been connected. */
  readonly eraOf: (server: string) => 'legacy' | 'modern' | undefined
  readonly isolation: ServerIsolation
}

/** What a call has to pass beside the rules of its view. */
interface CallGates {
  readonly approve?: ForwardOptions['approve'] | undefined
  readonly rounds?: ForwardOptions['rounds'] | undefined
  readonly admit?: ForwardOptions['admit'] | undefined
}

/** Passes requests of clients on to the servers that they are for, and the answers back. */
export class ForwardRequests {
  readonly #parts: ForwardParts

  constructor(parts: ForwardParts) {
    this.#parts = parts
  }

  /** `tools/call` */
  async call(request: ServedRequest, gatewayView: GatewayView): Promise<Answer> {
    const { client } = request
    const found = calledTool(request, gatewayView)
    const called = found instanceof Promise ? await found : found
    const { tool, args } = called
    if (!tool)
      return (
        (await this.#callUnlisted(called, request, gatewayView)) ?? this.#refuse(called, request, gatewayView)
      )
    const { server } = tool
    request.trace?.found(server, server === '' ? undefined : tool.tool)
    const admit = this.#admission(request, server === '' ? undefined : tool.ref)
    // Each round counts: whether a state belongs to a call that was counted, only its server knows.
    if (ParkedCalls.isResumed(request)) await admit?.()
    const { approvals, asksClients, logins } = this.#parts
    const begun = this.#afterLogin(request, server)
    const round = approvals.begin(begun instanceof Promise ? await begun : begun, asksClients())
    const run = async (as: ServedRequest, mayLogIn: boolean): Promise<Answer> => {
      try {
        const options = this.#options(as, server, { approve: round.approve, rounds: round.rounds, admit })
        const result = await gatewayView.view.call(calledBy(tool), args, options)
        const { raw, rpcError, failed } = result
        // A legacy server cannot refuse such a client before it asks: it is greeted once for all of them.
        const lacking = failed && client.era === 'modern' ? this.#parts.active.lackingFor(as) : undefined
        if (lacking) throw lacking
        if (rpcError) throw passedError(rpcError)
        return round.finish(this.#toAnswer(raw ?? {}, as, server))
      } catch (failure) {
        this.#parts.active.noteFailure(as, failure)
        const question = request.signal.aborted ? undefined : round.question()
        if (question) return question
        const login = mayLogIn ? await logins.offer(failure, as) : undefined
        if (login === 'again') return run(as, false)
        if (login) return round.finish(login)
        const error = await logins.explain(failure, as)
        as.trace?.failed(error)
        const failed = toFailedResult(error)
        if (failed && !request.signal.aborted) return this.#toAnswer(failed, as, server)
        throw error
      }
    }
    const work = () => this.#at(server, round.request, (as) => run(as, true))
    const { caller, signal } = request
    const limits = caller && server !== '' ? this.#parts.limits() : undefined
    return caller && limits ? limits.places.during({ caller, ref: tool.ref, signal }, work) : work()
  }

  /** Counts a call of a caller; throws if it has to wait. */
  #admission({ caller }: ServedRequest, ref: string | undefined): CallGates['admit'] {
    const limits = caller && this.#parts.limits()
    return limits && ref !== undefined ? () => limits.take(caller, ref) : undefined
  }

  /** A call at a server of which nothing is known; `undefined` if there is none that it could be for. */
  async #callUnlisted(
    { name, args }: CalledTool,
    request: ServedRequest,
    gatewayView: GatewayView,
  ): Promise<Answer | undefined> {
    const missing = gatewayView.findUnlisted(name)
    if (!missing) return undefined
    const { logins, host } = this.#parts
    request.trace?.found(missing.server)
    try {
      const next = await untilListed(missing, request, { gatewayView, logins })
      return 'question' in next ? next.question : await this.call(next.request, gatewayView)
    } catch (error) {
      const failed = toFailedResult(error)
      if (!failed || request.signal.aborted) throw error
      request.trace?.failed(error)
      await host.auditRefused({ tool: name.slice(0, 200), args, error, caller: auditedCaller(request) })
      return this.#toAnswer(failed, request, missing.server)
    }
  }

  /** A held tool says why, as it does to a model of ours (T12). Both are calls that the audit trail has. */
  async #refuse(
    { name, args, problem }: CalledTool,
    request: ServedRequest,
    gatewayView: GatewayView,
  ): Promise<Answer> {
    const held = problem ? undefined : gatewayView.findHeld(name)
    const shown = name.slice(0, 200)
    const unknown = invalidParams(`Unknown tool: ${shown}`)
    if (held === undefined) {
      const error = problem ?? new HostError('tool.unknown', { tool: shown, near: [] }, unknown.message)
      await this.#parts.host.auditRefused({ tool: shown, args, error, caller: auditedCaller(request) })
      const failed = problem && toFailedResult(problem)
      if (failed) return this.#toAnswer(failed, request, '')
      throw unknown
    }
    await this.#admission(request, held)?.()
    try {
      // The view refuses and records it. One that is hidden here is as unknown as any other.
      const as = this.#placed(request, fromRef(held)?.server ?? '')
      const { raw = {} } = await gatewayView.view.call(held, args, this.#options(as, ''))
      return this.#toAnswer(raw, request, '')
    } catch (error) {
      request.trace?.failed(error)
      const failed = toFailedResult(error)
      if (failed && !request.signal.aborted) return this.#toAnswer(failed, request, '')
      throw isHostError(error, 'tool.unknown') ? unknown : error
    }
  }

  /** `resources/read` */
  async read(request: ServedRequest, gatewayView: GatewayView): Promise<Answer> {
    const { uri } = request.params
    if (typeof uri !== 'string') throw invalidParams('The request names no resource.')
    const server = await ownerWhenKnown(uri, gatewayView, request.signal)
    if (server === undefined)
      throw await whyNoResource(uri, gatewayView, { request, options: this.#options(request, '') })
    request.trace?.found(server)
    const skill = gatewayView.skills().owner(uri)
    return this.#withLogin(server, request, async (as) => {
      const own = skill ? toOwnUri(skill, uri) : uri
      const params = { ...this.#passedParams(as, server), uri: own }
      const send = async () => {
        const answer = await gatewayView.view
          .forward(server, 'resources/read', params, this.#options(as, server))
          .catch((error: unknown) => {
            throw isMissing(error) ? notFound(uri, as) : error
          })
        return this.#toAnswer(answer, as, server)
      }
      const sent = skill ? await readSkillFile(skill, own, this.#parts.host, send) : await send()
      if (!sent) throw notFound(uri, as)
      const result = skill ? toServedUris(skill, 'contents', sent) : sent
      // T26: a resource of a server is for the caller alone, whatever the server says.
      return as.client.era === 'modern' && isComplete(result)
        ? { ttlMs: 0, ...result, cacheScope: 'private' }
        : result
    })
  }

  /** `skills/get` and `resources/directory/read` */
  async skill(request: ServedRequest, view: GatewayView, run: typeof getSkill): Promise<Answer> {
    const { host } = this.#parts
    const send = async (server: string, method: string, own: JsonObject) => {
      request.trace?.found(server)
      const params = { ...this.#passedParams(request, server), ...own }
      return this.#toAnswer(await this.#sendPlaced(view, server, method, params, request), request, server)
    }
    return run(request, view, { host, send })
  }

  /** `prompts/get` */
  async prompt(request: ServedRequest, gatewayView: GatewayView): Promise<Answer> {
    const { name, arguments: args } = request.params
    if (typeof name !== 'string') throw invalidParams('The request names no prompt.')
    const found = await whenKnown(gatewayView, () => gatewayView.findPrompt(name))
    const missing = found ? undefined : gatewayView.findUnlisted(name)
    if (missing) {
      const next = await untilListed(missing, request, { gatewayView, logins: this.#parts.logins })
      return 'question' in next ? next.question : this.prompt(next.request, gatewayView)
    }
    if (!found) throw await whyNoPrompt(name, gatewayView, this.#options(request, ''))
    const { server, prompt } = found
    request.trace?.found(server, prompt)
    return this.#withLogin(server, request, async (as) => {
      const params = {
        ...this.#passedParams(as, server),
        name: prompt,
        ...(args !== undefined && { arguments: args }),
      }
      const options = this.#options(as, server)
      return this.#toAnswer(
        await gatewayView.view.forward(server, 'prompts/get', params, options),
        as,
        server,
      )
    })
  }

  /** `completion/complete` */
  async complete(request: ServedRequest, gatewayView: GatewayView): Promise<Answer> {
    const { ref, argument, context } = request.params
    if (!isObject(ref) || !isObject(argument)) throw invalidParams('The request needs a ref and an argument.')
    const { name, uri } = ref
    const found = await whenKnown(gatewayView, () => {
      const prompt = typeof name === 'string' ? gatewayView.findPrompt(name) : undefined
      const server = prompt?.server ?? (typeof uri === 'string' ? gatewayView.ownerOf(uri) : undefined)
      return server === undefined ? undefined : { server, prompt }
    })
    if (!found) throw invalidParams('The ref names no prompt and no template of this server.')
    const { server, prompt } = found
    const params = {
      ...this.#passedParams(request, server),
      ref: prompt ? { ...ref, name: prompt.prompt } : ref,
      argument,
      ...(context !== undefined && { context }),
    }
    const answer = await this.#sendPlaced(gatewayView, server, 'completion/complete', params, request)
    return this.#toAnswer(answer, request, server)
  }

  /** `tasks/get`, `tasks/update` and `tasks/cancel`: the id names the server. */
  async task(request: ServedRequest, gatewayView: GatewayView): Promise<Answer> {
    const { method, params, client } = request
    if (!followsTasks(client.capabilities)) throw missingCapability({ extensions: { [tasksExtension]: {} } })
    const { taskId, _meta: _hop, ...others } = params
    const found = typeof taskId === 'string' ? fromRef(taskId) : undefined
    const id = found && this.#ownTask(found, request)
    if (!found || id === undefined || !this.#parts.host.servers().some(({ name }) => name === found.server))
      throw invalidParams('There is no such task.')
    const { server } = found
    const sent = { ...this.#passedParams(request, server), ...others, taskId: id }
    const answer = await this.#sendPlaced(gatewayView, server, method, sent, request)
    return this.#toAnswer(answer, request, server)
  }

  /** The id of a task for its server; T31: that of another caller is no task at all. */
  #ownTask(
    { server, tool: given }: { readonly server: string; readonly tool: string },
    { caller }: ServedRequest,
  ): string | undefined {
    if (!isBound(caller)) return given
    const at = given.lastIndexOf('~')
    const id = given.slice(0, Math.max(at, 0))
    return this.#parts.seals.isMarked(given.slice(at + 1), caller.id, server, id) ? id : undefined
  }

  /** The answer in the era of the client. Nothing of it is checked again. */
  #toAnswer(answer: Json, { client, caller }: ServedRequest, server: string): JsonObject {
    const result = withoutReservedMeta(isObject(answer) ? answer : {})
    if (client.era === 'legacy') {
      if (result['resultType'] === undefined) return result
      const { resultType: _type, ...legacy } = result
      return legacy
    }
    const { taskId } = result
    const isTask = typeof taskId === 'string' && (result['resultType'] === 'task' || 'status' in result)
    if (!isTask) return { resultType: 'complete', ...result }
    const mark = isBound(caller) ? `~${this.#parts.seals.mark(caller.id, server, taskId)}` : ''
    return { resultType: 'complete', ...result, taskId: toRef(server, taskId + mark) }
  }

  /** Runs a request at a server. A client that can be asked logs in first, if the server needs that. */
  async #withLogin(
    server: string,
    request: ServedRequest,
    run: (as: ServedRequest) => Promise<Answer>,
  ): Promise<Answer> {
    const { logins } = this.#parts
    const explained = (as: ServedRequest) => async (error: unknown) =>
      Promise.reject(await logins.explain(error, as))
    return this.#at(server, await this.#afterLogin(request, server), async (as) => {
      try {
        return await run(as)
      } catch (error) {
        const login = await logins.offer(error, as)
        if (login === 'again') return run(as).catch(explained(as))
        return login ?? explained(as)(error)
      }
    })
  }

  /** The request without an answer to a question about a login, once that login has ended. */
  #afterLogin(request: ServedRequest, server: string): ServedRequest | Promise<ServedRequest> {
    const { logins, isolation } = this.#parts
    return logins.begin(request, server, isolation.hasOwnLogin(server, request.caller))
  }

  /** Sends a request in whose course no client is asked, over the connection of its caller. */
  async #sendPlaced(
    { view }: GatewayView,
    server: string,
    method: string,
    params: JsonObject,
    request: ServedRequest,
  ): Promise<Json> {
    const as = this.#placed(request, server)
    try {
      return await view.forward(server, method, params, this.#options(as, server))
    } catch (error) {
      throw await this.#parts.logins.explain(error, as)
    }
  }

  /** With its connection, if that is not the one that all requests share. */
  #placed(request: ServedRequest, server: string): ServedRequest {
    const connection = this.#parts.isolation.connectionFor(server, request.caller)
    return connection ? { ...request, connection } : request
  }

  /** Counts the request as one that the server works on. A modern client at a legacy server may be asked meanwhile. */
  #at(server: string, request: ServedRequest, run: (as: ServedRequest) => Promise<Answer>): Promise<Answer> {
    const { active, parked, eraOf } = this.#parts
    const isAsked = request.client.era === 'modern' && eraOf(server) !== 'modern'
    if (isAsked && ParkedCalls.isResumed(request)) return parked.resume(request)
    const placed = this.#placed(request, server)
    const place = { server, own: placed.connection?.key }
    if (!isAsked) return active.during(place, placed, () => run(placed))
    return parked.run(placed, (as) => active.during(place, as, () => run(as)))
  }

  #options(request: ServedRequest, server: string, { approve, rounds, admit }: CallGates = {}): CallOptions {
    const { client, signal, params, trace } = request
    const { person } = this.#parts
    const meta = isObject(params['_meta']) ? params['_meta'] : nothing
    const { progressToken: token, traceparent, tracestate } = meta
    const hasToken = typeof token === 'string' || typeof token === 'number'
    const isForPerson = person !== undefined && person.answersFor(request) && asksPerson(client)
    const onApproval: ForwardOptions['approve'] | undefined =
      approve ??
      (person?.mayApprove() ? (asked, options) => person.approve(asked, { ...options, request }) : undefined)
    // Fields are assigned one by one: spreads of parts that are absent cost more than the rest.
    const forward: Mutable<ForwardOptions> = {
      capabilities: isForPerson ? { ...client.capabilities, elicitation } : client.capabilities,
      params: this.#passedParams(request, server),
      // Legacy clients know no such tasks, and a connection for one request ends with its task. A modern client that does not
      // follow tasks is told so by a server that needs them.
      tasks: client.era === 'legacy' || request.connection?.isOnce ? 'here' : 'client',
      caller: auditedCaller(request),
      connection: request.connection,
      number: request.number,
      lane: laneOf(request),
    }
    if (onApproval)
      forward.approve = (asked, options) =>
        this.#parts.active.approved(request, async () => onApproval(asked, options))
    if (rounds) forward.rounds = rounds
    if (admit) forward.admit = admit
    if (request.method === 'tools/call') forward.flow = this.#parts.flows.of(request)
    // A modern client gets the questions as a result, and a legacy one as requests.
    if (client.era === 'legacy' || isForPerson)
      forward.answer = ({ method, params: asked = {} }, over) =>
        askClient(request, { server, method, params: asked }, over, person)
    const options: Mutable<CallOptions> = { signal, forward }
    // For spans of the call; without any, the server gets them as they are.
    if (typeof traceparent === 'string') options.traceparent = traceparent
    if (typeof tracestate === 'string') options.tracestate = tracestate
    if (hasToken || trace)
      options.onProgress = (progress) => {
        trace?.progress(progress)
        if (hasToken) request.notify('notifications/progress', { progressToken: token, ...progress })
      }
    return options
  }

  /** What is passed on of the parameters: never what describes the hop, and what only modern servers know to those. */
  #passedParams({ params, client }: ServedRequest, server: string): JsonObject {
    const { _meta: meta, inputResponses, requestState } = params
    const isModern = this.#parts.eraOf(server) === 'modern'
    if (meta === undefined && !isModern) return nothing
    const own = isObject(meta) ? withoutReserved(meta) : {}
    const passed: JsonObject =
      isModern && client.logLevel !== undefined ? { ...own, [logLevelKey]: client.logLevel } : own
    return {
      ...(Object.keys(passed).length > 0 && { _meta: passed }),
      ...(isModern && inputResponses !== undefined && { inputResponses }),
      ...(isModern && requestState !== undefined && { requestState }),
    }
  }
}

const nothing: JsonObject = {}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

function followsTasks({ extensions }: JsonObject): boolean {
  return isObject(extensions) && extensions[tasksExtension] !== undefined
}

function isComplete(answer: JsonObject): boolean {
  return answer['resultType'] === 'complete'
}
