import type { HeldOffer, OfferRef, RemovedOffer } from '../acceptances/acceptance.ts'
import type { AnswerInput, Answers } from '../model/answers.ts'
import type { Elicit, FindRoots, RelayRequests, Sample } from '../connections/server-requests.ts'
import type { RequestOptions } from '../connections/send-with-retries.ts'
import type { ListName } from '../connections/link.ts'
import type { ServerList } from '../connections/server-lists.ts'
import type { AuditCaller } from '../audit/audit-row.ts'
import type { AuditTrail } from '../audit/audit-trail.ts'
import type { RefusedCall } from '../calls/audit-request.ts'
import type { UnfinishedStart } from '../catalog/server-cache.ts'
import type { DiscoverOptions } from '../config/discover-options.ts'
import type { AcceptWord } from '../model/definition/accept-word.ts'
import type { FindCredential } from '../login/named-credential.ts'
import type { Agent } from '../model/agent.ts'
import type { HostEvent } from '../model/event.ts'
import type { Json } from '../model/json.ts'
import type { RuleOptions } from '../model/preset.ts'
import type { Discovery, Server } from '../model/server.ts'
import type { Status } from '../model/status.ts'
import type { Task } from '../model/tasks/task.ts'
import type { TrustRequest } from '../config/trust/request-trust.ts'
import type { OfferedHash } from '../model/definition/hash-offers.ts'
import type { ServerEntry } from './server-entry.ts'
import type { ScopeOptions, ToolOptions, View, WaitOptions } from '../calls/view/view.ts'
import type { OpenChannel } from '../wire/channel.ts'
import type { Greeting } from '../wire/eras/greeting.ts'

/**
 * Options of `createHost`; all of them have defaults.
 *
 * @example
 * const host = await createHost({
 *   cwd: '/home/me/shop',
 *   tools: ['*', '!web__*'],
 *   policy: [{ tools: ['*__delete_*'], effect: 'ask' }],
 *   approve: async ({ tool, args }) => ((await confirm(tool.name, args)) ? 'once' : 'no'),
 * })
 */
