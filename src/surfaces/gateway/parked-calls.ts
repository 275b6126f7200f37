import { randomBytes } from 'node:crypto'
import type { Json, JsonObject } from '../../index.ts'
import { isObject } from '../../internal.ts'
import { invalidParams } from '../../serving.ts'
import { digestOf } from './request-digest.ts'
import type { Answer, AskClient, ServedRequest } from './served-request.ts'

const statePrefix = 'plugboard-call:'
/** In the `_meta` of a question. */
const keyName = 'plugboard/key'
/** How long a call waits for the answers of its client. */
const parkedMs = 5 * 60_000
/** Beyond this number one is given up. */
const maxParked = 1000

interface Question {
  readonly request: JsonObject
  readonly resolve: (answer: Json) => void
  readonly reject: (error: Error) => void
}

/**
 * Calls of modern clients at legacy servers that ask something in the middle. The client gets the questions as the result of
 * its request, and repeats the request with the answers; meanwhile the call waits here. It is lost with this process: the
 * client is then told to call again.
 */
export class ParkedCalls {
  readonly #parked = new Map<string, ParkedCall>()

  /** Whether a request brings answers for a call that waits here. */
  static isResumed({ params }: ServedRequest): boolean {
    return ParkedCalls.isState(params['requestState'])
  }

  static isState(requestState: Json | undefined): boolean {
    return typeof requestState === 'string' && requestState.startsWith(statePrefix)
  }

  run(request: ServedRequest, call: (as: ServedRequest) => Promise<Answer>): Promise<Answer> {
    return this.#next(new ParkedCall(request, call))
  }

  async resume(request: ServedRequest): Promise<Answer> {
    const { requestState, inputResponses } = request.params
    const key = typeof requestState === 'string' ? requestState : ''
    const parked = this.#parked.get(key)
    if (!parked || parked.digest !== digestOf(request))
      throw invalidParams('No call waits for these answers: it has ended, or it was another one. Call again.')
    this.#parked.delete(key)
    parked.attach(request)
    parked.answerAll(isObject(inputResponses) ? inputResponses : {})
    return this.#next(parked)
  }

  close(): void {
    for (const parked of this.#parked.values()) parked.end()
    this.#parked.clear()
  }

  async #next(parked: ParkedCall): Promise<Answer> {
    const answer = await parked.next()
    if (answer !== undefined) {
      parked.detach()
      return answer
    }
    const key = statePrefix + randomBytes(24).toString('base64url')
    if (this.#parked.size >= maxParked) this.#giveUpOne()
    this.#parked.set(key, parked)
    parked.park(() => this.#parked.delete(key))
    return { resultType: 'input_required', inputRequests: parked.questions(), requestState: key }
  }

  /** Gives up the oldest call of the caller with the most calls here: one with many does not end those of others. */
  #giveUpOne(): void {
    const byCaller = new Map<string | undefined, string[]>()
    for (const [key, { caller }] of this.#parked) {
      const keys = byCaller.get(caller)
      if (keys) keys.push(key)
      else byCaller.set(caller, [key])
    }
    let most: readonly string[] = []
    for (const keys of byCaller.values()) if (keys.length > most.length) most = keys
    const [oldest] = most
    if (oldest === undefined) return
    this.#parked.get(oldest)?.end()
    this.#parked.delete(oldest)
  }
}

class ParkedCall {
  readonly digest: string
  readonly caller: string | undefined
  readonly #over = new AbortController()
  readonly #questions = new Map<string, Question>()
  readonly #answer: Promise<Answer>
  /** The request that waits for the call now. */
  #current: ServedRequest | undefined
  #onAbort = () => undefined as void
  #onQuestion = () => undefined as void
  #asked = 0
  /** Keys whose answer was used: a second question of that key is a new one. */
  readonly #answered = new Set<string>()
  #timer: NodeJS.Timeout | undefined

  constructor(request: ServedRequest, call: (as: ServedRequest) => Promise<Answer>) {
    this.digest = digestOf(request)
    this.caller = request.caller?.id
    this.attach(request)
    const ask: AskClient = (method, params, { signal }) => this.#ask({ method, params }, signal)
    this.#answer = call({
      ...request,
      client: { ...request.client, ask },
      signal: this.#over.signal,
      isParked: () => this.#current === undefined,
      notify: (method, params) => this.#current?.notify(method, params),
    })
    // Awaited by the request that gets it, if one still does.
    this.#answer.catch(() => undefined)
  }

  attach(request: ServedRequest): void {
    clearTimeout(this.#timer)
    this.#current = request
    this.#onAbort = () => this.end()
    if (request.signal.aborted) this.end()
    else request.signal.addEventListener('abort', this.#onAbort, { once: true })
  }

  /** The request that waits for it can no longer cancel it. */
  detach(): void {
    this.#current?.signal.removeEventListener('abort', this.#onAbort)
  }

  /** The answer, or `undefined` once the server asks something. */
  next(): Promise<Answer | undefined> {
    const asks = new Promise<undefined>((resolve) => {
      // In the next turn, so that questions that come together are asked together.
      this.#onQuestion = () => void setImmediate(() => resolve(undefined))
      if (this.#questions.size > 0) this.#onQuestion()
    })
    return Promise.race([this.#answer, asks])
  }

  /** No request waits for it until the client sends the answers. */
  park(onLost: () => void): void {
    this.detach()
    this.#current = undefined
    this.#timer = setTimeout(() => {
      onLost()
      this.end()
    }, parkedMs)
    this.#timer.unref()
  }

  questions(): JsonObject {
    return Object.fromEntries([...this.#questions].map(([key, { request }]) => [key, request]))
  }

  answerAll(answers: JsonObject): void {
    for (const [key, { resolve }] of this.#questions) {
      // Its server may have named it like something of the prototype.
      const answer = Object.hasOwn(answers, key) ? answers[key] : undefined
      if (answer === undefined) continue
      this.#questions.delete(key)
      this.#answered.add(key)
      resolve(answer)
    }
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#over.abort()
    for (const { reject } of this.#questions.values()) reject(new Error('The call has ended.'))
    this.#questions.clear()
  }

  /** A legacy server has no keys; it may name one, so that clients recognize a question that is asked each time. */
  #keyOf({ params }: JsonObject): string {
    const meta = isObject(params) ? params['_meta'] : undefined
    const named = isObject(meta) ? meta[keyName] : undefined
    const isUsable = typeof named === 'string' && /^[\w.-]{1,64}$/.test(named) && !this.#questions.has(named)
    return isUsable ? named : `q${++this.#asked}`
  }

  #ask(request: JsonObject, signal: AbortSignal): Promise<Json> {
    const key = this.#keyOf(request)
    const { inputResponses } = this.#current?.params ?? {}
    const known =
      isObject(inputResponses) && Object.hasOwn(inputResponses, key) ? inputResponses[key] : undefined
    // The client sent the answer with the call: it knows the question from before.
    if (known !== undefined && !this.#answered.has(key)) {
      this.#answered.add(key)
      return Promise.resolve(known)
    }
    return new Promise<Json>((resolve, reject) => {
      this.#questions.set(key, { request, resolve, reject })
      signal.addEventListener(
        'abort',
        () => this.#questions.delete(key) && reject(new Error('No longer asked.')),
        {
          once: true,
        },
      )
      this.#onQuestion()
    })
  }
}
