import type { QuestionDesk, QuestionEvent } from '../../../agent.ts'
import { fromRef } from '../../../index.ts'
import type {
  ApprovalQuestion,
  Finding,
  Host,
  HostOptions,
  Json,
  JsonObject,
  Sample,
} from '../../../index.ts'
import { describeCall, isObject, mapTexts } from '../../../internal.ts'
import type { QuestionLimit } from '../../facts/question-limit.ts'
import type { PageQuestions } from './page-questions.ts'
import type { RunningCalls } from './running-calls.ts'
import type { SampleSource } from './sample-source.ts'
import type { TalkStore } from './talk-store.ts'

export type HostCallbacks = Required<Pick<HostOptions, 'approve' | 'elicit' | 'sample'>>

/** A page asks under the id of the stored question, so that a terminal answers the same one. */
const storeMs = 10_000

/** What the desks of all hosts share. */
export interface DeskParts {
  readonly questions: PageQuestions
  readonly limit: QuestionLimit
  readonly running: RunningCalls
  readonly samples: SampleSource
  readonly kept: () => Promise<TalkStore>
  readonly placeOf: (host: Host | undefined, server: string) => string | undefined
  /** Says what was refused to a server in the name of the person, and why. */
  readonly refused: (server: string, text: string) => void
  readonly on: (event: QuestionEvent) => void
}

/** The questions of one host. Nothing is loaded before the first one. */
export class HostDesk {
  readonly #parts: DeskParts
  readonly #host: () => Host | undefined
  #desk: Promise<QuestionDesk> | undefined
  #sample: Promise<Sample> | undefined
  /** The calls that run, with their servers. */
  readonly #calls = new Map<string, string | undefined>()
  /** What withdraws the questions that wait, with their servers. */
  readonly #asking = new Map<AbortController, string>()

  constructor(host: () => Host | undefined, parts: DeskParts) {
    this.#host = host
    this.#parts = parts
  }

