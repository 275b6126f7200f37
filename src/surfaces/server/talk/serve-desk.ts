import type { QuestionEvent } from '../../../agent.ts'
import type { DiscoverOptions, Host } from '../../../index.ts'
import type { OwnStore, Question } from '../../../store.ts'
import type { QuestionFacts } from '../../api/question-routes.ts'
import { QuestionLimit } from '../../facts/question-limit.ts'
import type { Feed } from '../serve-context.ts'
import { HostDesk } from './host-desk.ts'
import type { HostCallbacks } from './host-desk.ts'
import { PageQuestions } from './page-questions.ts'
import { RunningCalls } from './running-calls.ts'
import { createServeMemory } from './serve-memory.ts'
import { shortenPath } from './shown-path.ts'
import type { TalkStore } from './talk-store.ts'

/** What a server wanted and did not get. */
export interface Refusal {
  readonly server: string
  readonly message: string
}

export interface ServeDeskParts {
  /** `undefined` until the host is made. */
  readonly host: () => Host | undefined
  readonly store: () => Promise<OwnStore>
  readonly feed: Feed
  readonly isDemo: boolean
  readonly cwd: string
  readonly home: string
  readonly discover: DiscoverOptions
}

/**
 * How the hosts of `serve` ask a person: their questions wait in the store, and a page, a terminal or another program answers.
 * The first answer counts.
 */
export class ServeDesk {
  readonly running = new RunningCalls()
  readonly questions: PageQuestions
  /** For every host of `serve`. */
  readonly memory: ReturnType<typeof createServeMemory>
  readonly #parts: ServeDeskParts
  readonly #limit: QuestionLimit
  readonly #own: HostDesk
  readonly #others = new Set<HostDesk>()
  readonly #listeners = new Set<(question: Question) => void>()
  readonly #overListeners = new Set<(id: string) => void>()
  readonly #refusalListeners = new Set<(refusal: Refusal) => void>()
  readonly #storeListeners = new Set<() => void>()
  readonly #closers: (() => Promise<void>)[] = []
  #kept: Promise<TalkStore> | undefined

  constructor(parts: ServeDeskParts) {
    this.#parts = parts
    this.questions = new PageQuestions(
      (question) => this.changed(question),
      (id) => {
        for (const listener of this.#overListeners) listener(id)
      },
    )
    this.#limit = new QuestionLimit({
      notify: (message) => parts.feed.publish({ type: 'notice', message }),
      until: 'your next call or message',
    })
    this.memory = createServeMemory(() => this.kept())
    this.#own = this.#deskOf(parts.host)
  }

  /** For the host of the folder of `serve`. */
  get callbacks(): HostCallbacks {
    return this.#own.callbacks
  }

  /** Conversations and questions, opened at the first use. */
  kept(): Promise<TalkStore> {
    return (this.#kept ??= this.#openKept())
  }

  followCalls(host: Host): Disposable {
    return this.#own.followCalls(host)
  }

  followLogins(host: Host): Disposable {
    return this.#own.followLogins(host)
  }

  /** A desk for the host of another folder; the caller closes it before the host. */
  open(host: () => Host | undefined): Pick<HostDesk, 'callbacks' | 'followCalls' | 'followLogins' | 'close'> {
    const desk = this.#deskOf(host)
    this.#others.add(desk)
    return {
      callbacks: desk.callbacks,
      followCalls: (each) => desk.followCalls(each),
      followLogins: (each) => desk.followLogins(each),
      close: async () => {
        this.#others.delete(desk)
        await desk.close()
      },
    }
  }

  /** The person began a call or sent a message: servers may ask again. */
  beginAction(): void {
    this.#limit.reset()
  }

  /** Publishes a question, and tells those who draw conversations. */
  changed(question: Question): void {
    for (const listener of this.#listeners) listener(question)
    this.describe([question]).then(
      ([facts]) => facts && this.#parts.feed.publish({ type: 'question.changed', question: facts }),
      () => undefined,
    )
  }

  onChanged(listener: (question: Question) => void): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }

  /** Calls the listener as soon as a question of this process waits no more, before its answer is used. */
  onOver(listener: (id: string) => void): Disposable {
    this.#overListeners.add(listener)
    return { [Symbol.dispose]: () => void this.#overListeners.delete(listener) }
  }

  /** Calls the listener when something is refused to a server without asking the person. */
  onRefusal(listener: (refusal: Refusal) => void): Disposable {
    this.#refusalListeners.add(listener)
    return { [Symbol.dispose]: () => void this.#refusalListeners.delete(listener) }
  }

  /** Another program has changed the store. */
  storeChanged(): void {
    for (const listener of this.#storeListeners) listener()
  }

  /** Calls the listener when another program has changed the store, while a page listens. */
  onStoreChanged(listener: () => void): Disposable {
    this.#storeListeners.add(listener)
    return { [Symbol.dispose]: () => void this.#storeListeners.delete(listener) }
  }

  /** Registers what is closed after the questions, and before the host. */
  onClose(close: () => Promise<void>): void {
    this.#closers.push(close)
  }

  /** As a page draws them. A question of this process is known whole here. */
  async describe(questions: readonly Question[]): Promise<readonly QuestionFacts[]> {
    const [{ describeQuestions }, { conversations }] = await Promise.all([
      import('./question-rows.ts'),
      this.kept(),
    ])
    const shorten = shortenPath(this.#parts)
    return describeQuestions(questions, { waiting: this.questions, conversations, shorten })
  }

  /** Withdraws all questions before the hosts end their calls: what can be asked again waits for the next process. */
  async close(): Promise<void> {
    await Promise.all([this.#own, ...this.#others].map((desk) => desk.close()))
    for (const close of this.#closers) await close()
  }

  #deskOf(host: () => Host | undefined): HostDesk {
    const { feed, discover, isDemo } = this.#parts
    return new HostDesk(host, {
      questions: this.questions,
      limit: this.#limit,
      running: this.running,
      samples: {
        discover,
        isDemo,
        modelOn: (server) => this.running.agentOn(server)?.model,
        count: (server, usage) => this.running.agentOn(server)?.count(usage),
      },
      kept: () => this.kept(),
      placeOf: (from, server) => this.#placeOf(from, server),
      refused: (server, message) => {
        feed.publish({ type: 'notice', message })
        for (const listener of this.#refusalListeners) listener({ server, message })
      },
      on: (event) => this.#onSettled(event),
    })
  }

  async #openKept(): Promise<TalkStore> {
    const { openTalkStore } = await import('./talk-store.ts')
    const { isDemo, store } = this.#parts
    return openTalkStore({ isDemo, open: store })
  }

  #onSettled({ type, id }: QuestionEvent): void {
    if (type === 'question.asked') return
    this.kept()
      .then(({ questions }) => questions.get(id))
      .then(
        (question) => question && this.changed(question),
        () => undefined,
      )
  }

  #placeOf(host: Host | undefined, server: string): string | undefined {
    const found = host?.discovery.servers.find(({ name }) => name === server)
    return found && shortenPath(this.#parts)(found.origin.file)
  }
}

/** How the host of `serve` asks a person. */
export function openServeDesk(parts: ServeDeskParts): ServeDesk {
  return new ServeDesk(parts)
}
