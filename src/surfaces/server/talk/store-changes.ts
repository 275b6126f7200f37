import type { Conversation, Question } from '../../../store.ts'
import type { ServeContext } from '../serve-context.ts'
import type { Talk } from './talk.ts'

/** How often the version of the store is looked at while a page listens. A file is cheap to ask, a server less so. */
const pollMs = { file: 250, server: 1000 } as const
const maxFollowed = 200
const maxSettled = 30

/** What pages know of the store, to compare it with. */
interface Seen {
  readonly version: string
  /** By conversation: the row and the switches. */
  readonly conversations: ReadonlyMap<string, string>
  readonly switches: ReadonlyMap<string, string>
  readonly questions: ReadonlyMap<string, string>
}

/**
 * Publishes what other programs change in the store: conversations, switches, questions and calls. Looks at a version of the
 * store only while the events have a reader, and at the rows only when it differs.
 */
export function followStore(context: ServeContext, talk: Talk): StoreFollower {
  const follower = new StoreFollower(context, talk)
  void follower.begin()
  return follower
}

export class StoreFollower implements Disposable {
  readonly #context: ServeContext
  readonly #talk: Talk
  readonly #readers: Disposable
  #seen: Promise<Seen | undefined> | undefined
  #timer: NodeJS.Timeout | undefined
  #isOver = false

  constructor(context: ServeContext, talk: Talk) {
    this.#context = context
    this.#talk = talk
    this.#readers = context.feed.onReaders((hasReaders) => {
      if (hasReaders) this.#schedule(0)
      else clearTimeout(this.#timer)
    })
  }

  /** Resolves when changes from now on are noticed. */
  async begin(): Promise<void> {
    this.#seen ??= this.#look().catch(() => undefined)
    await this.#seen
    if (this.#context.feed.hasReaders) this.#schedule(0)
  }

  [Symbol.dispose](): void {
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#readers[Symbol.dispose]()
  }

  #schedule(ms: number): void {
    clearTimeout(this.#timer)
    if (this.#isOver) return
    this.#timer = setTimeout(() => {
      void this.#poll()
    }, ms).unref()
  }

  async #poll(): Promise<void> {
    const { store } = await this.#talk.kept()
    if (!store) return
    const next = store.isFile ? pollMs.file : pollMs.server
    try {
      const seen = await this.#seen
      const version = await store.version()
      if (version !== seen?.version) await this.#compare(seen)
    } catch {
      // A store that is away is looked at again.
    }
    if (this.#context.feed.hasReaders) this.#schedule(next)
  }

  async #compare(before: Seen | undefined): Promise<void> {
    const now = await this.#look()
    this.#seen = Promise.resolve(now)
    if (!before || !now) return
    const { feed, desk } = this.#context
    for (const [id, row] of now.conversations)
      if (before.conversations.get(id) !== row) {
        await this.#talk.refresh(id)
        this.#talk.changed(id)
      }
    const { conversations, questions } = await this.#talk.kept()
    for (const id of before.conversations.keys())
      if (!now.conversations.has(id) && !(await conversations.get(id))) {
        await this.#talk.closeConversation(id)
        feed.publish({ type: 'conversation.removed', id })
      }
    if (hasOtherKeys(before.conversations, now.conversations)) this.#talk.counted()
    for (const [id, switches] of now.switches)
      if ((before.switches.get(id) ?? noSwitches) !== switches)
        feed.publish({ type: 'servers.switched', conversation: id })
    for (const [id, state] of now.questions) {
      if (before.questions.get(id) === state) continue
      const question = await questions.get(id)
      if (question) desk.changed(question)
    }
    desk.storeChanged()
  }

  /** The version first: a change that comes between is seen the next time. */
  async #look(): Promise<Seen | undefined> {
    const { store } = await this.#talk.kept()
    if (!store) return undefined
    const version = await store.version()
    const { memory } = this.#context.desk
    const conversations = await store.conversations.list({ limit: maxFollowed })
    const pending = await store.questions.list({ state: 'pending' })
    const newest = await store.questions.list({ order: 'newest', limit: maxSettled })
    await memory.recall()
    return {
      version,
      conversations: new Map(conversations.map((each) => [each.id, rowText(each)])),
      switches: new Map(conversations.map(({ id }) => [id, JSON.stringify([...memory.toggles.of(id)])])),
      questions: new Map([...pending, ...newest].map((each) => [each.id, stateText(each)])),
    }
  }
}

function hasOtherKeys(a: ReadonlyMap<string, unknown>, b: ReadonlyMap<string, unknown>): boolean {
  return a.size !== b.size || [...b.keys()].some((key) => !a.has(key))
}

const noSwitches = '[]'

function rowText({ title, agent, model, updatedAt, length }: Conversation): string {
  return JSON.stringify([title, agent, model, updatedAt, length])
}

function stateText({ state, isWaiting }: Question): string {
  return `${state} ${isWaiting}`
}
