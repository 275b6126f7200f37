import type { AuditCaller } from '../../audit/audit-row.ts'
import type { AppDocument } from '../../model/app/app-document.ts'
import type { TraceContext } from '../trace-context.ts'
import type { Parallel } from '../../catalog/offered-tool.ts'
import type { OwnConnection } from '../../connections/own-connections.ts'
import type { ApprovalRounds } from '../audit-call.ts'
import type { OnBehalf } from '../../connections/send-with-retries.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { HostError } from '../../model/error.ts'
import type { Progress } from '../../model/event.ts'
import type { Finding } from '../../model/finding.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Memory } from '../../model/memory.ts'
import type { Block, CallResult } from '../../model/result.ts'
import type { Skill } from '../../model/skills/skill.ts'
import type { SkillFolderItem } from '../skills/skill-requests.ts'
import type { LabelOverrides, TrifectaMode } from '../../model/tool-label.ts'
import type { Annotations, Tool } from '../../model/tool.ts'
import type { Grant } from '../../policy/approvals.ts'
import type { VisibilityDecision } from '../../policy/layers.ts'
import type { ReadOnlyGuard, ReadOnlyPolicy } from '../../policy/read-only.ts'
import type { ConditionalRule, Decision, Rule } from '../../policy/call-rules.ts'

/** A tool of the embedder. The same globs and guards apply to it, and no tool of a server gets its name. */
export interface NativeTool {
  readonly name: string
  readonly description?: string
  readonly annotations?: Annotations
}

/** A call that needs a person's approval. */
export interface ApprovalQuestion {
  readonly tool: Tool
  readonly args: JsonObject
  readonly reason: string
  readonly conversation?: string
  /** The rule that asks, with its place if a file declares it; absent if the default asks. */
  readonly rule?: Pick<Rule, 'effect' | 'tools' | 'origin'>
  /** Equal if an approval for one of two questions covers the other: the definition, the server's entry and the conditions. */
  readonly boundTo: string
}

/** Asks a person whether a call may run, and for how long the approval holds. */
export type Approve = (
  question: ApprovalQuestion,
  options: { readonly signal: AbortSignal | undefined },
) => Promise<Grant | 'no' | EditedGrant>

/** A yes to a call with other arguments than it asked for. They are checked and decided on like those of any call. */
export interface EditedGrant {
  readonly grant: Grant
  /** What is sent in place of the arguments of the question. */
  readonly args: JsonObject
}

/** Options that decide which tools are visible and which calls may run. */
export interface ToolOptions {
  readonly native?: readonly NativeTool[]
  /** Globs of tool names and refs, for every view of the host. */
  readonly tools?: readonly string[]
  readonly policy?: readonly Rule[]
  readonly readOnly?: ReadOnlyPolicy | ReadOnlyGuard
  readonly approve?: Approve
  /**
   * `writes`: a call of a tool that is not declared read-only asks, unless a rule of `policy` or of the person's own settings
   * allows it. A declaration counts unless `readOnly.believes` leaves the server out, or the tool contradicts itself (T22).
   */
  readonly asks?: 'writes'
  /**
   * What happens when text of strangers and private data have come into a conversation (or a view without one), and a tool
   * with a way out is called: `warn` emits an event and sets `risk` of the result, `ask` asks for an approval, `block`
   * refuses the call. By default the person's setting, else `warn`; `off` with a preset other than the default (T15).
   */
  readonly trifecta?: TrifectaMode
  /** What tools do with information, by `server/tool` with globs, where their definitions mislead. */
  readonly labels?: LabelOverrides
  /**
   * Scans the first 64 kB of text of each result for instructions to a model and for hidden text: `findings` of the result
   * and the event `call.marked` say what was found. Resources and prompts that are read, and questions and sampling requests
   * of servers, have `findings` too. Off by default. Nothing is blocked or changed (T16).
   */
  readonly scanResults?: boolean
  /** Offers the tools `list_resources` and `read_resource`, for agents that support only tools (D21). */
  readonly resources?: 'tools'
  /** By server: which of its tools an agent may run in parallel; none by default (C25), and never under Dispatch (D19). */
  readonly parallel?: Readonly<Record<string, Parallel>>
  /** Stores approvals and toggles beyond the life of the host; by default in a private file. */
  readonly memory?: Memory
}