export interface HostOptions extends Omit<DiscoverOptions, 'trust' | 'preview'>, ToolOptions, RuleOptions {
  /**
   * Decides about servers of the project that are not trusted yet: `ask` leaves them out and reports it, `project` trusts
   * them, a function is called when such a server is first needed. The decision holds only for this host.
   */
  readonly trust?: 'ask' | 'project' | ((request: TrustRequest) => Promise<boolean>)
  /** Values for `${input:id}`, by id; or a function that asks a person when a trusted server first needs one. */
  readonly answers?: Answers | AnswerInput
  /** When servers are connected. The lifecycle of an entry takes precedence, except over `on-demand`. */
  readonly lifecycle?: 'lazy' | 'background' | 'eager' | 'on-demand'
  /** How long a server may take to start; overrides its entry. */
  readonly startupMs?: number
  /** Finds the access tokens of stored logins, for entries that name one. */
  readonly credentials?: FindCredential
  /** Answers elicitation requests of servers; without it the host does not declare that it supports them. */
  readonly elicit?: Elicit
  /** Answers sampling requests of servers. */
  readonly sample?: Sample
  /**
   * Answers servers that ask for the roots; `cwd` gives the working directories of the host and of open scopes. Without
   * it the host does not declare that it supports roots.
   */
  readonly roots?: 'cwd' | FindRoots
  /** Answers all requests of servers, in place of `elicit`, `sample` and `roots`: for programs that pass them on. */
  readonly relay?: RelayRequests
  /**
   * The embedder shows the apps of tools (MCP Apps): the extension is declared to servers. The result of a tool that has an app
   * has `raw`, which the app is given. `readApp` reads one, `plugboard/apps` has the rest. Leave it out where only text is shown.
   */
  readonly apps?: true
  readonly limits?: Partial<HostLimits>
  /**
   * After how many milliseconds a server that is not used is stopped, by its name and by what its entry says (`idleStopMs`);
   * undefined or 0: never. It stays listed, and the next call starts it. By default what its entry says.
   */
  readonly idleMs?: (server: string, declared: number | undefined) => number | undefined
  /**
   * How many requests a server gets at the same time, by its name and whether a project declares it; further ones wait. By
   * default `limits.maxInFlight`.
   */
  readonly maxInFlight?: (server: string, isOfProject: boolean) => number | undefined
  /** Asks servers for their tools only: `resources()` and `prompts()` stay empty. By default all lists are asked for. */
  readonly offers?: 'tools'
  /**
   * Servers by name, declared by the program (D-17). They are trusted, and rank above all files. Only with `sources` or
   * `config` are servers of files used too; a person's settings still narrow, unless `settings` is `false`. Relative paths are
   * relative to `cwd`, values are literal.
   *
   * @example
   * const host = await createHost({
   *   servers: {
   *     files: { command: 'mcp-server-filesystem', args: ['.'] },
   *     docs: { url: 'https://docs.example.com/mcp', headers: { Authorization: `Bearer ${token}` } },
   *     mine: { server: new McpServer({ name: 'mine', version: '1.0.0' }) },
   *   },
   * })
   */
  readonly servers?: Readonly<Record<string, ServerEntry>>
  /** `true` expands placeholders such as `${HOME}` in the values of servers in code, as in our own files. */
  readonly expand?: boolean
  /**
   * Channels by server name that replace the transport of an entry, for recordings and tests. The name has to be declared;
   * `servers` declares a server that has only a channel.
   */
  readonly channels?: Readonly<Record<string, OpenChannel>>
  /** Wraps the channel of a server, for example to record it. */
  readonly wrapChannel?: (server: string, open: OpenChannel) => OpenChannel
  /**
   * Records every call: who made it, what was decided, how it ended. The rows are chained by hashes, in the person's own
   * trail unless another is given; their settings (`audit`) may turn it off, or keep the arguments too.
   *
   * @example
   * const host = await createHost({ audit: { surface: 'support-bot', user: 'nightly' } })
   */
  readonly audit?: AuditOptions
  /**
   * What happens to definitions that a person has not accepted (T11, T12). `tofu` accepts what is new if the scanner finds
   * nothing high or critical in it, and holds what has changed since; `strict` holds what is new too; `person` is what the
   * settings of the person and the project say; without a word there, `tofu`, and `off` with a preset other than the default.
   * `off`, the default, offers what the server says. What was accepted is kept on disk unless `keeps` is `false`.
   *
   * @example
   * const host = await createHost({ accept: 'tofu' })
   */
  readonly accept?: AcceptWord | 'person'
  /** Receives every event, from the first one on. */
  readonly on?: (event: HostEvent) => void
  /** Closes the host. */
  readonly signal?: AbortSignal
}

export interface AuditOptions extends Partial<AuditCaller> {
  /** Where the rows go instead of the person's own trail; the settings do not apply to it. */
  readonly trail?: AuditTrail
  /** Hands the arguments to `trail` too, without known secrets. In the person's own trail their settings decide. */
  readonly values?: boolean
}

export interface HostLimits {
  readonly startupMs: number
  /** `callMs`: limit of a call without a response or progress. `maxCallMs`: limit of a call in total. */
  readonly callMs: number
  readonly maxCallMs: number
  /** `maxBytes`: limit of a message. `hardMaxBytes`: limit up to which a larger message is skipped. */
  readonly maxBytes: number
  readonly hardMaxBytes: number
  /** Limit of requests that run at the same time on one server; more wait in line. */
  readonly maxInFlight: { readonly stdio: number; readonly http: number }
  /** Limit of requests in line for one server, and of the bytes of their parameters; more are `call.busy`. */
  readonly maxQueued: number
  readonly maxQueuedBytes: number
  /** Limit of programs that start at the same time. */
  readonly spawns: number
}

