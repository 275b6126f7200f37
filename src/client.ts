// The door `plugboard/client`: a client of the HTTP API of `plugboard serve`, free of Node's modules.
export { ClientError, createClient } from './client/create-client.ts'
export type {
  Client,
  ClientOptions,
  FollowOptions,
  InputNeeded,
  SendOptions,
} from './client/create-client.ts'
export type { Api, RouteAnswer, RouteInput, RouteKey } from './surfaces/api/api.ts'
export type { AnswerOf, InputOf, PathParameter, Route, RoutePart } from './surfaces/api/route.ts'
export type { Schema, TypeOf } from './surfaces/api/schema-builder.ts'
export type { FeedChange, FeedEvent, Snapshot } from './surfaces/api/feed.ts'
export type { Field, FieldBase, FieldOption } from './surfaces/api/form-field.ts'
export type { OpenedApp, ShownGrants } from './surfaces/api/app-routes.ts'
export type { AuditCheck, AuditFacts } from './surfaces/api/audit-routes.ts'
export type { ConversationRow, ConversationServers, SwitchRow } from './surfaces/api/chat-routes.ts'
export type { ClientCall, ClientFacts, GatewayFacts } from './surfaces/api/client-routes.ts'
export type { ConfigFile, SourceRow } from './surfaces/api/config-routes.ts'
export type {
  DefinitionChange,
  DefinitionDifference,
  HeldFacts,
  RemovedFacts,
  LockFileFacts,
} from './surfaces/api/lock-routes.ts'
export type { QuestionFacts } from './surfaces/api/question-routes.ts'
export type {
  LoginProgress,
  ServerDetail,
  ServerRow,
  StateFacts,
  TrustFacts,
} from './surfaces/api/server-routes.ts'
export type {
  Fault,
  FileDifference,
  NextStep,
  Problem,
  ShownFinding,
  ShownPlace,
} from './surfaces/api/shared-shapes.ts'
export type { TaskRow } from './surfaces/api/task-routes.ts'
export type {
  CallDetail,
  CallRow,
  ResultFacts,
  ShownArgumentProblem,
  ToolDetail,
  ToolRow,
} from './surfaces/api/tool-routes.ts'
