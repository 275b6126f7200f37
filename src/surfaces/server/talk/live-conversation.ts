import { createAgent } from '../../../agent.ts'
import type { Agent, AgentEvent, Prompt, Turn, TurnFinished, Usage } from '../../../agent.ts'
import { fromRef, HostError } from '../../../index.ts'
import type { Host } from '../../../index.ts'
import type { Conversation, Conversations, StoredMessage } from '../../../store.ts'
import type { ConversationRow } from '../../api/chat-routes.ts'
import { offersOf } from '../offers/offer-state.ts'
import type { ServeContext } from '../serve-context.ts'
import type { FolderHosts } from './folder-hosts.ts'
import { demoModelName, openTalkModel } from './talk-model.ts'
import type { TalkStore } from './talk-store.ts'
import { TurnFeed } from './turn-feed.ts'

export interface LiveOptions {
  readonly context: ServeContext
  readonly kept: TalkStore
  readonly hosts: FolderHosts
  /** Called when a turn begins or ends. */
  readonly onChanged: (id: string) => void
}

/** How the last turn ended, as the list shows it. */
export type TurnEnd = Pick<ConversationRow, 'word' | 'tone'>

/** A turn that its events tell, and not yet its messages. */
interface ToldTurn {
  readonly feed: TurnFeed
  /** The number of messages before the turn. */
  readonly before: number
  readonly prompt: StoredMessage
}

interface RunningTurn extends ToldTurn {
  readonly stop: AbortController
  readonly finished: Promise<void>
}

/** A conversation with its agent, while it is in use. */
export class LiveConversation {
  readonly id: string
  readonly host: Host
  readonly agent: Agent
  readonly isDemo: boolean
  /** What a person should know about the start, one sentence each. */
  readonly notes: readonly string[]
  readonly #options: LiveOptions
  readonly #release: () => void
  #turn: RunningTurn | undefined
  /** The last turn, if it ended without an answer: only its events say why. */
  #unanswered: ToldTurn | undefined
  #end: TurnEnd | undefined

  private constructor(
    parts: Pick<LiveConversation, 'id' | 'host' | 'agent' | 'isDemo' | 'notes'>,
    release: () => void,
    options: LiveOptions,
  ) {
    this.id = parts.id
    this.host = parts.host
    this.agent = parts.agent
    this.isDemo = parts.isDemo
    this.notes = parts.notes
    this.#release = release
    this.#options = options
  }

  static async open(conversation: Conversation, options: LiveOptions): Promise<LiveConversation> {
    const { context, kept, hosts } = options
    const { id, cwd, agent: name } = conversation
    const { host, release } = await hosts.take(cwd)
    try {
      const { model, isDemo, note } = await openTalkModel(context, conversation)
      const agent = await createAgent({
        host,
        model,
        cwd,
        conversation: id,
        ...(name !== undefined && { agent: name }),
        store: {
          conversations: isDemo ? withoutModel(kept.conversations) : kept.conversations,
          calls: offersOf(context).calls.historyFor(kept.store?.calls),
        },
      })
      const notes = [
        ...(cwd === context.cwd || context.isDemo
          ? []
          : [`This conversation belongs to ${cwd}: its servers, trust and files are used.`]),
        ...(note === undefined ? [] : [note]),
      ]
      return new LiveConversation({ id, host, agent, isDemo, notes }, release, options)
    } catch (error) {
      release()
      throw error
    }
  }

  get isRunning(): boolean {
    return this.#turn !== undefined
  }

  get end(): TurnEnd | undefined {
    return this.#end
  }