export interface ServerStatus {
  readonly id: string
  readonly name: string
  readonly server: Server
  readonly status: Status
  /** Its tools are known, from disk or from the server. */
  readonly isKnown: boolean
  /** For how long its lists are valid, if it says so. */
  readonly ttlMs?: number
  /** How many of its tools, prompts, templates and instructions are held; absent if none is. */
  readonly held?: number
  /** Its last start, if that did not make it usable: callers that need no particular server hardly wait for it. */
  readonly unfinished?: UnfinishedStart
}

export interface ReadyOptions extends WaitOptions {
  /** Only these servers; all by default. */
  readonly servers?: readonly string[]
  /** `disk` reads only the cache; `servers` lists every server again. By default only unknown servers are listed. */
  readonly from?: 'disk' | 'servers'
}

export interface ReloadOptions {
  /** Does nothing if the servers, their trust, the problems and the settings about tools and calls are the same as before. */
  readonly ifChanged?: boolean
  /** Leaves servers that failed and have not changed as they are; otherwise they are tried again. */
  readonly keepFailed?: boolean
}

/** The held offers of one server, and what was accepted of it and is not offered any more. */
export interface ServerHeld {
  readonly server: string
  readonly offers: readonly HeldOffer[]
  readonly removed: readonly RemovedOffer[]
}

/** A held offer, by the hash of the definition that a person was shown. */
export interface OfferChoice extends OfferRef {
  readonly hash: string
}

/**
 * What became of each choice. `changed`: the definition is another one now. `unknown`: nothing of this name is held.
 * `quarantined`: the scanner found something critical, which is ignored first, with a reason. What differs from the lock file of
 * its project is accepted for this person, and stays held until the lock file has it too.
 */
export interface ReviewResult {
  readonly done: readonly OfferRef[]
  readonly refused: readonly (OfferRef & {
    readonly why: 'changed' | 'unknown' | 'quarantined'
  })[]
}

/**
 * Tasks outlive the host that began them, unless a program on this machine runs them. An id may be shortened.
 *
 * @example
 * for (const { id, status } of await host.tasks.list()) console.log(id, status)
 * const { text } = await host.tasks.wait(id)
 */
export interface Tasks {
  /** Those that run, and those that ended in the last week; the newest first. */
  list(): Promise<readonly Task[]>
  /** Resolves when the task has ended; follows it if no process does. Never calls its tool again. */
  wait(id: string, options?: { readonly signal?: AbortSignal }): Promise<Task>
  /** Asks the server to end the task. It may still complete. */
  cancel(id: string): Promise<Task>
  /** Follows all tasks of this host's servers that no process follows, so that their questions are asked and their ends known. */
  resume(): Promise<readonly Task[]>
}

/**
 * Everything that is configured, as one object: a view of all tools, the connections behind it, and their events.
 *
 * @example
 * for (const { name, status } of host.servers()) console.log(name, status.state)
 * const view = await host.scope({ conversation: 'c1', tools: ['github__*'] })
 */
