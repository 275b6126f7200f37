export { surveySources } from './config/survey.ts'
export type { SurveyedSource } from './config/survey.ts'
export { requestTrust, trustServer, untrustServer } from './config/trust/request-trust.ts'
export type { TrustRequest } from './config/trust/request-trust.ts'
export type { ShownServer } from './config/trust/shown-server.ts'
export {
  addDeclaration,
  removeDeclaration,
  switchDeclaration,
  turnSource,
  writeChanges,
} from './config/edit/declarations.ts'
export type { EditOptions, Edited } from './config/edit/declarations.ts'
export { exportServers, importServers } from './config/edit/transfer.ts'
export type { Skipped, Transfer, TransferOptions } from './config/edit/transfer.ts'
export { describeEntry, readOffers } from './config/edit/offered-servers.ts'
export type { Offer } from './config/edit/offered-servers.ts'
export type { AnswerInput, Answers } from './model/answers.ts'
export type { FileChange } from './config/edit/dry-run.ts'
export type { Lost, NewServer, NewTransport } from './sources/entries/write-rules.ts'
export { readJson, rewriteJson } from './config/edit/rewrite-json.ts'
export type { RewriteOptions } from './config/edit/rewrite-json.ts'
export type { EditedFile } from './config/edit/edit-file.ts'
export { resolveServer } from './config/values/server-resolver.ts'
export type { ResolveServerOptions } from './config/values/server-resolver.ts'
export type { Omitted, ResolvedServer } from './config/values/resolve-trusted.ts'
export { CommandCache } from './config/values/command-values.ts'
export type { CommandLimits } from './config/values/command-values.ts'
export type { ResolvedAuth, ResolvedTransport } from './model/resolved.ts'
export { watchConfig } from './config/watch-config.ts'
export type { WatchConfigOptions, WatchedConfig } from './config/watch-config.ts'
