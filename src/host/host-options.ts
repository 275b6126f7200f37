import type { AnswerInput, Answers } from '../model/answers.ts'
import type { Elicit, FindRoots, Sample } from '../connections/server-requests.ts'
import type { RequestOptions } from '../connections/send-with-retries.ts'
import type { ListName } from '../connections/link.ts'
import type { ServerList } from '../connections/server-lists.ts'
import type { UnfinishedStart } from '../catalog/server-cache.ts'
import type { DiscoverOptions } from '../config/discover-options.ts'
import type { FindCredential } from '../login/named-credential.ts'
import type { Agent } from '../model/agent.ts'
import type { HostEvent } from '../model/event.ts'
import type { Json } from '../model/json.ts'
import type { RuleOptions } from '../model/preset.ts'
import type { Discovery, Server } from '../model/server.ts'
import type { Status } from '../model/status.ts'
import type { TrustRequest } from '../config/trust/request-trust.ts'
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
  readonly limits?: Partial<HostLimits>
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
  /** Receives every event, from the first one on. */
  readonly on?: (event: HostEvent) => void
  /** Closes the host. */
  readonly signal?: AbortSignal
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
  /** Does nothing if the servers, their trust and the problems are the same as before. */
  readonly ifChanged?: boolean
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
  /** Creates a narrower view for one conversation or agent; it shares the connections of the host. */
  scope(narrow: ScopeOptions): Promise<View & Disposable>
  /** The agents that `scope({ agent })` takes, as their files declare them now. */
  agents(): Promise<readonly Agent[]>
  /** Switches a server off, or on again, in one conversation. */
  switchServer(conversation: string, server: string, on: boolean): Promise<void>
  /** Calls the listener for each event from now on, in order; dispose the result to stop. */
  on(listener: (event: HostEvent) => void): Disposable
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
  /** Masks every secret that this host knows in a text. */
  redact(text: string): string
  /** Stops all servers. A second call no longer waits for servers that are slow to end. */
  close(): Promise<void>
}
