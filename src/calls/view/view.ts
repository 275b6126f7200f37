import type { Parallel } from '../../catalog/offered-tool.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Progress } from '../../model/event.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Memory } from '../../model/memory.ts'
import type { Block, CallResult } from '../../model/result.ts'
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
  /** Equal if an approval for one of two questions covers the other: the definition, the server's entry and the conditions. */
  readonly boundTo: string
}

/** Asks a person whether a call may run, and for how long the approval holds. */
export type Approve = (
  question: ApprovalQuestion,
  options: { readonly signal: AbortSignal | undefined },
) => Promise<Grant | 'no'>

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
}

export interface ToolsOptions {
  /** `search` replaces the tools by three that find, describe and call them. */
  readonly mode?: 'all' | 'search'
  /** With `search`: up to this many tools are listed one by one instead; 0 by default. */
  readonly upTo?: number
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
export type ResourcePart = { readonly uri: string; readonly mimeType?: string; readonly bytes: number } & (
  | { readonly kind: 'text'; readonly text: string }
  /** As base64. */
  | { readonly kind: 'blob'; readonly blob: string }
  | { readonly kind: 'too-large' | 'empty' }
)

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
export interface CallOptions {
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
}

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
