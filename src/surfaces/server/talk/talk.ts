import { HostError } from '../../../index.ts'
import { findConversation } from '../../../store.ts'
import type { Conversation, Question } from '../../../store.ts'
import type { ConversationRow } from '../../api/chat-routes.ts'
import { escapeLine } from '../../terminal/escape.ts'
import type { ServeContext } from '../serve-context.ts'
import { checkFolder, FolderHosts } from './folder-hosts.ts'
import { LiveConversation } from './live-conversation.ts'
import type { TurnEnd } from './live-conversation.ts'
import { shortenPath } from './shown-path.ts'
import type { TalkStore } from './talk-store.ts'

/** How long an agent stays open after its last use. */
const idleMs = 10 * 60_000
const maxTitle = 80

interface OpenConversation {
  readonly live: Promise<LiveConversation>
  idle?: NodeJS.Timeout | undefined
}

/** The conversations of one `serve`: those that are in use have an agent. */
export class Talk {
  readonly hosts: FolderHosts
  readonly #context: ServeContext
  readonly #open = new Map<string, OpenConversation>()
  readonly #ends = new Map<string, TurnEnd>()
  /** Made here, and nothing was said in them yet. */
  readonly #empty = new Set<string>()
  #isClosed = false

  constructor(context: ServeContext) {
    this.#context = context
    this.hosts = new FolderHosts(context)
  }

  kept(): Promise<TalkStore> {
    return this.#context.desk.kept()
  }

  /** The conversation that an id, or the beginning of one, means. */
  async find(id: string): Promise<Conversation> {
    const { conversations } = await this.kept()
    return findConversation(conversations, id)
  }

