import { batch, signal } from '@preact/signals'
import type {
  ConversationRow,
  ConversationServers,
  Fault,
  FeedEvent,
  RouteAnswer,
} from '../../../../src/client.ts'
import { toFault } from '../../state/answers.ts'
import { send } from '../../state/client.ts'
import { onFeed } from '../../state/page-state.ts'
import { dropConversation, placeConversation } from './conversations.ts'
import {
  addEarlier,
  dropPrompt,
  emptyTranscript,
  openTranscript,
  sendPrompt,
  takeEvent,
} from './transcript.ts'
import type { LoadedConversation, Transcript } from './transcript.ts'
import type { PromptImage, TurnPrompt } from './turn.ts'

type Loaded = RouteAnswer<'GET /api/conversations/:conversation'>
type TurnEvent = Extract<FeedEvent, { readonly type: 'turn' }>

export interface ResourceMention {
  readonly server: string
  readonly uri: string
}

export interface Outgoing {
  readonly text: string
  readonly images: readonly PromptImage[]
  readonly resources: readonly ResourceMention[]
}

/** What an app of a server tells the model. */
export interface AppContext {
  readonly server: string
  readonly text: string
}

const pageSize = 50
const reloadMs = 250

/** A conversation that is shown: what is loaded of it, kept true by the events. */
export class OpenConversation {
  readonly id: string
  readonly row = signal<ConversationRow | undefined>(undefined)
  readonly transcript = signal<Transcript>(emptyTranscript)
  readonly servers = signal<ConversationServers | undefined>(undefined)
  readonly usage = signal<Loaded['usage'] | undefined>(undefined)
  readonly notes = signal<readonly string[]>([])
  /** Why it could not be loaded. */
  readonly problem = signal<Fault | undefined>(undefined)
  /** Why a server could not be switched, by its name. */
  readonly switchProblems = signal<ReadonlyMap<string, Fault>>(new Map())
  /** What apps tell the model with the next message, by their call. */
  readonly contexts = signal<ReadonlyMap<string, AppContext>>(new Map())
  /** How many apps are shown. */
  apps = 0
  /** Numbers of requests for the servers: the last one that was sent, and the one whose answer is shown. */
  #serversAsked = 0
  #serversShown = 0
  #loading: Promise<void> | undefined
  #isSending = false
  #isStale = false
  /** Events that arrive while the conversation is loaded. */
  #held: TurnEvent[] | undefined

  constructor(id: string) {
    this.id = id
  }