  get callbacks(): HostCallbacks {
    const { limit } = this.#parts
    return {
      // Approvals have no limit: the person's own model causes them, and refusing one unseen would count as the person's no.
      approve: async (question, options) => (await this.#open()).approve(withoutPage(question), options),
      elicit: async (elicitation, { signal }) =>
        limit.take(elicitation.server)
          ? this.#whileCalled(elicitation.server, signal, async (until) =>
              (await this.#open()).elicit(elicitation, { signal: until }),
            )
          : { action: 'decline' },
      sample: async (request, { signal }) =>
        this.#whileCalled(request.server, signal, async (until) =>
          (await (this.#sample ??= this.#openSample()))(request, { signal: until }),
        ),
    }
  }

  /** Withdraws the questions of a server when the last call that it works on is stopped, because no call can use the answers. */
  followCalls(host: Pick<Host, 'on'>): Disposable {
    return host.on((event) => {
      if (event.type === 'call.started') this.#calls.set(event.id, fromRef(event.ref)?.server)
      if (event.type !== 'call.finished') return
      const server = this.#calls.get(event.id)
      this.#calls.delete(event.id)
      if (event.error === undefined || [...this.#calls.values()].includes(server)) return
      for (const [stop, asking] of this.#asking) if (asking === server) stop.abort()
    })
  }

  /** Makes a question of each login that a server needs, from the first one on. */
  followLogins(host: Host): Disposable {
    let following: Disposable | undefined
    let isOver = false
    const begin = async () => {
      const [{ followLogins }, desk] = await Promise.all([import('../../../agent.ts'), this.#open()])
      if (!isOver) following = followLogins(host, desk)
    }
    const first = host.on((event) => {
      if (event.type !== 'server.changed' || event.status.state !== 'needs-auth') return
      first[Symbol.dispose]()
      begin().catch(() => undefined)
    })
    if (host.servers().some(({ status }) => status.state === 'needs-auth')) {
      first[Symbol.dispose]()
      begin().catch(() => undefined)
    }
    return {
      [Symbol.dispose]() {
        isOver = true
        first[Symbol.dispose]()
        following?.[Symbol.dispose]()
      },
    }
  }

  /** What can be asked again is left to the next process. */
  async close(): Promise<void> {
    await (await this.#desk?.catch(() => undefined))?.close()
  }

  async #whileCalled<T>(
    server: string,
    signal: AbortSignal,
    ask: (until: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const stop = new AbortController()
    this.#asking.set(stop, server)
    try {
      return await ask(AbortSignal.any([signal, stop.signal]))
    } finally {
      this.#asking.delete(stop)
    }
  }

  #open(): Promise<QuestionDesk> {
    return (this.#desk ??= this.#create())
  }

  async #create(): Promise<QuestionDesk> {
    const { questions, running, kept, placeOf, refused, on } = this.#parts
    const [{ createQuestionDesk }, { refuseElicitation }, store] = await Promise.all([
      import('../../../agent.ts'),
      import('../../shell/elicit.ts'),
      kept(),
    ])
    const conversationOn = (server: string) => running.agentOn(server)?.conversation.id
    const fromOf = (server: string) => placeOf(this.#host(), server)
    /** Without the secrets of this host: those of another folder's host are not known to the one that masks answers. */
    const masked = (asked: JsonObject): Json => {
      const shown = mapTexts(asked, (text) => this.#host()?.redact(text) ?? text)
      return isObject(shown) && shown !== asked ? { ...shown, hasSecret: true } : asked
    }
    return createQuestionDesk({
      questions: store.questions,
      // An approval knows its conversation itself: one without is of a call of the page.
      conversation: ({ kind, server }) => (kind === 'approval' ? undefined : conversationOn(server)),
      placeOf: fromOf,
      refuse: refuseElicitation,
      on,
      storeMs,
      local: {
        approve: (question, options) =>
          questions.ask({
            ...options,
            kind: 'approval',
            server: question.tool.server,
            conversation: question.conversation,
            asked: masked(describeCall(question)),
            tool: question.tool,
          }),
        elicit: (elicitation, options) => {
          const { server, message, url, schema = {}, findings } = elicitation
          const why = refuseElicitation(elicitation)
          if (why !== undefined) {
            refused(server, `"${server}" ${why} It was declined.`)
            return Promise.resolve({ action: 'decline' })
          }
          const from = fromOf(server)
          const asked = {
            message,
            ...(url === undefined ? { schema } : { url }),
            ...(from !== undefined && { from }),
            ...(findings && { findings: toJson(findings) }),
          }
          const kind = url === undefined ? 'elicitation' : 'url'
          const conversation = conversationOn(server)
          return questions.ask({ ...options, kind, server, conversation, asked: masked(asked) })
        },
        approveSample: (request, options) => {
          const { server, canWait: _canWait, findings, ...shown } = request
          const asked = {
            ...shown,
            messages: shown.messages.map((each) => ({ ...each })),
            ...(findings && { findings: toJson(findings) }),
          }
          const conversation = conversationOn(server)
          return questions.ask({ ...options, kind: 'sampling', server, conversation, asked: masked(asked) })
        },
        login: ({ server, reason }, options) =>
          questions.ask({ ...options, kind: 'login', server, asked: masked({ reason }) }),
      },
    })
  }

  async #openSample(): Promise<Sample> {
    const { limit, samples, refused } = this.#parts
    const [{ openSample }, desk] = await Promise.all([import('./open-sample.ts'), this.#open()])
    return openSample({
      samples,
      approve: async (request, options) =>
        limit.take(request.server) ? desk.approveSample(request, options) : 'no',
      onRejected: ({ server, reason }) => refused(server, `"${server}" may not use the model now: ${reason}`),
    })
  }
}

/** Calls of the page have a conversation of their own for approvals. It ends with `serve`, and so do their questions. */
function withoutPage(question: ApprovalQuestion): ApprovalQuestion {
  if (question.conversation?.startsWith('page-') !== true) return question
  const { conversation: _conversation, ...rest } = question
  return rest
}

function toJson(findings: readonly Finding[]): Json {
  return findings as unknown as Json // plain JSON
}
