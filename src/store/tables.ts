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
  audit: AuditTableRow
  counters: CounterRow
  keys: KeyRow
  versions: VersionRow
  quotas: QuotaRow
  acceptances: AcceptanceRow
  logins: LoginRow
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
  /** Null in rows of an earlier version. */
  made_by: string | null
  /** JSON; null if it ran. */
  error: string | null
  started_at: string
  /** Null if it waited for no person. */
  waited_ms: number | null
  /** JSON; null if the tool has no app, or the result is too large. */
  raw: string | null
  /** The tool whose app made it; null if none did. */
  app: string | null
}

/** A row of the audit trail. `row` is its JSON, and what its hash was made of: it is never changed. */
export interface AuditTableRow {
  writer: string
  seq: number
  at: string
  kind: string
  server: string | null
  outcome: string | null
  row: string
}

/** Counts the changes of a part of the store, so that other processes notice them by reading one row. */
export interface CounterRow {
  name: string
  value: number
}

/** A key of the gateway. Only hashes of it are kept. */
export interface KeyRow {
  name: string
  id: string
  hash: string
  /** JSON; null for everything. */
  views: string | null
  created_at: string
  expires_at: string | null
  /** The key before the last rotation, and how long it is valid. */
  previous_hash: string | null
  previous_until: string | null
}

/** A configuration of gateways. The one with the highest number is in force. */
export interface VersionRow {
  number: number
  at: string
  made_by: string | null
  message: string | null
  /** The version that it repeats. */
  copy_of: number | null
  hash: string
  /** The text of the file, which holds references to secrets and no secret. */
  document: string
}

/** How much of a quota replicas have taken on one day (UTC). */
export interface QuotaRow {
  id: string
  day: string
  used: number
}

/** What was accepted of one declaration of a server, as one account. */
export interface AcceptanceRow {
  key: string
  account: string
  server: string
  at: string
  document: string
}

/** A login of gateways. */
export interface LoginRow {
  id: string
  /** JSON without secrets. */
  account: string
  /** Readable only with the secret of the gateways. */
  sealed: string
  at: string
}
