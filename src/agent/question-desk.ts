import type {
  ApprovalQuestion,
  Approve,
  EditedGrant,
  Elicit,
  Elicitation,
  ElicitationAnswer,
  Grant,
  Json,
  JsonObject,
} from '../index.ts'
import { describeCall } from '../internal.ts'
import { hashOf } from '../model/canonical.ts'
import { foldValues } from '../model/mask-texts.ts'
import { isObject } from '../model/json.ts'
import type { NewQuestion, QuestionKind, Questions } from '../store.ts'
import { raceAnswers } from './race-answers.ts'
import type { AnsweredQuestion } from './race-answers.ts'
import type { ApproveSample, SampleGrant, SampleRequest } from './sampling.ts'

/** What happens to a question. `by`: in the terminal that asked, or in another process. */
export type QuestionEvent = {
  readonly id: string
  readonly kind: QuestionKind
  readonly server?: string
} & (
  | { readonly type: 'question.asked' }
  | { readonly type: 'question.answered'; readonly by: 'here' | 'elsewhere' }
  | { readonly type: 'question.expired' }
)

/** The prompts of this process. Each is withdrawn by its signal when another process has answered. */
export interface LocalPrompts {
  readonly approve?: (question: ApprovalQuestion, options: PromptOptions) => ReturnType<Approve>
  readonly elicit?: (elicitation: Elicitation, options: PromptOptions) => Promise<ElicitationAnswer>
  readonly approveSample?: (request: SampleRequest, options: PromptOptions) => Promise<SampleGrant>
  /** Resolves with whether the person is logged in now. */
  readonly login?: (request: LoginRequest, options: PromptOptions) => Promise<boolean>
}

export interface PromptOptions {
  readonly signal: AbortSignal
  /** Of the stored question; absent without a store, or while it does not answer. */
  readonly id?: string
}

export interface LoginRequest {
  readonly server: string
  /** Why a login is needed. */
  readonly reason: string
}

export interface QuestionDeskOptions {
  /** `questions` of a store; a function opens it at the first question. Without a store only `local` answers. */
  readonly questions?: Questions | (() => Promise<Questions | undefined>)
  readonly local?: LocalPrompts
  /**
   * The conversation in hand, or the one that the server works for. Approvals and questions that can be asked again outlive
   * the process only within one.
   */
  readonly conversation?: (asking: {
    readonly kind: QuestionKind
    readonly server: string
  }) => string | undefined
  /** The file that declares a server, as a person knows it; shown with its questions elsewhere. */
  readonly placeOf?: (server: string) => string | undefined
  /** The client of a gateway that it is asked for, as a person knows it; shown with the questions. */
  readonly client?: string
  /** `once`: an approval holds for its call alone, and no other is offered. */
  readonly grants?: 'once'
  /** Why an elicitation is declined without asking anybody (T20). */
  readonly refuse?: (elicitation: Elicitation) => string | undefined
  readonly on?: (event: QuestionEvent) => void
  /** How long `local` waits for a store that is away: it may hold the answer to the same question of before. 1 s by default. */
  readonly storeMs?: number
}

/**
 * Callbacks for `createHost`, whose questions wait in a store until they are answered here or in another process.
 *
 * @example
 * const desk = createQuestionDesk({ questions: store.questions, conversation: () => 'c1' })
 * const host = await createHost({ approve: desk.approve, elicit: desk.elicit, asks: 'writes' })
 */
export interface QuestionDesk {
  readonly approve: Approve
  readonly elicit: Elicit
  /** For `createSample`. */
  readonly approveSample: ApproveSample
  /** Asks for a login that a server needs, here or in another shell. */
  login(request: LoginRequest, options?: { readonly signal?: AbortSignal }): Promise<boolean>
  /** Withdraws all prompts. What can be asked again stays pending for the next process; the rest is expired. */
  close(): Promise<void>
}