  /** The events of the turn that runs, or of the last one if it ended without an answer. */
  get running(): readonly AgentEvent[] {
    return (this.#turn ?? this.#unanswered)?.feed.events ?? []
  }

  get usage(): Usage {
    return this.agent.usage()
  }

  /** The messages before the turn that `running` tells, with its prompt. */
  messages(): readonly StoredMessage[] {
    const all = this.agent.messages()
    const told = this.#turn ?? this.#unanswered
    if (!told) return all
    const { before, prompt } = told
    return all.length > before ? all.slice(0, before + 1) : [...all, prompt]
  }

  /** Starts a turn. It goes on whether a page follows it or not. */
  send(prompt: Prompt): void {
    if (this.#turn)
      throw new HostError('usage', {}, 'A turn is running. Stop it first, or wait until it ends.')
    const { context, onChanged } = this.#options
    const { feed } = context
    const { id } = this
    const before = this.agent.conversation.length
    const stop = new AbortController()
    const events = new TurnFeed((event, index) =>
      feed.publish({ type: 'turn', conversation: id, index, event }),
    )
    const turn = this.agent.send(prompt, { signal: stop.signal })
    const told = { feed: events, before, prompt: promptMessage(prompt, before + 1) }
    this.#unanswered = undefined
    this.#turn = { ...told, stop, finished: this.#follow(turn, told) }
    onChanged(id)
  }

  /** Removes the last turn; returns how many messages it had. */
  async undo(): Promise<number> {
    this.#unanswered = undefined
    this.#end = undefined
    return this.agent.undo()
  }

  /** Stops the turn that runs and waits for its end; what is there is kept. */
  async stop(): Promise<void> {
    this.#turn?.stop.abort()
    await this.#turn?.finished
  }

  async close(): Promise<void> {
    await this.agent.close()
    await this.#turn?.finished
    this.#release()
  }

  async #follow(turn: Turn, told: ToldTurn): Promise<void> {
    const { running } = this.#options.context.desk
    const calls = new Set<string>()
    let failed: string | undefined
    let count = 0
    for await (const event of turn) {
      if (event.type === 'call.started') {
        count++
        calls.add(event.id)
        running.start(this.agent, event.id, event.ref)
      }
      if (event.type === 'call.finished') {
        calls.delete(event.id)
        running.finish(this.agent, event.id)
        failed = serverThatFailed(event) ?? failed
      }
      if (event.type === 'turn.finished') {
        this.#end = endOf(event, count, failed)
        this.#turn = undefined
        if (event.outcome !== 'done') this.#unanswered = told
      }
      told.feed.push(event)
    }
    for (const id of calls) running.finish(this.agent, id)
    this.#options.onChanged(this.id)
  }
}

/** The demo model is not the model of a conversation that is kept. */
function withoutModel(conversations: Conversations): Conversations {
  return {
    ...conversations,
    change: (id, { model, ...rest }) =>
      conversations.change(
        id,
        model === demoModelName ? rest : { ...rest, ...(model !== undefined && { model }) },
      ),
  }
}

function promptMessage(prompt: Prompt, seq: number): StoredMessage {
  const content = typeof prompt === 'string' ? prompt : prompt.map((part) => ({ ...part }))
  return { role: 'user', content, seq, at: new Date().toISOString() }
}

/** The server whose end was the reason for a failed call. */
function serverThatFailed(event: AgentEvent & { readonly type: 'call.finished' }): string | undefined {
  const isOfServer = event.error?.code === 'server.failed' || event.error?.code === 'call.outcome-unknown'
  return isOfServer && event.ref !== undefined ? fromRef(event.ref)?.server : undefined
}

function endOf({ outcome, reason }: TurnFinished, calls: number, failed: string | undefined): TurnEnd {
  if (failed !== undefined) return { word: `${failed} failed`, tone: 'bad' }
  switch (outcome) {
    case 'done':
      return {
        word: calls === 0 ? 'done' : `done · ${calls === 1 ? '1 call' : `${calls} calls`}`,
        tone: 'dim',
      }
    case 'limit':
      return { word: 'stopped at a limit', tone: 'warn' }
    case 'refused':
      return { word: 'refused', tone: 'warn' }
    case 'cancelled':
      return { word: 'stopped', tone: 'dim' }
    case 'failed':
      return { word: reason === undefined ? 'failed' : `failed: ${firstLine(reason)}`, tone: 'bad' }
    default:
      return outcome satisfies never
  }
}

const shownLength = 80

function firstLine(text: string): string {
  const [line = ''] = text.split('\n')
  return line.length > shownLength ? `${line.slice(0, shownLength - 1)}…` : line
}