  async create(wanted: { readonly cwd?: string; readonly agent?: string; readonly model?: string }) {
    const { conversations } = await this.kept()
    const { cwd = this.#context.cwd, ...rest } = wanted
    checkFolder(cwd)
    const conversation = await conversations.create({ cwd, ...rest })
    this.#empty.add(conversation.id)
    this.changed(conversation.id)
    this.counted()
    return conversation
  }

  /** Gives a new conversation the beginning of its first message as its title, before it is answered. */
  async entitle({ id, title, length }: Conversation, text: string): Promise<void> {
    const [line = ''] = text.trim().split('\n')
    if (title !== '' || length > 0 || line === '') return
    const { conversations } = await this.kept()
    const short = line.length > maxTitle ? `${line.slice(0, maxTitle - 1)}…` : line
    await conversations.change(id, { title: this.#context.host.redact(short) })
  }

  /** The live conversation, opened if it is not. */
  async open(id: string): Promise<LiveConversation> {
    if (this.#isClosed) throw new HostError('host.closed', {}, 'Plugboard has ended.')
    await this.refresh(id)
    const found = this.#open.get(id)
    if (found) return this.#use(id, found)
    const opening: OpenConversation = { live: this.#openLive(id) }
    this.#open.set(id, opening)
    opening.live.catch(() => this.#open.delete(id))
    return this.#use(id, opening)
  }

  /** The live conversation, if there is one. */
  async live(id: string): Promise<LiveConversation | undefined> {
    return this.#open.get(id)?.live.catch(() => undefined)
  }

  /** Closes the agent of a conversation that another program has changed. */
  async refresh(id: string): Promise<void> {
    const found = this.#open.get(id)
    if (!found || !(await this.#isOutdated(found).catch(() => true))) return
    // Meanwhile another request may have begun a turn, or has closed it.
    const live = await found.live.catch(() => undefined)
    if (!live?.isRunning && this.#open.get(id) === found) await this.closeConversation(id)
  }

  /** Closes the agent, so that the next use opens it with what the store has then. A turn that runs is stopped. */
  async closeConversation(id: string): Promise<void> {
    const found = this.#open.get(id)
    this.#open.delete(id)
    clearTimeout(found?.idle)
    const live = await found?.live.catch(() => undefined)
    if (live?.end) this.#ends.set(id, live.end)
    await live?.close()
  }

  async remove(id: string): Promise<boolean> {
    await this.closeConversation(id)
    this.#ends.delete(id)
    this.#empty.delete(id)
    const { conversations } = await this.kept()
    const isRemoved = await conversations.remove(id)
    this.#context.feed.publish({ type: 'conversation.removed', id })
    this.counted()
    return isRemoved
  }

  /** Publishes the counts: there is one conversation more, or less. */
  counted(): void {
    const { counts, feed, signal } = this.#context
    counts().then(
      (now) => signal.aborted || feed.publish({ type: 'counts.changed', counts: now }),
      () => undefined,
    )
  }

  /** Publishes the row of a conversation. */
  changed(id: string): void {
    const publish = async () => {
      const { conversations } = await this.kept()
      const conversation = await conversations.get(id)
      if (!conversation) return
      const [row] = await this.rows([conversation])
      if (row) this.#context.feed.publish({ type: 'conversation.changed', conversation: row })
    }
    publish().catch(() => undefined)
  }

  async rows(conversations: readonly Conversation[]): Promise<readonly ConversationRow[]> {
    const { questions } = await this.kept()
    const here = this.#context.desk.questions.all().map(({ question }) => question)
    const pending = [...(await questions.list({ state: 'pending' })), ...here]
    const shorten = shortenPath({ cwd: '', home: this.#context.home })
    return Promise.all(
      conversations.map(async ({ id, title, cwd, agent, model, updatedAt, length }) => {
        const live = await this.live(id)
        return {
          id,
          // A model, or what it read, may have written it (T18).
          title: escapeLine(title),
          cwd,
          shownCwd: shorten(cwd),
          ...(agent !== undefined && { agent }),
          ...(live ? { model: live.agent.model.name } : model !== undefined && { model }),
          updatedAt,
          length: live ? live.agent.conversation.length : length,
          ...this.#stateOf(id, live, { length, pending }),
          isRunning: live?.isRunning === true,
        }
      }),
    )
  }

  /** Ends everything: turns are stopped and kept, empty conversations removed. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#open.keys()].map((id) => this.closeConversation(id)))
    if (this.#empty.size > 0) {
      const { conversations } = await this.kept()
      for (const id of this.#empty) {
        const found = await conversations.get(id).catch(() => undefined)
        if (found?.length === 0) await conversations.remove(id).catch(() => undefined)
      }
    }
    await this.hosts.close()
  }

  #stateOf(
    id: string,
    live: LiveConversation | undefined,
    { length, pending }: { readonly length: number; readonly pending: readonly Question[] },
  ): TurnEnd {
    if (pending.some(({ conversation }) => conversation === id)) return { word: 'waits for you', tone: 'ask' }
    if (live?.isRunning) return { word: 'answers', tone: 'ok' }
    const end = live?.end ?? this.#ends.get(id)
    if (end) return end
    return { word: length === 0 ? 'new' : length === 1 ? '1 message' : `${length} messages`, tone: 'dim' }
  }

  async #openLive(id: string): Promise<LiveConversation> {
    const kept = await this.kept()
    const conversation = await findConversation(kept.conversations, id)
    return LiveConversation.open(conversation, {
      context: this.#context,
      kept,
      hosts: this.hosts,
      onChanged: (changed) => {
        this.#empty.delete(changed)
        this.changed(changed)
      },
    })
  }

  /** Another program has gone on with the conversation, or changed its agent or model. */
  async #isOutdated({ live }: OpenConversation): Promise<boolean> {
    const { id, isRunning, agent, isDemo } = await live
    if (isRunning) return false
    const { conversations } = await this.kept()
    const stored = await conversations.get(id)
    if (!stored) return true
    const here = agent.conversation
    const hasOtherModel = isDemo ? stored.model !== undefined : stored.model !== here.model
    return stored.length !== here.length || stored.agent !== here.agent || hasOtherModel
  }

  async #use(id: string, opened: OpenConversation): Promise<LiveConversation> {
    clearTimeout(opened.idle)
    const live = await opened.live
    const wait = () => {
      opened.idle = setTimeout(() => {
        if (live.isRunning) wait()
        else void this.closeConversation(id)
      }, idleMs).unref()
    }
    wait()
    return live
  }
}

const talks = new WeakMap<ServeContext, Talk>()

/** The conversations of a `serve`, made at the first use. */
export function talkOf(context: ServeContext): Talk {
  const known = talks.get(context)
  if (known) return known
  const talk = new Talk(context)
  talks.set(context, talk)
  context.desk.onClose(() => talk.close())
  return talk
}
