export { stateDirectory } from './config/state.ts'
export { redactArguments, redactCommand, redactText, redactWords } from './config/mask.ts'
export { nearest as nearestNames } from './model/near.ts'
export { surveySources } from './survey.ts'
export type { SurveyedSource } from './survey.ts'
export { requestTrust, trustServer, untrustServer } from './trust.ts'
export type { TrustRequest } from './trust.ts'
export { isLoader, isLoginSecret, shownTexts } from './config/shown-texts.ts'
export type { ShownTexts } from './config/shown-texts.ts'
export type { ShownServer } from './config/shown-server.ts'
export {
  addDeclaration,
  declaresTrusted,
  findServer,
  removeDeclaration,
  switchDeclaration,
  turnSource,
  writeChanges,
} from './edit.ts'
export type { EditOptions, Edited } from './edit.ts'
export { exportServers, importServers } from './transfer.ts'
export type { Skipped, Transfer, TransferOptions } from './transfer.ts'
export { describeEntry, readOffers } from './offers.ts'
export type { Offer } from './offers.ts'
export type { AnswerInput, Answers } from './model/answers.ts'
export type { FileChange } from './config/dry-run.ts'
export type { Lost, NewServer, NewTransport } from './sources/writing.ts'
export { readJson, rewriteJson } from './config/rewrite-json.ts'
export type { RewriteOptions } from './config/rewrite-json.ts'
export type { EditedFile } from './config/write.ts'
export { resolveServer } from './resolve.ts'
export type { ResolveServerOptions } from './resolve.ts'
export type { Omitted, ResolvedServer } from './config/resolve-server.ts'
export { CommandCache } from './config/command-values.ts'
export type { CommandLimits } from './config/command-values.ts'
export { splitCommand } from './model/split-command.ts'
export type { ResolvedAuth, ResolvedTransport } from './model/resolved.ts'
export { watchConfig } from './watch.ts'
export type { WatchConfigOptions, WatchedConfig } from './watch.ts'
