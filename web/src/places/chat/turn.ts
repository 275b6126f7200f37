import type { FeedChange, RouteAnswer } from '../../../../src/client.ts'

export type AgentEvent = Extract<FeedChange, { readonly type: 'turn' }>['event']
export type StoredMessage = RouteAnswer<'GET /api/conversations/:conversation'>['messages'][number]
export type Json = StoredMessage['content']
type Event<Type extends AgentEvent['type']> = Extract<AgentEvent, { readonly type: Type }>
type CallFinished = Event<'call.finished'>

export interface PromptImage {
  readonly mediaType: string
  readonly data: string
}

/** What a person sent. */
export interface TurnPrompt {
  /** Its number in the conversation; absent until it is stored. */
  readonly seq?: number
  readonly text: string
  readonly images: readonly PromptImage[]
}

export interface TurnCall {
  readonly id: string
  readonly name: string
  readonly ref?: string
  /** The id under which it is kept, and the address of its app, if it has one. */
  readonly call?: string
  readonly app?: string
  readonly args: Json
  readonly state: 'drafted' | 'running' | CallFinished['outcome']
  readonly startedAt?: number
  readonly ms?: number
  readonly waitedMs?: number
  readonly progress?: { readonly progress: number; readonly total?: number; readonly message?: string }
  /** Its arguments as far as the model has written them, while it is `drafted`. */
  readonly draft?: string
  /** What the model received. */
  readonly text?: string
  readonly blocks?: CallFinished['blocks']
  readonly bytes?: number
  readonly spilled?: CallFinished['spilled']
  readonly error?: CallFinished['error']
}

/** The parts of an answer, in their order. */
export type TurnPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'reasoning'; readonly text: string }
  | { readonly kind: 'call'; readonly call: TurnCall }
  | { readonly kind: 'image'; readonly image: PromptImage }
  | { readonly kind: 'note'; readonly text: string }

/** From a prompt to the end of its answer. */
export interface Turn {
  /** `m12`: the number of its first message; `now` for a turn that is read from events. */
  readonly key: string
  /** Absent if the turn began in messages that are not loaded, or in another program. */
  readonly prompt?: TurnPrompt
  readonly model?: string
  readonly step?: number
  readonly parts: readonly TurnPart[]
  readonly isRunning: boolean
  readonly startedAt?: number
  readonly end?: Event<'turn.finished'>
}
