// The door `plugboard/store`: conversations, switches, approvals, questions and calls that outlive a program.
export { hasSharedStore, openOwnStore, openStore } from './host/own-store.ts'
export type { OpenStoreOptions, OwnStore, OwnStoreOptions } from './host/own-store.ts'
export { openOwnAudit } from './host/own-audit.ts'
export type { OwnAudit } from './host/own-audit.ts'
export type { AuditMark, ListAudit, StoredAudit } from './store/stored-audit.ts'
export type {
  AuditCall,
  AuditCaller,
  AuditCheckpoint,
  AuditDecision,
  AuditEnd,
  AuditEntry,
  AuditGap,
  AuditLinks,
  AuditPlace,
  AuditRow,
} from './audit/audit-row.ts'
export { openOwnKeys } from './host/keys/own-keys.ts'
export type { OwnKeys } from './host/keys/own-keys.ts'
export type { GatewayKey, GatewayKeys } from './model/gateway/gateway-key.ts'
export type {
  GatewayDocument,
  GatewayVersion,
  GatewayVersions,
  NewGatewayVersion,
} from './model/gateway/gateway-version.ts'
export type {
  AcceptancePlace,
  AcceptanceText,
  QuotaRequest,
  StorePart,
  StoredAcceptances,
  StoredLogin,
  StoredLogins,
  StoredQuotas,
  WatchOptions,
} from './store/team/team-parts.ts'
export type {
  AuditProblem,
  AuditVerification,
  OpenWriter,
  PrunedAudit,
  VerifyOptions,
} from './audit/verify-audit.ts'
export { findConversation, notKept, resumeConversation } from './store/find-conversation.ts'
export { createMemoryConversations } from './store/memory-conversations.ts'
export { createMemoryQuestions } from './store/memory-questions.ts'
export type {
  Conversation,
  Conversations,
  ListConversations,
  Message,
  NewConversation,
  StoredMessage,
} from './store/conversation.ts'
export type { NewQuestion, Question, QuestionKind, Questions } from './store/question.ts'
export type {
  BegunCall,
  CallHistory,
  CallMaker,
  CallPlace,
  ListCalls,
  StoredCall,
  StoredCallError,
} from './store/stored-call.ts'
export type {
  ConnectOptions,
  OnRemoved,
  PrunedRows,
  Store,
  StoreOptions,
  StoreStatus,
  StoredMemory,
  StoredTable,
  Upkeep,
} from './store/store-interface.ts'
export type { Mask } from './model/mask-texts.ts'
export type { MemoryRows } from './model/memory.ts'
export type { SqliteDriver } from './platform/node/open-sqlite.ts'
