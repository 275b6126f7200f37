import type { Logins } from '../login/logins.ts'
import { isObject } from '../model/json.ts'
import type { Json } from '../model/json.ts'
import type { ResolvedTransport } from '../model/resolved.ts'
import type { Redactor } from '../model/secret.ts'
import type { Server } from '../model/server.ts'
import type { Era, Step } from '../model/status.ts'
import type { Platform } from '../platform/platform.ts'
import type { Channel, DroppedMessage, OpenChannel } from '../wire/channel.ts'
import type { Greeting, ClientIdentity } from '../wire/eras/greeting.ts'
import { negotiate } from '../wire/eras/negotiate.ts'
import { Peer } from '../wire/eras/peer.ts'
import { subscriptionAcknowledged, listen } from '../wire/eras/subscription.ts'
import type { AnswerRequest } from '../wire/inbox.ts'
import type { Notification } from '../wire/message.ts'
import { Rpc } from '../wire/rpc.ts'
import type { DropCounts } from '../wire/rpc.ts'
import type { WireError } from '../wire/wire-error.ts'
import type { StopStyle } from './process/process-stop.ts'
import { Lists } from './server-lists.ts'
import type { Slots, Urgency } from './slots.ts'

/** One live agreement with a server, from its greeting to its end. */
export interface Link {
  readonly greeting: Greeting
  readonly kind: Channel['kind']
  readonly peer: Peer
  readonly lists: Lists
  readonly counts: DropCounts
  /** Why it is gone, once it is. */
  readonly ended: WireError | undefined
  readonly inUse: InUse
  /** Ends open requests with this reason, and everything that was started for it. A second call does not wait. */
  close(reason: WireError): Promise<void>
  /** Ends it when what is under way is over. Nobody else is to be told, however it ends. */
  retire(reason: WireError): Promise<void>
}

export interface LinkContext {
  readonly server: Server
  /** What its entry says, or the preset. */
  readonly protocol: Server['protocol']
  readonly platform: Pick<
    Platform,
    'spawn' | 'http' | 'clock' | 'processes' | 'files' | 'env' | 'cwd' | 'home' | 'run'
  >
  /** Where a person is logged in; loaded with the first server that could want it. */
  readonly logins?: (() => Promise<Logins>) | undefined
  /** Looks the values of its entry up once more, commands included. */
  readonly again?: (() => Promise<ResolvedTransport>) | undefined
  /** Learns what turns out to be secret while connecting. */
  readonly redactor: Redactor
  readonly slots: Slots
  readonly urgency: Urgency
  /** Nobody waits any longer for what is let go before it was greeted. */
  readonly hurry: AbortSignal
  readonly self: ClientIdentity
  readonly answer: AnswerRequest
  readonly remembered: Era | undefined
  /** It was left alone after failures: it has to answer something before anybody's requests go out. */
  readonly isTrial?: boolean
  readonly startupMs: number
  readonly stop: StopStyle
  readonly limits: LinkLimits
  /** Stands between us and the server, as a recorder does. */
  readonly wrapChannel?: ((open: OpenChannel) => OpenChannel) | undefined
  readonly on: LinkEvents
}

export interface LinkLimits {
  readonly maxBytes: number
  readonly hardMaxBytes: number
  /** Requests under way: on a pipe, over HTTP. */
  readonly maxInFlight: { readonly stdio: number; readonly http: number }
  readonly maxQueued: number
}

export interface LinkEvents {
  step(step: Step): void
  /** Somebody has logged in to it: since it refused us, or as another account than the one it is used with. */
  loggedIn?(this: void, as: 'same' | 'other'): void
  /** It is gone, and it was not us. */
  closed(error: WireError): void
  notified(notification: Notification): void
  listChanged(list: ListName): void
  dropped(what: DroppedMessage, sample?: string): void
  warned(message: string): void
  said(stream: 'stderr' | 'stdout', line: string): void
  /** A program was started, or is gone. */
  started(process: { readonly pid: number; readonly startMark: string; readonly command: string }): void
  ended(process: { readonly pid: number; readonly startMark: string }): void
}

export type ListName = 'tools' | 'resources' | 'prompts' | 'resourceTemplates'

/** How long a pipe may be silent after the probe. */
const probeGraceMs = 5000

export interface Opened {
  readonly rpc: Rpc
  readonly greet: (protocol: Server['protocol']) => Promise<Link>
}