export function createQuestionDesk(options: QuestionDeskOptions): QuestionDesk {
  const { local = {}, conversation = () => undefined, refuse = () => undefined } = options
  const fromOf = (server: string) => {
    const from = options.placeOf?.(server)
    return from === undefined ? {} : { from }
  }
  const forClient: JsonObject = options.client === undefined ? {} : { client: options.client }
  const isOnce = options.grants === 'once'
  const closing = new AbortController()
  const unfinished = new Set<Promise<unknown>>()
  const track = (work: Promise<unknown>) => {
    unfinished.add(work)
    void work.finally(() => unfinished.delete(work))
  }
  const ask = <T>(question: NewQuestion, how: AnsweredQuestion<T>): Promise<T> => {
    const { questions } = options
    const asking = raceAnswers(question, how, {
      questions: async () => (typeof questions === 'function' ? questions() : questions),
      closing: closing.signal,
      on: options.on ?? (() => undefined),
      track,
      storeMs: options.storeMs,
    })
    track(asking.catch(() => undefined))
    return asking
  }
  /** The key by which the same question is recognized in a later process. */
  const keyOf = (
    kind: QuestionKind,
    about: object,
    within: string | undefined,
  ): { readonly key?: string } => {
    return within === undefined ? {} : { key: hashOf({ kind, within, ...about }) }
  }
  const inConversation = (within: string | undefined) =>
    within === undefined ? {} : { conversation: within }
  return {
    approve(question, { signal }) {
      const { tool, args, boundTo } = question
      const prompt = local.approve
      const within = question.conversation ?? conversation({ kind: 'approval', server: tool.server })
      return ask<Grant | 'no' | EditedGrant>(
        {
          kind: 'approval',
          server: tool.server,
          asked: { ...describeApproval(question), ...forClient, ...(isOnce && { grants: 'once' }) },
          ...inConversation(within),
          ...keyOf('approval', { boundTo, args }, within),
        },
        {
          signal,
          here: prompt && ((until, id) => prompt(question, promptOptions(until, id))),
          read: (answer, asked) => {
            const grant = isWhole(asked) ? readGrant(answer) : 'no'
            return isOnce && grant !== 'no' ? 'once' : grant
          },
          // Edited arguments go with the call alone: a store would mask secrets in them.
          keep: (grant) => (typeof grant === 'object' ? grant.grant : grant),
          otherwise: 'no',
        },
      )
    },

    async elicit(elicitation, { signal }) {
      const { server, message, url, schema, canWait, findings } = elicitation
      const kind = elicitation.mode === 'url' ? 'url' : 'elicitation'
      const prompt = local.elicit
      const within = conversation({ kind, server })
      // The prompt says itself why it declines.
      if (!prompt && refuse(elicitation) !== undefined) return { action: 'decline' }
      if (prompt && refuse(elicitation) !== undefined) return prompt(elicitation, { signal })
      const asked: Json =
        url === undefined ? { message, schema: schema ?? {} } : { message, url, urlHash: hashOf(url) }
      const shown = { ...asked, ...fromOf(server), ...findingsIn(findings), ...forClient }
      return ask<ElicitationAnswer>(
        {
          kind,
          server,
          asked: shown,
          ...inConversation(within),
          ...(canWait && keyOf(kind, { server, asked }, within)),
        },
        {
          signal,
          here: prompt && ((until, id) => prompt(elicitation, promptOptions(until, id))),
          read: readElicitationAnswer,
          // What a person filled in is the server's business; the store keeps only what they decided.
          keep: ({ action }) => ({ action }),
          otherwise: { action: 'cancel' },
        },
      )
    },

    approveSample(request, { signal }) {
      const { server, canWait, findings, ...shown } = request
      const prompt = local.approveSample
      const within = conversation({ kind: 'sampling', server })
      const asked: Json = { ...shown, messages: shown.messages.map((message) => ({ ...message })) }
      return ask<SampleGrant>(
        {
          kind: 'sampling',
          server,
          asked: { ...asked, ...findingsIn(findings) },
          ...inConversation(within),
          ...(canWait && keyOf('sampling', { server, asked }, within)),
        },
        {
          signal,
          here: prompt && ((until, id) => prompt(request, promptOptions(until, id))),
          read: (answer, seen) =>
            isWhole(seen) && (answer === 'once' || answer === 'conversation') ? answer : 'no',
          keep: (grant) => grant,
          otherwise: 'no',
        },
      )
    },

    login(request, { signal } = {}) {
      const { server, reason } = request
      const prompt = local.login
      return ask<boolean>(
        // A login serves every conversation.
        { kind: 'login', server, asked: { reason }, key: hashOf({ kind: 'login', server }) },
        {
          signal,
          here: prompt && ((until, id) => prompt(request, promptOptions(until, id))),
          read: (answer) => answer === true,
          keep: (isDone) => isDone,
          otherwise: false,
        },
      )
    },

    async close() {
      closing.abort()
      while (unfinished.size > 0) await Promise.all(unfinished)
    },
  }
}

/** As plain JSON, without what the question says itself. */
function findingsIn(findings: Elicitation['findings']): JsonObject {
  if (!findings) return {}
  return {
    findings: findings.map(({ rule, severity, pointer, message, evidence, remedy }) => ({
      rule,
      severity,
      pointer,
      message,
      ...(evidence !== undefined && { evidence }),
      remedy,
    })),
  }
}

function promptOptions(signal: AbortSignal, id: string | undefined): PromptOptions {
  return { signal, ...(id !== undefined && { id }) }
}

/** What a person is shown, as plain JSON. Long arguments are folded: a result that is passed on may have megabytes. */
function describeApproval(question: ApprovalQuestion): JsonObject {
  const { value, folded } = foldValues(question.args, storedLength)
  return { ...describeCall(question), args: value, ...(folded > 0 && { masked: true }) }
}

const storedLength = 20_000

/** Whether another process could see everything that it said yes to. */
function isWhole(asked: Json): boolean {
  return !isObject(asked) || asked['masked'] !== true
}

function readGrant(answer: Json): Grant | 'no' {
  return answer === 'once' || answer === 'conversation' || answer === 'always' ? answer : 'no'
}

function readElicitationAnswer(answer: Json): ElicitationAnswer {
  if (!isObject(answer)) return { action: 'cancel' }
  const { action, content } = answer
  if (action === 'accept') return isObject(content) ? { action, content } : { action }
  return { action: action === 'decline' ? 'decline' : 'cancel' }
}
