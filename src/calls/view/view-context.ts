import type { Catalog } from '../../catalog/catalog.ts'
import type { Search } from '../../catalog/search.ts'
import type { Connection } from '../../connections/connection.ts'
import type { TaskState, TaskWatch } from '../../connections/send-with-retries.ts'
import type { LeasedConnection, OwnConnection } from '../../connections/own-connections.ts'
import type { CallLines } from '../call-lines.ts'
import type { Spill } from '../spill.ts'
import type { AppDocument } from '../../model/app/app-document.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { HostError } from '../../model/error.ts'
import type { Finding } from '../../model/finding.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Memory } from '../../model/memory.ts'
import type { CallingRules } from '../../model/preset.ts'
import type { CallResult } from '../../model/result.ts'
import type { Redactor } from '../../model/secrets/redactor.ts'
import type { Server } from '../../model/server.ts'
import type { Skill, SkillEntry } from '../../model/skills/skill.ts'
import type { Status } from '../../model/status.ts'
import type { ToolLabel, TrifectaMode } from '../../model/tool-label.ts'
import type { Tool } from '../../model/tool.ts'
import type { Clock } from '../../platform/platform.ts'
import type { Layer } from '../../policy/layers.ts'
import type { CompiledRules } from '../../policy/call-rules.ts'
import type { InformationFlow } from '../../policy/trifecta.ts'
import type { CallAudit } from '../audit-call.ts'
import type { CallListener } from '../call-events.ts'
import type { Approve, CallOptions, NativeTool, ResourceUpdate, ToolOptions } from './view.ts'

/** The policy of a view: that of the user, the project and the agent. */
export interface ViewPolicy {
  readonly layers: readonly Layer[]
  readonly rules: CompiledRules
  /** Problems in the settings and in the agent's file. */
  readonly problems?: readonly Diagnostic[]
}

/** Finds what a text of a server tells a model. */
export interface TextScan {
  readonly result: (result: CallResult, about: ScannedText) => readonly Finding[]
  /** Of each part of a resource, or of each block of a prompt. */
  readonly parts: (
    kind: 'resource' | 'prompt',
    parts: readonly Json[],
    about: ScannedText,
  ) => readonly (readonly Finding[])[]
}

/** Whose text it is: the name of a tool or prompt, or an address. */
export interface ScannedText {
  readonly server: string
  readonly name: string
}

/** The parts of a host that its views share. */
export interface ViewContext {
  readonly catalog: Catalog
  /** The names of the servers that are enabled and trusted. */
  readonly servers: () => readonly string[]
  /** Waits for these servers until they are known or failed (`HostCatalog.wait`). */
  readonly wait: (servers: readonly string[] | 'all', options: CatalogWaitOptions) => Promise<void>
  /** The tools of every server are known, or the server failed. */
  readonly isReady: () => boolean
  readonly search: Search
  readonly memory: Memory
  /** Reloads approvals and toggles that other programs have changed; absent if the memory belongs to this host alone. */
  readonly reloadMemory?: (() => Promise<void>) | undefined
  /** The problem with the memory file, if it is damaged. */
  readonly damage: () => Diagnostic | undefined
  /** What a person has not accepted; absent where everything is offered (T12). */
  readonly held?: HeldTools | undefined
  readonly native: readonly NativeTool[]
  /** Returns the same object as long as the policy does not change. */
  readonly policy: () => ViewPolicy
  readonly calling: CallingRules
  /** Loads the scanner for the documents of apps. */
  readonly loadAppScan?: () => Promise<TextScan>
  /** Accepts an app, or throws because it is held; absent where everything is offered (T12). */
  readonly admitApp?: ((app: AppDocument) => Promise<void>) | undefined
  /** Whether `list_resources` and `read_resource` are offered (D21). */
  readonly hasResourceTools: boolean
  /** Receives the events of a call that begins now; absent while the host has no listener. */
  readonly callListener: () => CallListener | undefined
  /** Records every call; absent if nothing is recorded. */
  readonly audit?: CallAudit | undefined
  readonly approve?: Approve | undefined
  /** Follows what calls bring in and could carry out; absent where that is off (T15). */
  readonly flows?: FlowGuard | undefined
  /** Loads the scanner, while the request is on its way; absent where results are not scanned (T16). */
  readonly loadTextScan?: (() => Promise<TextScan>) | undefined
  /** `writes`: calls of tools that are not declared read-only ask. */
  readonly asks?: ToolOptions['asks']
  /** The settings of the person, if they are read. */
  readonly settingsFile?: string | undefined
  readonly spill: Spill
  readonly redactor: Redactor
  readonly clock: Clock
  readonly serverOf: (name: string) => Server | undefined
  readonly statusOf: (server: string) => Status | undefined
  /** Declared servers that cannot be used now, each with the error that connecting would throw. */
  readonly unusable: () => readonly { readonly server: string; readonly error: HostError }[]
  /** Servers whose tools are unknown and that may be asked for them now. */
  readonly askable: () => readonly string[]
  /** Where serial calls wait for each other. */
  readonly lines: Pick<CallLines, 'run'>
  /** Keeps a task that a call has become. */
  readonly beginTask?: ((state: TaskState, begun: BegunTask) => TaskWatch) | undefined
  readonly connectionOf: (server: string) => Connection | Promise<Connection>
  /** A connection that is not shared, for one request. */
  readonly lease: (server: string, own: OwnConnection) => Promise<LeasedConnection>
  /** Whether the server is connected and has listed its tools since. */
  readonly hasListed: (server: string) => boolean
  /** Connects to a server, or throws, and lists what it offers; if listing fails, the catalog stays as it was. */
  readonly listServer: (server: string, options: Pick<CallOptions, 'signal' | 'timeoutMs'>) => Promise<void>
  /** Whether the server announced other tools than it has listed. */
  readonly isOutdated: (server: string) => boolean
  /** Lists a server that announced other tools; they stay as they were if it does not answer in time. Rejects if aborted. */
  readonly listAgain: (server: string, options: Pick<CallOptions, 'signal' | 'timeoutMs'>) => Promise<void>
  readonly subscribe: Subscribe
  /** What the scanner finds in a text of a skill, at medium or above, without what a person ignores. */
  readonly scanSkill: (skill: ScannedSkill, text: string) => Promise<readonly Finding[]>
  /** Holds a skill in whose text something bad was found. False if a person has accepted exactly this content. */
  readonly holdSkill?: ((skill: Skill, findings: readonly Finding[]) => Promise<boolean>) | undefined
  /** Lists servers again whose lists have expired. */
  readonly refresh: () => void
}