export interface ScopeOptions {
  readonly conversation?: string
  /** The name of an agent, as its file declares it. */
  readonly agent?: string
  /** The working directory; with `roots: 'cwd'` servers are told it as a root until the scope is disposed of. */
  readonly cwd?: string
  readonly tools?: readonly string[]
  readonly servers?: readonly string[]
  /** As the option of the host, for this scope alone. A scope can only be stricter than its host. */
  readonly asks?: ToolOptions['asks']
  /** `shown`: what servers offered before they failed stays visible; using it says why they failed. */
  readonly failed?: 'shown'
  /** `of-tools`: a server of which `tools` can admit no tool is hidden with its resources, prompts, skills and instructions. */
  readonly offers?: 'of-tools'
  /** Other names and descriptions, in the answers of the tools that search and describe. */
  readonly shown?: ShownTools
}

/** How tools are shown, where they have names that are not those of the catalog. */
export interface ShownTools {
  /** Absent for a tool that is not shown. */
  of(ref: string): { readonly name: string; readonly description?: string | undefined } | undefined
  /** The ref of the tool that is shown with this name. */
  refOf(name: string): string | undefined
  /** What reasons call the scope; `this conversation` by default. */
  readonly place?: string
}

export interface ToolsOptions {
  /** `search` replaces the tools by three that find, describe and call them. */
  readonly mode?: 'all' | 'search'
  /** With `search`: up to this many tools are listed one by one instead; 0 by default. */
  readonly upTo?: number
  /** Adds `load_skill`, with the list of the visible skills in its description, and `find_skills` where there are many. */
  readonly skills?: boolean
}

export interface OfferedPrompt {
  readonly server: string
  readonly prompt: JsonObject
}

export interface PromptArgument {
  readonly name: string
  readonly description?: string
  readonly required: boolean
}

export interface PromptMessage {
  readonly role: 'user' | 'assistant'
  readonly blocks: readonly Block[]
}

export interface PromptMessages {
  readonly description?: string
  readonly messages: readonly PromptMessage[]
  /** What the scanner found in the messages, as in `CallResult`; set with `scanResults` (T16). */
  readonly findings?: readonly Finding[]
}

/** A prompt as a slash command: `/server:prompt key=value`. */
export interface PromptCommand {
  /** With its slash. Unique, and without spaces or shell metacharacters. */
  readonly name: string
  readonly server: string
  /** The server's name for the prompt. */
  readonly prompt: string
  readonly title?: string
  readonly description: string
  readonly arguments: readonly PromptArgument[]
}

/** A request for completions of an argument of a prompt, or of a variable of a resource template. */
export type CompletionRequest = {
  readonly server: string
  readonly argument: string
  /** The text typed so far. */
  readonly value: string
  /** The values of the other arguments so far. */
  readonly known?: Readonly<Record<string, string>>
} & ({ readonly prompt: string } | { readonly template: string })

export interface Completion {
  /** Best match first. */
  readonly values: readonly string[]
  /** The total number of matches, if the server reports it. */
  readonly total?: number
  readonly hasMore: boolean
}

/** A server's own instructions on how to use it. */
export interface ServerInstructions {
  readonly server: string
  readonly text: string
}

/** Why a tool is visible or not, and whether a call of it would run. */
export interface ToolExplanation {
  readonly ref: string
  readonly name: string
  readonly visibility: VisibilityDecision
  /** The decision that applies whatever the arguments are. */
  readonly decision: Decision
  /** Rules that decide otherwise for certain arguments; absent if there are none. */
  readonly depends?: readonly ConditionalRule[]
  /** Text of strangers and private data have come in, and this tool could carry it out (T15). */
  readonly risk?: string
}

/** A known tool that a view does not offer. */
export interface HiddenTool {
  readonly ref: string
  /** The name it has, or would have if it were offered. */
  readonly name: string
  readonly server: string
  readonly visibility: VisibilityDecision
}

/** A resource or a resource template, and its server. */
export interface OfferedResource {
  readonly server: string
  /** As the server lists it: `uri`, or `uriTemplate`. */
  readonly resource: JsonObject
}

/** One part of a resource. A part over the limit has the kind `too-large` and no content. */
export type ResourcePart = {
  readonly uri: string
  readonly mimeType?: string
  readonly bytes: number
  /** What the scanner found in its text, as in `CallResult`; set with `scanResults` (T16). */
  readonly findings?: readonly Finding[]
} & (
  | { readonly kind: 'text'; readonly text: string }
  /** As base64. */
  | { readonly kind: 'blob'; readonly blob: string }
  | { readonly kind: 'too-large' | 'empty' }
)

/** A file of a skill, whose content is exactly what the entry of the skill lists. */
export interface SkillContent {
  readonly skill: Skill
  readonly uri: string
  /** Relative to the folder of SKILL.md. */
  readonly path: string
  readonly bytes: number
  readonly mimeType?: string
  /** Absent for a file that is not text. */
  readonly text?: string
  /** Base64; absent for a text. */
  readonly blob?: string
  /** Of SKILL.md: what follows its front matter. */
  readonly body?: string
  /** What the scanner found in its text (T16). */
  readonly findings?: readonly Finding[]
}

