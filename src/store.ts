// The door `plugboard/store`: conversations, switches, approvals, questions and calls that outlive a program.
export { openOwnStore, openStore } from './host/own-store.ts'
export type { OpenStoreOptions, OwnStore, OwnStoreOptions } from './host/own-store.ts'
export { findConversation, notKept, resumeConversation } from './store/find-conversation.ts'
export { createMemoryConversations } from './store/memory-conversations.ts'
export type {
  Conversation,
  Conversations,
  ListConversations,
  Message,
  NewConversation,
  StoredMessage,
} from './store/conversation.ts'
export type { NewQuestion, Question, QuestionKind, Questions } from './store/question.ts'
export type { CallHistory, StoredCall } from './store/stored-call.ts'
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