/** A skill whose text is scanned. */
export interface ScannedSkill {
  readonly server: string
  readonly entry: SkillEntry
}

/** A call that its server runs as a task. */
export interface BegunTask {
  readonly tool: Tool
  readonly args: JsonObject
  readonly conversation: string | undefined
  readonly agent: string | undefined
  /** Learns the id under which the task is listed. */
  readonly onTask: CallOptions['onTask']
  /** The result of the call, as the server sends it. */
  readonly result: () => Promise<Json>
}

/** What came into which conversation, and what tools do with information. */
export interface FlowGuard {
  readonly mode: Exclude<TrifectaMode, 'off'>
  /** What has come into a conversation, or into a view without one. */
  readonly of: (lane: unknown) => InformationFlow
  /** Computed once for each definition. */
  readonly labelsOf: (tool: Tool) => readonly ToolLabel[]
}

/** Tools that servers offer and that views do not have, because a person has not accepted them. */
export interface HeldTools {
  readonly tools: () => readonly HeldTool[]
  /** The prompts of a server that are held, likewise. */
  readonly promptsOf: (server: string) => readonly HeldTool[]
  /** The held resource, template, skill or app of a server that an address belongs to. */
  readonly at: (server: string, uri: string) => HeldTool | undefined
  /** Whether the tool is still what its server lists, and no change was announced since. */
  readonly isCurrent: (tool: Tool) => boolean
  /** Why stored acceptances cannot be used. */
  readonly problems: () => readonly Diagnostic[]
}

export interface HeldTool {
  readonly ref: string
  /** The name that a model would call it by. */
  readonly name: string
  readonly server: string
  readonly tool: string
  readonly reason: string
  /** The reason as a sentence. */
  readonly why: string
}

/** Subscribes to one resource of one server. */
export type Subscribe = (
  resource: { readonly server: string; readonly uri: string },
  listener: (update: ResourceUpdate) => void,
  options: CallOptions,
) => Promise<Disposable>

export interface CatalogWaitOptions {
  /** `settled` waits however long a server takes to be known or to fail. */
  readonly timeoutMs?: number | 'settled' | undefined
  readonly signal?: AbortSignal | undefined
  /** Ends the wait soon; checked whenever the catalog changes. */
  readonly isEnough?: (() => boolean) | undefined
  /** Once this holds, servers that were slow in an earlier run are hardly waited for. */
  readonly skipsSlow?: (() => boolean) | undefined
}