/** Options of requests for the files of a skill. */
export interface SkillOptions extends CallOptions {
  /** With the address of a SKILL.md: its server, which may have the skill without listing it. */
  readonly server?: string
}

/** A subscribed resource may have changed. */
export interface ResourceUpdate {
  readonly server: string
  /** The resource that changed: the subscribed one, or a part of it. */
  readonly uri: string
  /** `updated`: the server reported a change. `resubscribed`: the connection was lost, so changes may have been missed. */
  readonly cause: 'updated' | 'resubscribed'
}

/**
 * The arguments of a call: an object that can be written as JSON, also one typed by an interface. A string, a number or a
 * list is refused; `null` counts as no arguments.
 */
export type CallArguments = Json | object

/** Options of a call, and of every other request that a view sends. */
export interface CallOptions extends TraceContext {
  readonly signal?: AbortSignal | undefined
  /** How long to wait without an answer or progress, once it is sent; 0 waits without limit. */
  readonly timeoutMs?: number | undefined
  /** How long to wait in all: until the server is ready, in line and for the answer, however often progress comes. */
  readonly maxTimeoutMs?: number | undefined
  readonly onProgress?: ((progress: Progress) => void) | undefined
  /**
   * Waits until earlier serial calls to the same server have ended, unless the tool may run beside them (`parallel`). The
   * adapters set it, because a model asks for several calls at once; under Dispatch all calls of a conversation wait so.
   */
  readonly isSerial?: boolean
  /** The text is for a person or a program: it is not cut to the limit for a model or written to a file. */
  readonly isWhole?: boolean
  /**
   * The call comes from the app of the tool with this ref: the name is the server's own, of one of its tools that apps may call.
   * Rules, approvals and the audit trail, which names the app, are those of any call; the result has `raw`.
   */
  readonly app?: string
  /** Called when the server makes a task of the call, with the id that `host.tasks` knows it by. */
  readonly onTask?: ((id: string) => void) | undefined
  /** Aborted: a call that has become a task no longer keeps serial calls after it waiting. */
  readonly released?: AbortSignal | undefined
  /** The call of another client, which is passed on. Its result is in `raw`; it is neither rendered nor limited. */
  readonly forward?: ForwardOptions
}

/** A request that is passed on for another client, as a gateway does. */
export interface ForwardOptions extends OnBehalf {
  /** Members of the parameters besides the name and the arguments: `_meta`, `inputResponses`, `requestState`. */
  readonly params?: JsonObject
  /** For the audit trail: the caller behind this host. */
  readonly caller?: Partial<AuditCaller>
  /** Called before the call is decided on; throws if it may not run now. The audit trail has a row of it. */
  readonly admit?: () => Promise<void>
  /** Asks the person at the other client, in place of `approve` of the host. */
  readonly approve?: ForwardApprove
  /** For the audit trail, where `approve` may say `asked`. */
  readonly rounds?: ApprovalRounds
  /** A connection that others do not share; by default there is one for each server. */
  readonly connection?: OwnConnection | undefined
  /** Where a server has more requests than it takes at once, those of equal lanes wait for each other; by default the view's. */
  readonly lane?: unknown
  /** The flow of information that a call belongs to (T15); by default that of the view. */
  readonly flow?: string
}

/** Like `Approve`. `asked`: the call ends as cancelled, and the answer comes with another call. */
export type ForwardApprove = (
  ...question: Parameters<Approve>
) => Promise<Awaited<ReturnType<Approve>> | 'asked'>

export interface WaitOptions {
  /**
   * The longest wait. By default each server is waited for up to 10 s from its start: 1 s if it hung in an earlier run, up
   * to 30 s if it was cut off there. With `tool` the default is as long as its server takes.
   */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  /**
   * `skip`: a server that was not ready in time in an earlier run is waited for 1 s only, once there are tools of others. The
   * adapters do this.
   */
  readonly slow?: 'skip'
  /** Waits only for the servers that a tool of this name or ref may belong to. */
  readonly tool?: string
}

/** A server of which nothing is known yet. */
export interface UnlistedServer {
  readonly server: string
  /** The names of its tools would begin with this. */
  readonly prefix: string
  /** Why it cannot be used. */
  readonly error: HostError
}

/**
 * The tools, resources and prompts visible to one conversation or agent. Live: every method returns the current state.
 *
 * @example
 * await view.ready()
 * for (const { name, description } of view.tools()) console.log(name, description)
 */
