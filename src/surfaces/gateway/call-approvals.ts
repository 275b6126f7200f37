import { randomBytes } from 'node:crypto'
import type { ApprovalQuestion, ForwardOptions, Json, JsonObject } from '../../index.ts'
import { hashOf, isObject } from '../../internal.ts'
import { invalidParams } from '../../serving.ts'
import { escapeJson, escapeLine } from '../terminal/escape.ts'
import { AskedCalls } from './asked-calls.ts'
import type { FindAnswered } from './asked-calls.ts'
import type { Seals } from './callers/seals.ts'
import type { GatewayPerson } from './gateway-person.ts'
import { LocalApprovals } from './local-approvals.ts'
import { ParkedCalls } from './parked-calls.ts'
import { digestOf } from './request-digest.ts'
import type { ServedRequest } from './served-request.ts'

type AskApproval = NonNullable<ForwardOptions['approve']>

const statePrefix = 'plugboard-approval:'
const questionKey = 'plugboard_approval'
/** How long an answer may take. */
const validMs = 10 * 60_000
/** A call whose arguments do not fit cannot be shown whole, and is not approved unseen. */
const maxShown = 16 * 1024
const maxState = 256 * 1024
/** Answers that were used, until their states have expired. */
const maxUsed = 100_000

/** What a client keeps for us between two rounds of a call. */
interface ApprovalState {
  readonly id: string
  readonly until: number
  /** The same in all rounds of a call. */
  readonly call: string
  /** `asked`: the next round brings the answer. `approved`: it was yes, and the server has asked something since. */
  readonly kind: 'asked' | 'approved'
  /** The definition, the entry of the server and the conditions that the person was shown. */
  readonly boundTo: string
  /** The hash of the arguments that the person was shown. */
  readonly args: string
  /** What the client sent for the server, byte for byte. */
  readonly forServer: JsonObject
}

interface ApprovalParts {
  readonly seals: Seals
  readonly now?: (() => number) | undefined
  readonly findAnswered?: FindAnswered | '' | undefined
  /** Approves calls beside their clients, and those of clients that cannot be asked. */
  readonly person?: GatewayPerson | undefined
}

type ShownCall = Pick<ApprovalState, 'boundTo' | 'args' | 'call'>

/** One round of a call, as far as its approval is concerned. */
export interface ApprovalRound {
  /** The request as its server may see it. */
  readonly request: ServedRequest
  /** Asks the client; absent if it cannot be asked. */
  readonly approve: AskApproval | undefined
  /** For the audit trail; absent if the answer comes within the request. */
  readonly rounds?: ForwardOptions['rounds']
  /** The question that has to be answered first, as the result of the request. */
  question(): JsonObject | undefined
  /** The answer of the server, with what later rounds need. */
  finish(answer: JsonObject): JsonObject
}

/**
 * Approvals of calls by the person at the client, as rounds of elicitation. A modern client keeps the state, sealed and bound
 * to the caller, the request, the definition and a time, so any process with the same secret can go on; a legacy client is
 * asked in the middle of its call.
 */
export class CallApprovals {
  readonly #seals: Seals
  readonly #now: () => number
  readonly #used = new Map<string, number>()
  readonly #asked: AskedCalls
  readonly #person: GatewayPerson | undefined
  readonly #local: LocalApprovals

  constructor({ seals, now = Date.now, findAnswered, person }: ApprovalParts) {
    this.#seals = seals
    this.#now = now
    this.#asked = new AskedCalls(now, findAnswered || undefined)
    this.#person = person
    this.#local = new LocalApprovals(person)
  }

  /** Withdraws what waits for the person at this machine, and writes the rows of questions that wait for their answer. */
  close(): Promise<void> {
    this.#local.close()
    return this.#asked.close()
  }

