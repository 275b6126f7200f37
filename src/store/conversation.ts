import type { Json } from '../model/json.ts'

export interface Conversation {
  readonly id: string
  readonly title: string
  /** The folder whose servers, trust and roots apply. */
  readonly cwd: string
  readonly agent?: string
  readonly model?: string
  readonly createdAt: string
  readonly updatedAt: string
  /** The number of its messages. */
  readonly length: number
}

export interface Message {
  readonly role: string
  readonly content: Json
}

export interface StoredMessage extends Message {
  /** From 1 on, without gaps. */
  readonly seq: number
  readonly at: string
}

export interface NewConversation {
  readonly cwd: string
  readonly title?: string
  readonly agent?: string
  readonly model?: string
}

export interface ListConversations {
  /** 100 if absent. */
  readonly limit?: number
  /** Only those whose id begins so. */
  readonly like?: string
  /** Only those of this folder. */
  readonly cwd?: string
}

/** Conversations with their messages. */
export interface Conversations {
  create(conversation: NewConversation): Promise<Conversation>
  get(id: string): Promise<Conversation | undefined>
  /** The newest first. */
  list(options?: ListConversations): Promise<readonly Conversation[]>
  /** `null` removes the agent or the model. */
  change(
    id: string,
    to: { readonly title?: string; readonly agent?: string | null; readonly model?: string | null },
  ): Promise<void>
  messages(id: string): Promise<readonly StoredMessage[]>
  /**
   * Adds messages after the message `after`, and returns the new length. If another program has added some meanwhile,
   * nothing is written and `store.conflict` says how many there are.
   */
  append(id: string, after: number, messages: readonly Message[]): Promise<number>
  /** Removes the messages after the first `length` ones. `from` is how many there are, as for `append`. */
  truncate(id: string, from: number, length: number): Promise<void>
  /** Removes a conversation with its messages, switches and approvals. */
  remove(id: string): Promise<boolean>
}
