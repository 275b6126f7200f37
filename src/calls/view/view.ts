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

/** A tool of the embedder's own: it passes the same globs, and no tool of a server takes its name. */
export interface NativeTool {
  readonly name: string
  readonly description?: string
  readonly annotations?: Annotations
}

/** A call that waits for a person's word. */
export interface ApprovalQuestion {
  readonly tool: Tool
  readonly args: JsonObject
  readonly reason: string
  readonly conversation?: string
}

/** Asks a person whether a call may run, and for how long that counts. */
export type Approve = (
  question: ApprovalQuestion,
  options: { readonly signal: AbortSignal | undefined },
) => Promise<Grant | 'no'>

/** What may be seen and done with what servers offer. */
export interface ToolOptions {
  readonly native?: readonly NativeTool[]
  /** Globs over names and refs that count for everybody. */
  readonly tools?: readonly string[]
  readonly policy?: readonly Rule[]
  readonly readOnly?: ReadOnlyPolicy | ReadOnlyGuard
  readonly approve?: Approve
  /** Offers `list_resources` and `read_resource` to agents that know only tools (D21). */
  readonly resources?: 'tools'
  /** By server: which of its tools an agent may run beside others; none by default (C25). */
  readonly parallel?: Readonly<Record<string, Parallel>>
  /** What must outlive the host; a private file of ours by default. */
  readonly memory?: Memory
}

export interface ScopeOptions {
  readonly conversation?: string
  /** The name of an agent, as its file declares it. */
  readonly agent?: string
  /** Where it works: servers that may ask (`roots: 'cwd'`) are told, until the scope is disposed of. */
  readonly cwd?: string
  readonly tools?: readonly string[]
  readonly servers?: readonly string[]
}

export interface ToolsOptions {
  /** `search` gives three tools that find, describe and call the others, in place of them. */
  readonly mode?: 'all' | 'search'
  /** How many tools are still listed one by one under `search`; none by default. */
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

/** A prompt as a person calls it: `/server:prompt key=value`. */
export interface PromptCommand {
  /** With its slash. No two are alike, and none holds a space or a sign of a shell. */
  readonly name: string
  readonly server: string
  /** The server's own name for it. */
  readonly prompt: string
  readonly title?: string
  readonly description: string
  readonly arguments: readonly PromptArgument[]
}

/** What is being typed: an argument of a prompt, or a name in the template of a resource. */
export type CompletionRequest = {
  readonly server: string
  readonly argument: string
  /** What is there of it so far. */
  readonly value: string
  /** What the others have been given already. */
  readonly known?: Readonly<Record<string, string>>
} & ({ readonly prompt: string } | { readonly template: string })

export interface Completion {
  /** The best first. */
  readonly values: readonly string[]
  /** How many there are in all, where the server says so. */
  readonly total?: number
  readonly hasMore: boolean
}

/** What a server says about how to use it: its own words, never ours. */
export interface ServerInstructions {
  readonly server: string
  readonly text: string
}

/** Why a tool is seen or not, and whether a call of it would run. */
export interface ToolExplanation {
  readonly ref: string
  readonly name: string
  readonly visibility: VisibilityDecision
  /** What counts for calls whatever their arguments are. */
  readonly decision: Decision
  /** Rules that demand more of calls with some arguments; absent where there are none. */
  readonly depends?: readonly ConditionalRule[]
}

/** A resource or a template of resources, and whose it is. */
export interface OfferedResource {
  readonly server: string
  /** As the server lists it: `uri`, or `uriTemplate`. */
  readonly resource: JsonObject
}

/** One piece of a resource. What is larger than the limit is named, not kept. */
export type ResourcePart = { readonly uri: string; readonly mimeType?: string; readonly bytes: number } & (
  | { readonly kind: 'text'; readonly text: string }
  /** As base64. */
  | { readonly kind: 'blob'; readonly blob: string }
  | { readonly kind: 'too-large' | 'empty' }
)

/** A resource that somebody follows may have changed. */
export interface ResourceUpdate {
  readonly server: string
  /** The one that changed: the one that is followed, or a part of it. */
  readonly uri: string
  /** `updated` as its server says; `resubscribed` after a time in which nobody could say so. */
  readonly cause: 'updated' | 'resubscribed'
}

/** The arguments of a call: an object that can be written as JSON, also one typed by an interface. Anything else is refused. */
export type CallArguments = Json | object

/** Options of a call, and of every other request that a view sends. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** How long to wait without an answer or progress; 0 waits without limit. */
  readonly timeoutMs?: number | undefined
  /** How long to wait in all, however often progress comes. */
  readonly maxTimeoutMs?: number | undefined
  readonly onProgress?: ((progress: Progress) => void) | undefined
  /** The text is for a person or a program: it is not cut to what a model takes, and nothing is put into a file. */
  readonly isWhole?: boolean
}

export interface WaitOptions {
  /** 10 s by default. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

/**
 * What servers offer, as one conversation or agent may see it. Live: every call returns the current state.
 *
 * @example
 * await view.ready()
 * for (const { name, description } of view.tools()) console.log(name, description)
 */
export interface View {
  /** Waits until what servers offer is known, or until the time is up. */
  ready(options?: WaitOptions): Promise<void>
  tools(options?: ToolsOptions): readonly Tool[]
  /** The embedder's own tools that are seen here. */
  native(): readonly NativeTool[]
  /** The best first. */
  search(words: string, options?: { readonly limit?: number }): readonly Tool[]
  /**
   * Calls a tool by its name or ref, and waits for its server if need be. Throws a `HostError` if the call did not run,
   * or if it is unknown whether it did; a tool's own failure is a result with `failed`.
   *
   * @example
   * const result = await view.call('github__search_issues', { q: 'is:open' }, { signal })
   * if (!result.failed) console.log(result.text)
   */
  call(nameOrRef: string, args?: CallArguments, options?: CallOptions): Promise<CallResult>
  why(nameOrRef: string): ToolExplanation
  /**
   * What is most likely a mistake: patterns that match nothing (once all servers are known), names that clash; and what
   * the read-only guard leaves out.
   */
  problems(): readonly Diagnostic[]
  resources(): readonly OfferedResource[]
  read(uri: string, options?: CallOptions & { readonly server?: string }): Promise<readonly ResourcePart[]>
  prompts(): readonly OfferedPrompt[]
  prompt(
    server: string,
    name: string,
    args?: Readonly<Record<string, string>>,
    options?: CallOptions,
  ): Promise<PromptMessages>
  /** What a person may mean who types an argument of a prompt, or a name in a template; nothing where the server cannot tell. */
  complete(completing: CompletionRequest, options?: CallOptions): Promise<Completion>
  /**
   * Tells of updates of a resource until it is disposed: over a reconnect too, and no more often than once a second.
   * Comes back when the server has agreed.
   */
  subscribe(
    uri: string,
    listener: (update: ResourceUpdate) => void,
    options?: CallOptions & { readonly server?: string },
  ): Promise<Disposable>
  /** What servers say about how to use them; only of those that anything is seen of. */
  instructions(): readonly ServerInstructions[]
  /** Prompts as slash commands, `/server:prompt`. */
  commands(): readonly PromptCommand[]
  command(
    name: string,
    args?: Readonly<Record<string, string>>,
    options?: CallOptions,
  ): Promise<PromptMessages>
}