  /** Throws if the request brings a state that is not its own. */
  begin(request: ServedRequest, mayAsk: boolean): ApprovalRound {
    const state = this.#read(request)
    const restored = state ? restore(request, state) : request
    const isAsked = mayAsk && canBeAsked(request)
    if (request.client.era === 'legacy' || !isAsked)
      return {
        request: restored,
        approve: isAsked ? (question, { signal }) => this.#askBoth(request, question, signal) : undefined,
        question: () => undefined,
        finish: (answer) => answer,
      }
    const said = state && (state.kind === 'approved' ? 'once' : answerIn(request.params['inputResponses']))
    const digest = digestOf(request)
    let call = state?.call ?? randomBytes(12).toString('base64url')
    let question: { readonly server: string; readonly result: JsonObject } | undefined
    let approved: Pick<ApprovalState, 'boundTo' | 'args'> | undefined
    return {
      request: restored,
      approve: async (asked) => {
        const shown = { boundTo: asked.boundTo, args: hashOf(asked.args) }
        // A changed definition is asked about again: the answer was about another one.
        const isSame = state?.boundTo === shown.boundTo && state.args === shown.args
        const answer = isSame && state && said !== undefined && this.#use(state) ? said : undefined
        const local =
          state?.kind === 'approved'
            ? undefined
            : await this.#local.settle(digest, { ...shown, call: state?.call }, answer)
        if (local) {
          call = local.call
          // Whatever the client still answers to this question comes too late.
          this.#used.set(call, this.#now() + validMs)
        }
        // Of two rounds that come at once, the second finds out here that the question is settled.
        const isLate = !local && state?.kind === 'asked' && this.#used.has(state.call)
        const decided = local?.answer ?? (isLate ? 'no' : answer)
        if (decided === undefined) {
          question = {
            server: asked.tool.server,
            result: this.#ask(formFor(asked), { ...shown, call }, restored),
          }
          this.#local.offer(digest, { ...shown, call }, { asked, request, validMs })
          return 'asked'
        }
        this.#asked.answered(call)
        if (decided === 'once') approved = shown
        return decided
      },
      rounds: {
        question: () => (question || state || approved ? call : undefined),
        hold: (record) => {
          if (!question) return false
          this.#asked.hold(call, { server: question.server, until: this.#now() + validMs, record })
          return true
        },
      },
      question: () => question?.result,
      finish: (answer) => (approved ? this.#keep(answer, { ...approved, call }, restored) : answer),
    }
  }

  /** Asks a legacy client in its call, and beside it the person at this machine: the first answer counts. */
  async #askBoth(request: ServedRequest, question: ApprovalQuestion, signal: AbortSignal | undefined) {
    const person = this.#person
    if (!person?.mayApprove()) return askNow(request, question, signal)
    const client = (until: AbortSignal) => askNow(request, question, until)
    return person.approve(question, { signal, request, client })
  }

