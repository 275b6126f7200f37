import { HostError } from '../../../index.ts'
import type { DiscoverOptions, Elicitation, ElicitationAnswer, JsonObject } from '../../../index.ts'
import { isObject } from '../../../internal.ts'
import type { QuestionDesk, QuestionDeskOptions } from '../../../agent.ts'
import type { OwnStore, Questions } from '../../../store.ts'
import { missingCapability } from '../../../serving.ts'
import type { GatewayPerson } from '../gateway-person.ts'
import type { ServedRequest } from '../served-request.ts'

export interface DeskPersonOptions {
  readonly discover: DiscoverOptions
  /** How a person knows the client of a request. */
  readonly nameOf: (client: string) => string | undefined
  /** The file that declares a server. */
  readonly placeOf: (server: string) => string | undefined
  readonly redact: (text: string) => string
}

/** More questions of one server at a time are declined: a server must not bury those of others. */
const maxWaiting = 5

/** Questions of the servers of one folder wait in the person's store: `plugboard answer` and the page answer them. */
export class DeskPerson implements GatewayPerson {
  readonly #options: DeskPersonOptions
  readonly #asking = new Set<QuestionDesk>()
  /** How many questions of a server wait. */
  readonly #waiting = new Map<string, number>()
  #opened: Promise<OwnStore> | undefined

  constructor(options: DeskPersonOptions) {
    this.#options = options
  }

  /** All clients of a desk are of one person. */
  answersFor(): boolean {
    return true
  }

  mayApprove(): boolean {
    return true
  }

  async approve(
    question: Parameters<GatewayPerson['approve']>[0],
    { signal, request, client }: Parameters<GatewayPerson['approve']>[1],
  ) {
    // A client that can be asked does not depend on a store.
    const questions = await this.#questions().catch((error: unknown) => {
      if (client) return undefined
      throw error
    })
    if (!questions && client) return client(signal ?? new AbortController().signal)
    const local = client && {
      approve: (_question: unknown, { signal: until }: { readonly signal: AbortSignal }) => client(until),
    }
    const { caller } = request ?? {}
    // Approvals that are kept are not bound to callers: those for others hold once.
    const grants = caller && caller.kind !== 'owner' ? ({ grants: 'once' } as const) : {}
    return this.#ask(questions, request, { ...(local && { local }), ...grants }, (desk) =>
      desk.approve(question, { signal }),
    )
  }

  async elicit(
    { server, params }: Parameters<GatewayPerson['elicit']>[0],
    { signal, request, client }: Parameters<GatewayPerson['elicit']>[1],
  ): Promise<JsonObject> {
    const elicitation = toElicitation(server, params)
    // A client that can be asked does not depend on a store.
    const questions = await this.#questions().catch((error: unknown) => {
      if (client) return undefined
      throw error
    })
    const waiting = this.#waiting.get(server) ?? 0
    if (!questions || !elicitation || waiting >= maxWaiting) {
      if (client) return client(signal)
      if (waiting >= maxWaiting) return { action: 'decline' }
      throw missingCapability({ elicitation: {} })
    }
    let ofClient: ElicitationAnswer | undefined
    const local = client && {
      elicit: async (_asked: Elicitation, { signal: until }: { readonly signal: AbortSignal }) =>
        (ofClient = (await client(until)) as unknown as ElicitationAnswer), // the server checks what it gets
    }
    this.#waiting.set(server, waiting + 1)
    try {
      const answer = await this.#ask(questions, request, { ...(local && { local }) }, (desk) =>
        desk.elicit(elicitation, { signal }),
      )
      return answer === ofClient ? { ...answer } : withDefaults(answer, elicitation)
    } finally {
      this.#waiting.set(server, (this.#waiting.get(server) ?? 1) - 1)
    }
  }

  /** Withdraws what waits. */
  async close(): Promise<void> {
    await Promise.all([...this.#asking].map((desk) => desk.close()))
    await (await this.#opened?.catch(() => undefined))?.store?.close()
  }

  async #ask<T>(
    questions: Questions | undefined,
    request: ServedRequest | undefined,
    how: Pick<QuestionDeskOptions, 'local' | 'grants'>,
    ask: (desk: QuestionDesk) => Promise<T>,
  ): Promise<T> {
    const [{ createQuestionDesk }, { refuseElicitation }] = await Promise.all([
      import('../../../agent.ts'),
      import('../../shell/elicit.ts'),
    ])
    const { nameOf, placeOf } = this.#options
    const client = request?.from === undefined ? undefined : nameOf(request.from)
    let waits: Disposable | undefined
    const desk = createQuestionDesk({
      ...(questions && { questions }),
      placeOf,
      refuse: refuseElicitation,
      ...(client !== undefined && { client }),
      ...how,
      on: ({ type, id }) => {
        if (type === 'question.asked') waits ??= request?.trace?.waits({ of: 'person', question: id })
      },
    })
    this.#asking.add(desk)
    try {
      return await ask(desk)
    } finally {
      waits?.[Symbol.dispose]()
      void desk.close().then(() => this.#asking.delete(desk))
    }
  }

  /** Opened with the first question. Throws if nothing can be kept here, so that nothing could be answered. */
  async #questions(): Promise<Questions> {
    this.#opened ??= this.#open()
    // The next question tries again.
    this.#opened.catch(() => (this.#opened = undefined))
    const { store, problems } = await this.#opened
    if (store) return store.questions
    const { notKept } = await import('../../../store.ts')
    const { message, hint } = notKept(problems)
    throw new HostError('usage', {}, message, hint === undefined ? {} : { hint })
  }

  async #open(): Promise<OwnStore> {
    const { openOwnStore } = await import('../../../store.ts')
    const { discover, redact } = this.#options
    const { cwd, platform = {} } = discover
    return openOwnStore({ platform, redact, ...(cwd !== undefined && { cwd }) })
  }
}

/** `undefined` for what is no question of the protocol: the server is told by its client, or has asked in vain. */
function toElicitation(server: string, params: JsonObject): Elicitation | undefined {
  const { mode = 'form', message, requestedSchema, url } = params
  if (typeof message !== 'string') return undefined
  if (mode === 'url') return typeof url === 'string' ? { server, mode, message, url } : undefined
  if (mode !== 'form') return undefined
  return { server, mode, message, schema: isObject(requestedSchema) ? requestedSchema : {} }
}

/** Fields that a person left out get the form's default values. */
function withDefaults(answer: ElicitationAnswer, { schema = {} }: Elicitation): JsonObject {
  if (answer.action !== 'accept') return { ...answer }
  const { properties } = schema
  const defaults = Object.entries(isObject(properties) ? properties : {}).flatMap(([name, field]) => {
    const value = isObject(field) ? field['default'] : undefined
    return value === undefined ? [] : [[name, value] as const]
  })
  return { action: 'accept', content: { ...Object.fromEntries(defaults), ...answer.content } }
}