export interface View {
  /** Waits until the tools of all servers that are visible here are known or failed, or until the timeout. */
  ready(options?: WaitOptions): Promise<void>
  /** Reads what other programs have switched in this conversation and approved. Called before each step of a model. */
  recall(): Promise<void>
  /** The visible tools that are known now, in a stable order; empty before `ready()` has read the cache or the servers. */
  tools(options?: ToolsOptions): readonly Tool[]
  /** The native tools that are visible here. */
  native(): readonly NativeTool[]
  /** Best match first. */
  search(words: string, options?: { readonly limit?: number }): readonly Tool[]
  /**
   * Calls a tool by its name or ref, and waits for its server if necessary. Throws a `HostError` if the call did not run,
   * or if it is unknown whether it ran; a failure of the tool itself is a result with `failed`.
   *
   * @example
   * const result = await view.call('github__search_issues', { q: 'is:open' }, { signal })
   * if (!result.failed) console.log(result.text)
   */
  call(nameOrRef: string, args?: CallArguments, options?: CallOptions): Promise<CallResult>
  /**
   * Which layer decides whether a tool is visible, and which rule whether a call of it runs. `asks`: as if the host had that
   * option.
   */
  why(nameOrRef: string, options?: Pick<ToolOptions, 'asks'>): ToolExplanation
  /** The known tools that are not offered here, each with the reason. For a person: a model must not see them. */
  hiddenTools(): readonly HiddenTool[]
  /**
   * Likely mistakes: patterns that match nothing (once the tools of all servers are known), name clashes, invalid
   * settings; and the tools that the read-only guard hides.
   */
  problems(): readonly Diagnostic[]
  /** The resources and templates that are known now. */
  resources(): readonly OfferedResource[]
  read(uri: string, options?: CallOptions & { readonly server?: string }): Promise<readonly ResourcePart[]>
  /**
   * Reads the app of a tool: its document, what it asks for, and what the scanner found. Throws `app.unusable` if the tool has
   * none that can be shown, `app.held` if a person has to review it first.
   */
  readApp(nameOrRef: string, options?: CallOptions): Promise<AppDocument>
  /** The prompts that are known now. */
  prompts(): readonly OfferedPrompt[]
  prompt(
    server: string,
    name: string,
    args?: Readonly<Record<string, string>>,
    options?: CallOptions,
  ): Promise<PromptMessages>
  /** Completes an argument of a prompt or a variable of a template; empty if the server does not support completion. */
  complete(request: CompletionRequest, options?: CallOptions): Promise<Completion>
  /**
   * Calls the listener when a resource may have changed, at most once a second, also after a reconnect, until the result
   * is disposed of. Resolves when the server has accepted the subscription.
   */
  subscribe(
    uri: string,
    listener: (update: ResourceUpdate) => void,
    options?: CallOptions & { readonly server?: string },
  ): Promise<Disposable>
  /**
   * Passes a request on to a visible server and returns the answer as it came, except that known secrets are masked. For
   * calls of tools: `call` with `forward`.
   */
  forward(server: string, method: string, params?: JsonObject, options?: CallOptions): Promise<Json>
  /** The visible skills that are known now, by server and name. Nothing of them has been read. */
  skills(): readonly Skill[]
  /**
   * Reads a file of a skill for a person, and verifies it: its size, its digest and, of SKILL.md, its front matter. Without
   * `file` it is SKILL.md. Nothing is asked, so its text must not be given to a model: `loadSkill` does that.
   *
   * @example
   * for (const { ref } of host.skills()) console.log((await host.readSkill(ref)).text)
   */
  readSkill(skill: string, options?: SkillOptions & { readonly file?: string }): Promise<SkillContent>
  /** What a folder of a skill contains, if its server tells (`directoryRead`). */
  skillFolder(
    skill: string,
    options?: SkillOptions & { readonly folder?: string },
  ): Promise<readonly SkillFolderItem[]>
  /**
   * Loads a skill for a model, as a call of `load_skill` does: the rules decide, a person is asked unless this exact content
   * was approved, its text is verified, scanned and marked with its server. With `file`: another file of a loaded skill.
   */
  loadSkill(skill: string, options?: CallOptions & { readonly file?: string }): Promise<CallResult>
  /** Servers that may be used here and whose offers are unknown, because they cannot be used now. */
  unlisted(): readonly UnlistedServer[]
  /** The instructions of the servers that have something visible here. */
  instructions(): readonly ServerInstructions[]
  /** Prompts as slash commands, `/server:prompt`. */
  commands(): readonly PromptCommand[]
  command(
    name: string,
    args?: Readonly<Record<string, string>>,
    options?: CallOptions,
  ): Promise<PromptMessages>
}