  #ask(form: JsonObject, shown: ShownCall, request: ServedRequest): JsonObject {
    const { inputResponses, requestState } = request.params
    const forServer = {
      ...(inputResponses !== undefined && { inputResponses }),
      ...(requestState !== undefined && { requestState }),
    }
    return {
      resultType: 'input_required',
      inputRequests: { [questionKey]: { method: 'elicitation/create', params: form } },
      requestState: this.#seal({ kind: 'asked', ...shown, forServer }, request),
    }
  }

  /** A server that asks something gets its own state back with the next round, which needs no approval again. */
  #keep(answer: JsonObject, shown: ShownCall, request: ServedRequest): JsonObject {
    const { resultType, requestState } = answer
    // A call that waits in this process has been approved already.
    if (resultType !== 'input_required' || ParkedCalls.isState(requestState)) return answer
    const forServer = requestState === undefined ? {} : { requestState }
    return { ...answer, requestState: this.#seal({ kind: 'approved', ...shown, forServer }, request) }
  }

  #seal(state: Omit<ApprovalState, 'id' | 'until'>, request: ServedRequest): string {
    const id = randomBytes(12).toString('base64url')
    const whole: ApprovalState = { ...state, id, until: this.#now() + validMs }
    const sealed = statePrefix + this.#seals.seal(whole, digestOf(request))
    if (sealed.length > maxState) throw invalidParams('The state of this call is too large to be approved.')
    return sealed
  }

  /** The state of an earlier round. It counts once: one answer is for one call. */
  #read(request: ServedRequest): ApprovalState | undefined {
    const { requestState } = request.params
    if (typeof requestState !== 'string' || !requestState.startsWith(statePrefix)) return undefined
    const sealed = requestState.slice(statePrefix.length)
    // Only this class seals for these digests, so what opens has the shape of a state.
    const state = this.#seals.open(sealed, digestOf(request)) as ApprovalState | undefined
    if (!state) throw invalidParams('This state is not of this call and caller, or was changed. Call again.')
    if (state.until <= this.#now()) throw invalidParams('The question has expired. Call again.')
    const isLate = state.kind === 'asked' && this.#used.has(state.call)
    if (isLate || this.#used.has(state.id)) throw invalidParams('This answer was used before. Call again.')
    return state
  }

  /** Uses an answer up when it decides, not before: a call that a limit refuses may be repeated with it. */
  #use({ id, until }: ApprovalState): boolean {
    if (this.#used.has(id)) return false
    if (this.#used.size >= maxUsed) this.#forget()
    if (this.#used.size >= maxUsed) return false
    this.#used.set(id, until)
    return true
  }

  #forget(): void {
    const now = this.#now()
    for (const [id, until] of this.#used) if (until <= now) this.#used.delete(id)
  }
}

/** The request without what was for us, and with what an earlier round had for the server. */
function restore(request: ServedRequest, { kind, forServer }: ApprovalState): ServedRequest {
  const { inputResponses, requestState: _ours, ...params } = request.params
  const answers = kind === 'approved' && inputResponses !== undefined ? { inputResponses } : {}
  return { ...request, params: { ...params, ...answers, ...forServer } }
}

/** `undefined` if the question was not answered. */
function answerIn(responses: Json | undefined): 'once' | 'no' | undefined {
  const answer = isObject(responses) ? responses[questionKey] : undefined
  return isObject(answer) ? grantOf(answer) : undefined
}

function grantOf({ action, content }: JsonObject): 'once' | 'no' {
  return action === 'accept' && isObject(content) && content['allow'] === true ? 'once' : 'no'
}

async function askNow(
  request: ServedRequest,
  question: ApprovalQuestion,
  signal: AbortSignal | undefined,
): Promise<'once' | 'no'> {
  const over = [AbortSignal.timeout(validMs), request.signal, ...(signal ? [signal] : [])]
  const options = { signal: AbortSignal.any(over), during: request }
  const answer = await request.client.ask?.('elicitation/create', formFor(question), options)
  return isObject(answer) ? grantOf(answer) : 'no'
}

/** Whether the client shows forms to a person: those that declare no mode do, too. */
function canBeAsked({ client }: ServedRequest): boolean {
  const { elicitation } = client.capabilities
  if (!isObject(elicitation) || (client.era === 'legacy' && !client.ask)) return false
  return elicitation['form'] !== undefined || elicitation['url'] === undefined
}

/** Shows the call as it would be sent; hidden characters are visible in it (T24). */
function formFor({ tool, args, reason }: ApprovalQuestion): JsonObject {
  const shown = escapeJson(JSON.stringify(args))
  if (shown.length > maxShown) throw new Error('Its arguments are too long to be shown.')
  return {
    mode: 'form',
    message: [
      'Plugboard asks: may this call run?',
      `Tool: ${escapeLine(tool.ref)}`,
      `Arguments: ${shown}`,
      `Why it asks: ${escapeLine(reason)}`,
    ].join('\n'),
    requestedSchema: {
      type: 'object',
      properties: { allow: { type: 'boolean', title: 'Run this call once' } },
      required: ['allow'],
    },
  }
}
