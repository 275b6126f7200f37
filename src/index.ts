export { discover } from './config/discover.ts'
export type { DiscoverOptions } from './config/discover-options.ts'
export { createHost } from './host/host.ts'
export type {
  AuditOptions,
  Host,
  HostLimits,
  HostOptions,
  OfferChoice,
  ReadyOptions,
  ReloadOptions,
  ReviewResult,
  ServerHeld,
  ServerStatus,
  Tasks,
} from './host/host-options.ts'
export type {
  AddressEntry,
  ChannelEntry,
  ClientEntry,
  EntryOptions,
  InProcessEntry,
  ProgramEntry,
  ServerEntry,
} from './host/server-entry.ts'
export type {
  Acceptance,
  AcceptedHow,
  AcceptedOffer,
  HeldOffer,
  HeldReason,
  LockedOffers,
  OfferRef,
  OfferedDefinition,
  RejectedOffer,
  ScanRecord,
  RemovedOffer,
} from './acceptances/acceptance.ts'
export type { Definition, OfferKind } from './model/definition/canonical-definition.ts'
export type { Finding, FindingSubject, Severity as FindingSeverity } from './model/finding.ts'
export type { AuditCall, AuditCaller, AuditDecision } from './audit/audit-row.ts'
export type { AuditTrail } from './audit/audit-trail.ts'
export type { ApprovalRounds } from './calls/audit-call.ts'
export type { InProcessServer, InProcessTransport } from './wire/in-process.ts'
export type { FindCredential } from './login/named-credential.ts'
export type {
  Elicit,
  Elicitation,
  ElicitationAnswer,
  FindRoots,
  RelayRequests,
  RelayedRequest,
  Sample,
} from './connections/server-requests.ts'
export type { OwnConnection } from './connections/own-connections.ts'
export type { OnBehalf, RequestOptions } from './connections/send-with-retries.ts'
export type { AnswerRequest } from './wire/inbox.ts'
export type { ListName } from './connections/link.ts'
export type { ServerList } from './connections/server-lists.ts'
export type { QuarantinedDefinition } from './wire/tool-definitions.ts'
export type { UnfinishedStart } from './catalog/server-cache.ts'
export type { ToolDefinition } from './model/tool.ts'
export type { ClientInfo, Greeting } from './wire/eras/greeting.ts'
export { clearServerCache, followServerLog, readServerLog, readRunningHosts } from './host/disk-state.ts'
export type {
  FollowLogOptions,
  LeftBehind,
  ReadLogOptions,
  RunningHost,
  RunningServer,
} from './host/disk-state.ts'
export { version } from './model/version.ts'
export type { LogLine } from './connections/process/log-file.ts'
export type { CallIdentity, EventOffer, HostEvent, Progress } from './model/event.ts'
export type { Task, TaskStatus } from './model/tasks/task.ts'
export type { Era, Failure, FailureCode, Reason, Status, Step } from './model/status.ts'
export type { TrustRequest } from './config/trust/request-trust.ts'
export type { LockDifference, LockPart } from './lock-file/lock-differences.ts'
export type { LockProblem, LockState, LockedServer } from './model/locked-server.ts'
export type { OfferedHash } from './model/definition/hash-offers.ts'
export type {
  ApprovalQuestion,
  Approve,
  CallArguments,
  CallOptions,
  CompletionRequest,
  Completion,
  EditedGrant,
  ForwardApprove,
  ForwardOptions,
  HiddenTool,
  NativeTool,
  OfferedPrompt,
  OfferedResource,
  PromptArgument,
  PromptCommand,
  PromptMessage,
  PromptMessages,
  ResourcePart,
  ResourceUpdate,
  ScopeOptions,
  ShownTools,
  ServerInstructions,
  SkillContent,
  SkillOptions,
  ToolExplanation,
  ToolOptions,
  ToolsOptions,
  UnlistedServer,
  View,
  WaitOptions,
} from './calls/view/view.ts'
export type { Skill, SkillFile } from './model/skills/skill.ts'
export type { SkillFolderItem } from './calls/skills/skill-requests.ts'
export type { CallMessage } from './calls/trace-call.ts'
export type { TraceContext } from './calls/trace-context.ts'
export type { Tool, Annotations } from './model/tool.ts'
export type { AppDocument, AppPermission, AppWishes } from './model/app/app-document.ts'
export { fromRef, toRef } from './model/tool.ts'
export { listAgents } from './config/list-agents.ts'
export type { AgentOptions } from './config/list-agents.ts'
export type { Agent, AgentOrigin, ListDialect } from './model/agent.ts'
export { blockTypeOf, isBlock } from './model/result.ts'
export type {
  AudioBlock,
  Block,
  BlockType,
  CallResult,
  ImageBlock,
  KnownBlock,
  OtherBlock,
  ResourceBlock,
  ResourceLinkBlock,
  TextBlock,
} from './model/result.ts'
export type { Approval, Approvals, Memory, Toggles } from './model/memory.ts'
export { compileSchema } from './catalog/provider-schema.ts'
export type { Compilation, CompiledSchema, Provider } from './catalog/provider-schema.ts'
export { structuredTextNotShown } from './calls/render/structured-content.ts'
export type { ShownResult } from './calls/render/structured-content.ts'
export type { AcceptWord } from './model/definition/accept-word.ts'
export type { Grant } from './policy/approvals.ts'
export type { LayerKind, VisibilityDecision } from './policy/layers.ts'
export type { AllowingRule } from './policy/ask-writes.ts'
export type { ConditionalRule } from './policy/call-rules.ts'
export type { Predicate } from './policy/predicates.ts'
export type { Parallel } from './catalog/offered-tool.ts'
export type { ReadOnlyGuard, ReadOnlyPolicy } from './policy/read-only.ts'
export type { Decision, Effect, Rule } from './policy/call-rules.ts'
export { toListing } from './config/listing.ts'
export type { Listing, ListedServer } from './config/listing.ts'
export { explain } from './config/explain-server.ts'
export type { Explanation } from './config/explain-server.ts'
export { HostError, isHostError } from './model/error.ts'
export { errorCodes } from './model/error-codes.ts'
export type {
  AnyHostError,
  ArgumentProblem,
  ErrorCode,
  ErrorData,
  RpcFault,
  SentRequest,
} from './model/error.ts'
export { Secret } from './model/secret.ts'
export { diagnosticCodes } from './model/diagnostic.ts'
export type { Diagnostic, DiagnosticCode, Place, Severity } from './model/diagnostic.ts'
export type {
  Auth,
  Authority,
  DeclaredEntry,
  Discovery,
  Framing,
  Input,
  Origin,
  OtherFile,
  Server,
  ShadowedServer,
  Timeouts,
  Tls,
  ToolFilter,
  Transport,
  TrustState,
  Value,
  Values,
} from './model/server.ts'
export type {
  BoxGrants,
  BwrapRunner,
  ContainerLimits,
  ContainerRunner,
  EngineOptions,
  Runner,
  RunnerTemplate,
  TemplateRunner,
} from './model/runner/runner.ts'
export type { TrifectaMode } from './model/tool-label.ts'
export type { Json, JsonObject } from './model/json.ts'
export type { Preview, ResolvedValue, ResolvedValues } from './model/resolved.ts'
export { presetNames } from './model/preset.ts'
export type {
  CallingRules,
  ConnectingRules,
  NamingRules,
  NamingScheme,
  PresetName,
  RenderRules,
  RuleOptions,
} from './model/preset.ts'
export { nodePlatform } from './platform/node/node-platform.ts'
export { FileError, HttpError, SpawnError } from './platform/platform.ts'
export type {
  Account,
  AppendOptions,
  Child,
  Clock,
  Descendant,
  Duplex,
  Env,
  FileProblem,
  FileStat,
  FileText,
  Files,
  Http,
  HttpClient,
  HttpExchange,
  HttpHeaders,
  HttpListener,
  HttpOptions,
  HttpRequest,
  Lock,
  Os,
  Platform,
  PrivateDirectoryOptions,
  ProcessMark,
  Processes,
  ReplaceOptions,
  Run,
  RunOptions,
  RunResult,
  Spawn,
  SpawnOptions,
  TaggedProcess,
} from './platform/platform.ts'
export { ListenError } from './platform/login-ports.ts'
export type { Browser, Keychain, Listen, ListenOptions, ActiveListener } from './platform/login-ports.ts'
export type { Exit } from './model/exit.ts'
export type { Channel, DropReason, OpenChannel, Receiver, SendOptions } from './wire/channel.ts'
export type { Notification, OutgoingMessage, Request, RequestId, Response } from './wire/message.ts'
export { sourceIds } from './sources/places.ts'
export type { SourceId } from './sources/places.ts'
export type { RefusedCall } from './calls/audit-request.ts'
