/**
 * The tables of the store. Times are ISO 8601 in UTC, which sort as text. JSON is text: it escapes NUL, at which one
 * driver cuts a text, and lone surrogates. On and off are 1 and 0, because one driver ends the process at a boolean.
 */
export interface Tables {
  conversations: ConversationRow
  messages: MessageRow
  switches: SwitchRow
  approvals: ApprovalRow
  questions: QuestionRow
  calls: CallRow
  counters: CounterRow
}

export interface ConversationRow {
  id: string
  title: string
  /** The folder whose servers, trust and roots apply, also when the conversation is resumed elsewhere. */
  cwd: string
  agent: string | null
  model: string | null
  created_at: string
  updated_at: string
  /** The number of its messages, and the `seq` of the last one. */
  length: number
}

export interface MessageRow {
  conversation: string
  /** From 1 on, without gaps. */
  seq: number
  role: string
  content: string
  at: string
}

export interface SwitchRow {
  conversation: string
  server: string
  is_on: number
  at: string
}

export interface ApprovalRow {
  /** What makes two approvals the same. */
  id: string
  ref: string
  definition: string
  entry: string
  asks: string
  conversation: string | null
  at: string
}

export interface QuestionRow {
  id: string
  kind: string
  server: string | null
  conversation: string | null
  asked: string
  state: string
  /** The process that waits for the answer. */
  asker: string
  asked_at: string
  answer: string | null
  settled_at: string | null
  /** Equal for a question that is asked again; null if it ends with its process. */
  key: string | null
}

export interface CallRow {
  id: string
  conversation: string | null
  agent: string | null
  ref: string
  args: string
  outcome: string
  result: string
  ms: number
  bytes: number
  at: string
}

/** Counts the changes of a part of the store, so that other processes notice them by reading one row. */
export interface CounterRow {
  name: string
  value: number
}