  /** Loads the conversation and follows its events; returns what ends it. */
  follow(): () => void {
    void this.load()
    const isThis = ({ conversation }: { readonly conversation: string }) => conversation === this.id
    const ends = [
      onFeed('snapshot', () => void this.load()),
      onFeed('turn', (event) => isThis(event) && this.#take(event)),
      onFeed('servers.switched', (event) => isThis(event) && void this.#loadServers()),
      onFeed('tools.changed', () => void this.#loadServers()),
      onFeed('conversation.changed', ({ conversation }) => {
        if (conversation.id !== this.id) return
        const hasGrown = conversation.length !== this.row.value?.length
        this.row.value = conversation
        if (hasGrown && !conversation.isRunning) void this.load()
      }),
    ]
    return () => ends.forEach((end) => end())
  }

  /** One load at a time; what asks for another one meanwhile gets it afterwards. */
  load(): Promise<void> {
    this.#isStale = true
    if (this.#isSending) return Promise.resolve()
    this.#loading ??= this.#loadUntilFresh().finally(() => (this.#loading = undefined))
    return this.#loading
  }

  async #loadUntilFresh(): Promise<void> {
    while (this.#isStale && !this.#isSending) {
      this.#isStale = false
      this.#held = []
      const asked = ++this.#serversAsked
      const loaded = await this.#read().catch((error: unknown) => void (this.problem.value = toFault(error)))
      const held = this.#held
      this.#held = undefined
      if (loaded) this.#show(loaded, asked)
      for (const event of held) this.#take(event)
      if (this.#isStale) await new Promise((resolve) => setTimeout(resolve, reloadMs))
    }
  }

  #read(before?: number): Promise<Loaded> {
    return send('GET /api/conversations/:conversation', {
      params: { conversation: this.id },
      query: { limit: String(pageSize), ...(before !== undefined && { before: String(before) }) },
    })
  }

  #show(loaded: Loaded, asked: number): void {
    batch(() => {
      this.problem.value = undefined
      this.row.value = loaded.conversation
      this.transcript.value = openTranscript(toLoaded(loaded), this.transcript.value)
      this.#showServers(loaded.servers, asked)
      this.usage.value = loaded.usage
      this.notes.value = loaded.notes
    })
  }

  #take(event: TurnEvent): void {
    if (this.#held) return void this.#held.push(event)
    const next = takeEvent(this.transcript.value, event.index, event.event)
    const { isBroken, ...rest } = next
    this.transcript.value = rest
    // The prompt of another program is stored before its first step.
    const hasNoPrompt = event.event.type === 'step.started' && next.current?.prompt === undefined
    if (isBroken || hasNoPrompt) void this.load()
  }

  /** Answers overtake one another: one that was asked for before what is shown is older, and is dropped. */
  #showServers(servers: ConversationServers, asked: number): void {
    if (asked < this.#serversShown) return
    this.#serversShown = asked
    this.servers.value = servers
  }

  async #loadServers(): Promise<void> {
    const asked = ++this.#serversAsked
    try {
      const servers = await send('GET /api/conversations/:conversation/servers', {
        params: { conversation: this.id },
      })
      this.#showServers(servers, asked)
    } catch {
      // The servers stay as they were; the next event or load brings them.
    }
  }

  async loadEarlier(): Promise<void> {
    const { firstSeq } = this.transcript.value
    if (firstSeq === undefined) return
    const loaded = await this.#read(firstSeq)
    this.transcript.value = addEarlier(this.transcript.value, toLoaded(loaded))
  }

  /** Shows the prompt at once; throws if it was not accepted, and takes it back. */
  async send({ text, images, resources }: Outgoing): Promise<void> {
    this.#isSending = true
    const told = this.contexts.value
    const contexts = [...told.values()]
    this.transcript.value = sendPrompt(this.transcript.value, { text, images })
    try {
      const { conversation } = await send('POST /api/conversations/:conversation/turns', {
        params: { conversation: this.id },
        body: {
          text,
          ...(images.length > 0 && { images }),
          ...(resources.length > 0 && { resources }),
          ...(contexts.length > 0 && { contexts }),
        },
      })
      for (const [call, context] of told)
        if (this.contexts.value.get(call) === context) this.setContext(call, context.server, '')
      this.#setRow(conversation)
    } catch (error) {
      this.transcript.value = dropPrompt(this.transcript.value)
      throw error
    } finally {
      this.#isSending = false
      if (this.#isStale) void this.load()
    }
  }

  /** An empty text takes back what the app of the call told before. */
  setContext(call: string, server: string, text: string): void {
    const contexts = new Map(this.contexts.value)
    if (text === '') contexts.delete(call)
    else contexts.set(call, { server, text })
    this.contexts.value = contexts
  }

  get isRunning(): boolean {
    return this.transcript.value.current?.isRunning === true
  }

  async stop(): Promise<void> {
    const { conversation } = await send('DELETE /api/conversations/:conversation/turns', {
      params: { conversation: this.id },
    })
    this.#setRow(conversation)
  }

  /** Removes the last turn; returns its prompt. */
  async undo(): Promise<string | undefined> {
    const { prompt } = await send('POST /api/conversations/:conversation/undo', {
      params: { conversation: this.id },
    })
    await this.load()
    return prompt
  }

  /** Sends a prompt again in place of the turn that it began. */
  async tryAgain({ text, images }: TurnPrompt): Promise<void> {
    await this.undo()
    await this.send({ text, images, resources: [] })
  }

  async change(to: {
    readonly title?: string
    readonly agent?: string | null
    readonly model?: string
  }): Promise<void> {
    const { conversation } = await send('PATCH /api/conversations/:conversation', {
      params: { conversation: this.id },
      body: to,
    })
    this.#setRow(conversation)
    await this.#loadServers()
  }

  async remove(): Promise<void> {
    await send('DELETE /api/conversations/:conversation', { params: { conversation: this.id } })
    dropConversation(this.id)
  }

  /** The switch moves at once; a refusal puts it back, with the reason. */
  async setServer(server: string, enabled: boolean): Promise<void> {
    const before = this.servers.value
    if (before) this.servers.value = switched(before, server, enabled)
    this.#setSwitchProblem(server, undefined)
    const asked = ++this.#serversAsked
    try {
      const servers = await send('PUT /api/conversations/:conversation/servers/:server', {
        params: { conversation: this.id, server },
        body: { enabled },
      })
      this.#showServers(servers, asked)
    } catch (error) {
      this.servers.value = before
      this.#setSwitchProblem(server, toFault(error))
      await this.#loadServers()
    }
  }

  #setSwitchProblem(server: string, problem: Fault | undefined): void {
    const problems = new Map(this.switchProblems.value)
    if (problem === undefined) problems.delete(server)
    else problems.set(server, problem)
    this.switchProblems.value = problems
  }

  #setRow(row: ConversationRow): void {
    this.row.value = row
    placeConversation(row)
  }
}

function toLoaded({ messages, hasEarlier, running, conversation }: Loaded): LoadedConversation {
  return { messages, hasEarlier, running, isRunning: conversation.isRunning }
}

function switched(now: ConversationServers, name: string, isOn: boolean): ConversationServers {
  const servers = now.servers.map((row) => (row.server === name ? { ...row, isOn } : row))
  const tokens = servers.reduce((sum, row) => sum + (row.isOn ? row.tokens : 0), 0)
  return { ...now, servers, tokens }
}

const kept = new Map<string, OpenConversation>()
const maxKept = 8

/** The conversation with this id; those that were shown last are kept, so that going back shows them at once. */
export function conversationOf(id: string): OpenConversation {
  const open = kept.get(id) ?? new OpenConversation(id)
  kept.delete(id)
  kept.set(id, open)
  const [oldest] = kept.keys()
  if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest)
  return open
}

/** Begins a conversation. */
export async function beginConversation(options: {
  readonly agent?: string
  readonly model?: string
}): Promise<OpenConversation> {
  const { conversation } = await send('POST /api/conversations', { body: options })
  placeConversation(conversation)
  const open = conversationOf(conversation.id)
  open.row.value = conversation
  return open
}
