import type { Host, HostError, JsonObject, Platform, Provider } from '../index.ts'
import type { LanguageModelObject } from '../models/model-object.ts'
import type { ModelPrice } from '../models/model-price.ts'
import type { Conversation, Conversations, StoredMessage } from '../store.ts'
import type { CallHistory } from '../store.ts'
import type { AgentEvent, TurnFinished, Usage } from './agent-events.ts'

/** A model, and what is known about it. */
export interface AgentModel {
  readonly model: LanguageModelObject
  /** How it is called in events and in the store: `endpoint/model`. */
  readonly name: string
  /** The dialect of schemas that it takes; by default found from the model object. */
  readonly provider?: Provider
  /** In tokens: everything that one request and its answer may have; 128,000 if it is not known. */
  readonly window?: number
  /** In tokens: the longest answer. */
  readonly maxOutput?: number
  /** Absent: the cost is not known. */
  readonly price?: ModelPrice
  /** Whether it takes images in the results of tools. */
  readonly images?: boolean
  /** Awaited before a prompt is kept, so that `redact` knows the key by then. */
  readonly prepare?: () => Promise<void>
  /** Masks the key of its endpoint in a text. */
  readonly redact?: (text: string) => string
  /** Words an error of a request, with the next step; `undefined` if its endpoint is not the reason. */
  readonly toError?: (error: unknown) => Promise<HostError | undefined>
}

/** Limits of one turn, and of the definitions that a model gets. */
export interface AgentLimits {
  /** Requests to the model; 50. */
  readonly steps: number
  /** Input and output of all steps; 2,000,000. */
  readonly tokens: number
  /** In USD, where the price is known; 5. */
  readonly cost: number
  /** The whole turn, with calls and answers of a person; 1 hour. */
  readonly timeMs: number
  /** After this many equal calls with an equal result the model is told; 3. */
  readonly sameCalls: number
  /** After this many the turn ends; 10. */
  readonly maxSameCalls: number
  /** More tools than this are offered by search; 100. */
  readonly tools: number
  /** So are tools that weigh more than this share of the window; 0.2. */
  readonly toolShare: number
  /** A call that has become a task and takes longer goes on in the background, and the model with other work; 20 s. */
  readonly taskMs: number
  /** How long the model may be silent; 2 minutes. */
  readonly idleMs: number
  /** How long one answer of the model may take; 15 minutes. */
  readonly streamMs: number
  /** How many characters one answer of the model may have; 1,000,000. */
  readonly output: number
}

/** Conversations and calls of a store; `openStore` of `plugboard/store` returns one. */
export interface AgentStore {
  readonly conversations: Conversations
  readonly calls?: Pick<CallHistory, 'begin' | 'record' | 'flush'>
}

/**
 * Options of `createAgent`.
 *
 * @example
 * const agent = await createAgent({ host, model: openai('gpt-5'), limits: { steps: 20 } })
 * const { text } = await agent.send('Which issues are open?').finished
 */
export interface AgentOptions {
  /** Its trust, policy and callbacks apply to every call. */
  readonly host: Host
  /**
   * `writes`, the default: a call of a tool that is not declared read-only asks by the host's `approve`, and is refused if the
   * host has none; a rule with `allow` lifts that. `rules`: only the host's own options decide.
   */
  readonly asks?: 'writes' | 'rules'
  readonly model: AgentModel | LanguageModelObject
  /** The name of an agent, as its file declares it: its tools, and its prompt. */
  readonly agent?: string
  /** Instructions for the model, after those of the agent. */
  readonly system?: string
  /** The folder of a new conversation; that of the process by default. */
  readonly cwd?: string
  /** The id of a conversation of the store, which goes on. */
  readonly conversation?: string
  /** Absent: the conversation is in memory. */
  readonly store?: AgentStore
  readonly limits?: Partial<AgentLimits>
  /** The last answer of a turn is JSON that fits this schema, as `output` of its last event. */
  readonly outputSchema?: JsonObject
  /** Receives every event of every turn. */
  readonly on?: (event: AgentEvent) => void
  readonly platform?: Partial<Platform>
}

/** A part of a prompt: text, or an image in base64. */
export type PromptPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly mediaType: string; readonly data: string }

export type Prompt = string | readonly PromptPart[]

/** The events of one turn. The turn runs whether they are read or not. */
export interface Turn extends AsyncIterable<AgentEvent> {
  /** The last event. Never rejects: a failure is an outcome. */
  readonly finished: Promise<TurnFinished>
}

/** The definitions that the model gets. */
export interface OfferedDefinitions {
  readonly count: number
  /** About. */
  readonly tokens: number
  readonly mode: 'all' | 'search'
}

/**
 * A model that uses the tools of a host, in one conversation.
 *
 * @example
 * for await (const event of agent.send('Which issues are open?'))
 *   if (event.type === 'text') process.stdout.write(event.text)
 */
export interface Agent extends AsyncDisposable {
  /** As it is now: `length` counts the messages so far. */
  readonly conversation: Conversation
  readonly model: AgentModel
  /** Starts a turn. Throws `usage` while another one runs. */
  send(prompt: Prompt, options?: { readonly signal?: AbortSignal }): Turn
  /** Switches a server off or on in this conversation, from the next step on. `tokens` are saved, or added if negative. */
  switchServer(server: string, on: boolean): Promise<{ readonly tokens: number }>
  /** Changes the agent or the model, from the next turn on; `null` removes the agent. */
  use(change: {
    readonly agent?: string | null
    readonly model?: AgentModel | LanguageModelObject
  }): Promise<void>
  /** Removes the last prompt and everything after it; returns how many messages these were. */
  undo(): Promise<number>
  /** The messages so far, with secrets masked as in the events. */
  messages(): readonly StoredMessage[]
  /** Of all turns of this agent. */
  usage(): Usage
  /** Adds what was used for this conversation beside its steps, such as by requests of servers (`createSample`). */
  count(usage: Usage): void
  /** What the model got last, or would get now. */
  tools(): OfferedDefinitions
  /** Stops the turn that runs, and waits until the messages are kept. The host stays open. */
  close(): Promise<void>
}