export interface Host extends View, AsyncDisposable {
  /** The servers found, and all problems with them. */
  readonly discovery: Discovery
  /** Every server in force, with its current status. */
  servers(): readonly ServerStatus[]
  /**
   * Loads what servers offer: from disk if they are cached, else by connecting once. Resolves when all are known or
   * failed, or after the timeout (usually 10 s for each, see `WaitOptions`); the rest continues in the background.
   */
  ready(options?: ReadyOptions): Promise<void>
  /**
   * What a server is known to offer, with the hash of each definition, before anything is held or hidden. `undefined` until
   * it is known: `ready` loads it.
   */
  definitions(server: string): readonly OfferedHash[] | undefined
  /** Creates a narrower view for one conversation or agent; it shares the connections of the host. */
  scope(narrow: ScopeOptions): Promise<View & Disposable>
  /** The agents that `scope({ agent })` takes, as their files declare them now. */
  agents(): Promise<readonly Agent[]>
  /** Switches a server off, or on again, in one conversation. */
  switchServer(conversation: string, server: string, on: boolean): Promise<void>
  /**
   * Calls the listener for each event from now on, in order; dispose the result to stop. With `calls: false` it gets no events
   * of single calls, which cost nothing while no listener wants them.
   */
  on(listener: (event: HostEvent) => void, options?: { readonly calls?: boolean }): Disposable
  /** Connects to a server and returns what it said about itself; a connected server is not connected again. */
  connect(server: string, options?: { readonly signal?: AbortSignal }): Promise<Greeting>
  /** Sends any request; connects to the server if necessary. */
  request(server: string, method: string, params?: object, options?: RequestOptions): Promise<Json>
  /** Sends a notification to a server that is connected; otherwise it is dropped. Throws if the server is unknown. */
  notify(server: string, method: string, params?: object): void
  /** All pages of a list. An unusable definition is left out; the others are returned. */
  list(
    server: string,
    list: ListName,
    options?: RequestOptions & { readonly fresh?: boolean },
  ): Promise<ServerList>
  /** Clears the failure of a server and connects to it again. */
  restart(server: string, options?: { readonly signal?: AbortSignal }): Promise<Greeting>
  /** Stops a server until the next request needs it. */
  stop(server: string): Promise<void>
  /**
   * Reads the configuration again: servers that are gone, changed or failed are stopped, new ones are listed, the others
   * stay connected. Open views follow. A file that is half written keeps its last usable content, and a diagnostic of
   * `discovery` says so.
   */
  reload(options?: ReloadOptions): Promise<void>
  /**
   * Declares another server, as `servers` does. If the tools of the host are in use, it is connected, and its tools appear.
   * Throws `config.invalid` for an entry that cannot be used, or a name that the program already declares; `server.unknown`
   * if it is removed meanwhile. `timeoutMs`: how long to wait for its tools, 10 s by default; a slow server stays declared
   * and goes on starting.
   *
   * @example
   * await host.add('docs', { url: 'https://docs.example.com/mcp' })
   */
  add(name: string, entry: ServerEntry, options?: Pick<WaitOptions, 'timeoutMs'>): Promise<void>
  /**
   * Removes a server that the program declares: its tools disappear, running calls end, then it is stopped. A server of that
   * name in a file comes into force.
   *
   * @example
   * await host.remove('docs')
   */
  remove(name: string): Promise<void>
  /** What servers offer and models do not get until a person has reviewed it; servers without any are left out. */
  held(): readonly ServerHeld[]
  /**
   * Accepts held offers. Each choice names the hash that the person was shown: a definition that has changed since is not
   * accepted. One that the server no longer offers is forgotten, by the hash of what was accepted: if it comes back, it is new.
   *
   * @example
   * for (const { server, offers } of host.held()) {
   *   const reviewed = offers.filter(isFine).map(({ kind, name, current }) => ({ kind, name, hash: current.hash }))
   *   await host.accept(server, reviewed)
   * }
   */
  accept(server: string, choices: readonly OfferChoice[]): Promise<ReviewResult>
  /** Rejects held offers: they stay held, also if they are offered again after another definition. */
  reject(server: string, choices: readonly OfferChoice[]): Promise<ReviewResult>
  /**
   * Makes the secrets of all trusted servers known to `redact`, also of those that were not started: what entries, the
   * environment, files and stored logins hold. Runs no command and opens no keychain. Call it before you keep what models,
   * people or servers said.
   */
  knowSecrets(): Promise<void>
  /** Masks every secret that this host knows in a text. */
  redact(text: string): string
  /**
   * The same for names, addresses and what holds them, before they are shown: what merely looks like a token, or is a plain
   * word, stays.
   */
  redactName(text: string): string
  /**
   * Records in the audit trail a call that the program refused by itself, such as one of a tool that it does not offer. Calls
   * of the host and its views are recorded without it.
   *
   * @example
   * await host.auditRefused({ tool: 'github/delete_repo', args, error })
   */
  auditRefused(call: RefusedCall): Promise<void>
  /** The calls that servers run in the background, also those that earlier hosts of this person began. */
  readonly tasks: Tasks
  /** Resolves when every call that ended so far is in the audit trail. */
  flushAudit(): Promise<void>
  /** Stops all servers. A second call no longer waits for servers that are slow to end. */
  close(): Promise<void>
}