/** Speaks over an open channel; `finish` lets go of what carries it. */
export function talk(
  open: OpenChannel,
  context: LinkContext,
  { signal, finish }: { readonly signal: AbortSignal; readonly finish: () => Promise<unknown> },
): Opened {
  const { platform, self, on } = context
  let peer: Peer | undefined
  let lists: Lists | undefined
  let subscription: Subscription | undefined
  let isEnding = false
  let isClosing = false
  const inUse = new InUse()
  let gone: WireError | undefined
  const ended = new AbortController()
  const rpc: Rpc = new Rpc(context.wrapChannel?.(open) ?? open, {
    clock: platform.clock,
    maxInFlight: limitFor(context),
    maxQueued: context.limits.maxQueued,
    onRequest: context.answer,
    onNotification(notification) {
      lists?.notified(notification.method)
      if (notification.method === subscriptionAcknowledged && !isOfResources(notification))
        subscription?.holds()
      on.notified(notification)
    },
    onProgress: (progress, params) => peer?.receiveProgress(progress, params),
    onDropped: (what, sample) => on.dropped(what, sample),
    onClosed(error) {
      gone = error
      ended.abort(error)
      lists?.close()
      if (!isEnding) on.closed(error)
    },
  })
  const close = async (reason: WireError) => {
    isEnding = isClosing = true
    await Promise.all([rpc.close(reason), finish()])
  }
  const retire = async (reason: WireError) => {
    isEnding = true
    rpc.rejectQueued(reason)
    await inUse.idle()
    if (!isClosing) await close(reason)
  }
  return {
    rpc,
    async greet(protocol) {
      const { remembered, isTrial, startupMs } = context
      const greeting = await negotiate(rpc, {
        protocol,
        remembered,
        isTrial,
        self,
        signal,
        timeoutMs: startupMs,
        clock: platform.clock,
        probeGraceMs: Math.min(probeGraceMs, startupMs / 3),
      })
      peer = new Peer(rpc, {
        greeting,
        self,
        clock: platform.clock,
        answer: context.answer,
        paramHeadersOf: async (tool, options) => lists?.paramHeadersOf(tool, options),
        ended: ended.signal,
      })
      lists = new Lists(peer, {
        clock: platform.clock,
        hasHeaders: greeting.era === 'modern' && rpc.kind === 'http',
        isTaskless: peer.isTaskless,
        onChanged: (list) => on.listChanged(list),
        onWarning: (message) => on.warned(message),
      })
      subscription = follow(rpc, greeting, { context, lists, signal: ended.signal })
      return {
        greeting,
        kind: rpc.kind,
        peer,
        lists,
        inUse,
        close,
        retire,
        get counts() {
          return rpc.counts
        },
        get ended() {
          return gone
        },
      }
    },
  }
}

/** Another stream's: of updates of resources that somebody follows. */
function isOfResources({ params }: Notification): boolean {
  const filter = params?.['notifications']
  return isObject(filter) && filter['resourceSubscriptions'] !== undefined
}

function limitFor({ server, limits }: LinkContext): number {
  return server.transport.kind === 'stdio' ? limits.maxInFlight.stdio : limits.maxInFlight.http
}

interface Subscription {
  /** The server said that it tells of changes from now on. */
  holds(): void
}

interface Following {
  readonly context: LinkContext
  readonly lists: Lists
  readonly signal: AbortSignal
}

/** In the new era a server tells of changes only to those who listen. */
function follow(
  rpc: Rpc,
  greeting: Greeting,
  { context, lists, signal }: Following,
): Subscription | undefined {
  const changes = changesOf(greeting)
  if (changes.length === 0) return undefined
  const filter = Object.fromEntries(changes.map((name) => [`${name}ListChanged`, true]))
  let isDeaf = false
  const onInterrupted = () => (isDeaf = true)
  void listen(rpc, context.self, filter, { clock: context.platform.clock, signal, onInterrupted })
  return {
    holds() {
      // What changed while nobody listened was not told.
      if (isDeaf) for (const name of changes) lists.notified(`notifications/${name}/list_changed`)
      isDeaf = false
    },
  }
}

/** The lists a server tells of; one that was never asked is asked for all of them. */
function changesOf({ era, capabilities, isAssumed }: Greeting) {
  if (era !== 'modern') return []
  return (['tools', 'prompts', 'resources'] as const).filter((name) => isAssumed || tells(capabilities[name]))
}

function tells(capability: Json | undefined): boolean {
  return (
    typeof capability === 'object' &&
    capability !== null &&
    'listChanged' in capability &&
    capability['listChanged'] === true
  )
}

/** What is under way on a link. One that is let go in the middle of it stays until it is over. */
export class InUse {
  #count = 0
  #onIdle: (() => void) | undefined

  begin(): void {
    this.#count++
  }

  end(): void {
    this.#count--
    if (this.#count === 0) this.#onIdle?.()
  }

  /** When nothing is. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#count === 0) resolve()
      else this.#onIdle = resolve
    })
  }
}
