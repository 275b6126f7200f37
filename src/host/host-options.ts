import type { AnswerInput, Answers } from '../model/answers.ts'
import type { Elicit, FindRoots, Sample } from '../connections/server-requests.ts'
import type { RequestOptions } from '../connections/send-with-retries.ts'
import type { ListName } from '../connections/link.ts'
import type { ServerList } from '../connections/server-lists.ts'
import type { DiscoverOptions } from '../config/discover-options.ts'
import type { FindCredential } from '../login/named-credential.ts'
import type { HostEvent } from '../model/event.ts'
import type { Json } from '../model/json.ts'
import type { RuleOptions } from '../model/preset.ts'
import type { Discovery, Server } from '../model/server.ts'
import type { Status } from '../model/status.ts'
import type { TrustRequest } from '../config/trust/request-trust.ts'
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
   * Who decides about what a project declares and nobody has trusted: `ask` leaves it out and says so, `project` takes
   * it, a function is asked when such a server is first needed. None of them is remembered beyond this host.
   */
  readonly trust?: 'ask' | 'project' | ((request: TrustRequest) => Promise<boolean>)
  /** Values for `${input:id}`, by their ids; or who asks a person for one when a trusted server first needs it. */
  readonly answers?: Answers | AnswerInput
  /** When servers are connected to; an entry's own word counts more, except over `on-demand`. */
  readonly lifecycle?: 'lazy' | 'background' | 'eager' | 'on-demand'
  /** How long servers may take to get ready, whatever their entries say. */
  readonly startupMs?: number
  /** Finds the access tokens of stored logins, for entries that name one. */
  readonly credentials?: FindCredential
  /** Answers what servers ask people; without it they are told that nobody can. */
  readonly elicit?: Elicit
  /** Lets servers ask a model. */
  readonly sample?: Sample
  /**
   * Lets servers ask where one works: `cwd` tells them the host's folder and those of open scopes. Without it they are
   * not told that they may ask.
   */
  readonly roots?: 'cwd' | FindRoots
  readonly limits?: Partial<HostLimits>
  /** Servers that are reached in another way than their entries say, by name: in memory, or from a recording. */
  readonly channels?: Readonly<Record<string, OpenChannel>>
  /** Stands between the host and a server, as a recorder does. */
  readonly wrapChannel?: (server: string, open: OpenChannel) => OpenChannel
  /** Hears every event from the first one on. */
  readonly on?: (event: HostEvent) => void
  /** Closes the host. */
  readonly signal?: AbortSignal
}

export interface HostLimits {
  readonly startupMs: number
  /** A call without an answer or progress, and a call in all. */
  readonly callMs: number
  readonly maxCallMs: number
  /** Of one message, and of one that is only skipped. */
  readonly maxBytes: number
  readonly hardMaxBytes: number
  readonly maxInFlight: { readonly stdio: number; readonly http: number }
  readonly maxQueued: number
  /** Programs started at once. */
  readonly spawns: number
}

export interface ServerStatus {
  readonly id: string
  readonly name: string
  readonly server: Server
  readonly status: Status
  /** What it offers is known: from disk, or from itself. */
  readonly isKnown: boolean
}

export interface ReadyOptions extends WaitOptions {
  /** Only these; all of them by default. */
  readonly servers?: readonly string[]
  /** `disk` starts nothing; `servers` asks them also where they are known. By default those that are not known are asked. */
  readonly from?: 'disk' | 'servers'
}

/**
 * Everything that is configured, as one object: a view of all tools, the connections behind it, and their events.
 *
 * @example
 * for (const { name, status } of host.servers()) console.log(name, status.state)
 * const view = await host.scope({ conversation: 'c1', tools: ['github__*'] })
 */
export interface Host extends View, AsyncDisposable {
  /** What was found, and everything that is wrong with it. */
  readonly discovery: Discovery
  servers(): readonly ServerStatus[]
  /**
   * Learns what servers offer: from disk where they were seen before, else by connecting once. Comes back when all are
   * known or failed, or when the time is up (10 s by default) and the rest goes on in the background.
   */
  ready(options?: ReadyOptions): Promise<void>
  /** A narrower look, for one conversation or agent; it shares the host's connections. */
  scope(narrow: ScopeOptions): Promise<View & Disposable>
  /** Switches a server off, or on again, in one conversation. */
  switchServer(conversation: string, server: string, on: boolean): Promise<void>
  on(listener: (event: HostEvent) => void): Disposable
  connect(server: string, options?: { readonly signal?: AbortSignal }): Promise<Greeting>
  /** Any request; the server is connected to if need be. */
  request(server: string, method: string, params?: object, options?: RequestOptions): Promise<Json>
  notify(server: string, method: string, params?: object): void
  /** All pages of a list; a definition nobody could use is left out alone. */
  list(
    server: string,
    list: ListName,
    options?: RequestOptions & { readonly fresh?: boolean },
  ): Promise<ServerList>
  /** Forgets what went wrong with a server, and connects to it anew. */
  restart(server: string, options?: { readonly signal?: AbortSignal }): Promise<Greeting>
  /** Lets a server go until somebody needs it again. */
  stop(server: string): Promise<void>
  /**
   * Reads the configuration anew: servers that are gone, changed or have failed are let go, new ones are learned, the
   * others stay connected. Views follow.
   */
  reload(): Promise<void>
  /** Clears a text of every secret this host knows. */
  redact(text: string): string
  /** Ends everything. Asked twice, it no longer waits for servers that take their time. */
  close(): Promise<void>
}
