import type { Logins } from '../login/logins.ts'
import { isObject } from '../model/json.ts'
import type { Json } from '../model/json.ts'
import { maskTexts } from '../model/mask-texts.ts'
import type { ResolvedTransport } from '../model/resolved.ts'
import type { Redactor } from '../model/secrets/redactor.ts'
import type { Server } from '../model/server.ts'
import type { Era, Step } from '../model/status.ts'
import type { Platform, ProcessMark } from '../platform/platform.ts'
import type { Channel, DropReason, OpenChannel } from '../wire/channel.ts'
import type { Greeting, ClientIdentity } from '../wire/eras/greeting.ts'
import { negotiate } from '../wire/eras/negotiate.ts'
import { Peer } from '../wire/eras/peer.ts'
import { subscriptionAcknowledged, listen } from '../wire/eras/subscription.ts'
import type { AnswerRequest } from '../wire/inbox.ts'
import type { Notification } from '../wire/message.ts'
import { Rpc } from '../wire/rpc.ts'
import type { DropCounts } from '../wire/rpc.ts'
import type { WireError } from '../wire/wire-error.ts'
import type { StopResult, StopStyle } from './process/process-stop.ts'
import { ServerLists } from './server-lists.ts'
import type { Slots, Urgency } from './slots.ts'

/** One agreement with a server, from its greeting to its end. */
export interface Link {
  readonly greeting: Greeting
  readonly kind: Channel['kind']
  readonly peer: Peer
  readonly lists: ServerLists
  readonly counts: DropCounts
  /** The reason, once the link has ended. */
  readonly ended: WireError | undefined
  readonly uses: UseCounter
  /** Fails open requests with this reason and releases everything started for the link. A second call does not wait. */
  close(reason: WireError): Promise<void>
  /** Closes the link when its requests in flight have finished. No close event is emitted. */
  retire(reason: WireError): Promise<void>
}

export interface LinkContext {
  readonly server: Server
  /** From the entry, or the preset. */
  readonly protocol: Server['protocol']
  readonly platform: Pick<
    Platform,
    'os' | 'spawn' | 'http' | 'clock' | 'processes' | 'files' | 'env' | 'cwd' | 'home' | 'run'
  >
  /** Stored logins; loaded with the first server that may need one. */
  readonly logins?: (() => Promise<Logins>) | undefined
  /** The key of a connection that is not shared. */
  readonly own?: string | undefined
  /** The caller of a gateway whose own login is used. */
  readonly caller?: string | undefined
  /** Resolves the values of the entry again, commands included. */
  readonly resolveAgain?: (() => Promise<ResolvedTransport>) | undefined
  /** Registers secrets found while connecting. */
  readonly redactor: Redactor
  readonly slots: Slots
  readonly urgency: () => Urgency
  /** Aborts when a cancelled attempt must not wait for its server any longer. */
  readonly hurry: AbortSignal
  readonly self: ClientIdentity
  /** Of a gateway: the ids of the gateways that requests pass. */
  readonly gateways?: (() => string) | undefined
  readonly answer: AnswerRequest
  readonly remembered: Era | undefined
  /** The server was paused after failures: it has to answer something before requests are sent. */
  readonly isTrial?: boolean
  readonly startupMs: number
  readonly stop: StopStyle
  readonly limits: LinkLimits
  /** Wraps the channel, as a recorder does. */
  readonly wrapChannel?: ((open: OpenChannel) => OpenChannel) | undefined
  readonly on: LinkEvents
}

export interface LinkLimits {
  readonly maxBytes: number
  readonly hardMaxBytes: number
  /** Concurrent requests, on a pipe and over HTTP. */
  readonly maxInFlight: { readonly stdio: number; readonly http: number }
  readonly maxQueued: number
  readonly maxQueuedBytes: number
}

export interface LinkEvents {
  step(step: Step): void
  /** A login for this server was stored: after it refused us, or with another account than the one in use. */
  loggedIn?(this: void, as: 'same' | 'other'): void
  /** The link ended on its own. */
  closed(error: WireError): void
  /** @param number Of the request on behalf of another client that it belongs to. */
  notified(notification: Notification, number?: number): void
  /** Every announced change, at once; `listChanged` follows, at most once a second. */
  listOutdated?(list: ListName): void
  listChanged(list: ListName): void
  dropped(what: DropReason, sample?: string): void
  warned(message: string): void
  said(stream: 'stderr' | 'stdout', line: string): void
  /** A program was started, or has exited. */
  started(process: ProcessMark & { readonly tag: string; readonly command: string }): void
  ended(process: ProcessMark): void
  /** Processes that are, or may be, still running after their program was stopped. */
  left(result: StopResult): void
}

export type ListName = 'tools' | 'resources' | 'prompts' | 'resourceTemplates' | 'skills'

/** How long to wait for an answer to the probe on a pipe. */
const probeGraceMs = 5000

export interface Handshake {
  readonly rpc: Rpc
  readonly greet: (protocol: Server['protocol']) => Promise<Link>
}

/** Starts JSON-RPC over a channel; `finish` releases what carries it. */
export function startRpc(
  open: OpenChannel,
  context: LinkContext,
  { signal, finish }: { readonly signal: AbortSignal; readonly finish: () => Promise<unknown> },
): Handshake {
  const { platform, self, on } = context
  let peer: Peer | undefined
  let lists: ServerLists | undefined
  let subscription: Subscription | undefined
  let isEnding = false
  let isClosing = false
  const uses = new UseCounter()
  let endReason: WireError | undefined
  const ended = new AbortController()
  const rpc: Rpc = new Rpc(context.wrapChannel?.(open) ?? open, {
    clock: platform.clock,
    maxInFlight: limitFor(context),
    maxQueued: context.limits.maxQueued,
    maxQueuedBytes: context.limits.maxQueuedBytes,
    onRequest: context.answer,
    onNotification(notification, number) {
      lists?.onNotification(notification.method)
      if (notification.method === subscriptionAcknowledged && !isOfResources(notification))
        subscription?.onAcknowledged()
      on.notified(notification, number)
    },
    onProgress: (progress, params) => peer?.receiveProgress(progress, params),
    onDropped: (what, sample) => on.dropped(what, sample),
    onClosed(error) {
      endReason = error
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
    await uses.idle()
    if (!isClosing) await close(reason)
  }
  return {
    rpc,
    async greet(protocol) {
      const { remembered, isTrial, startupMs } = context
      const greeted = await negotiate(rpc, {
        protocol,
        remembered,
        isTrial,
        self,
        signal,
        timeoutMs: startupMs,
        clock: platform.clock,
        probeGraceMs: Math.min(probeGraceMs, startupMs / 3),
      })
      const greeting = maskGreeting(greeted, context.redactor)
      peer = new Peer(rpc, {
        greeting,
        self,
        clock: platform.clock,
        answer: context.answer,
        paramHeadersOf: async (tool, options) => lists?.paramHeadersOf(tool, options),
        ended: ended.signal,
      })
      lists = new ServerLists(peer, {
        clock: platform.clock,
        hasHeaders: greeting.era === 'modern' && rpc.kind === 'http',
        isTaskless: peer.isTaskless,
        onOutdated: (list) => on.listOutdated?.(list),
        onChanged: (list) => on.listChanged(list),
        onWarning: (message) => on.warned(message),
      })
      subscription = subscribeToChanges(rpc, greeting, { context, lists, signal: ended.signal })
      return {
        greeting,
        kind: rpc.kind,
        peer,
        lists,
        uses,
        close,
        retire,
        get counts() {
          return rpc.counts
        },
        get ended() {
          return endReason
        },
      }
    },
  }
}

/** A server may name itself after a secret that it was given, or repeat one in its instructions (T35). */
function maskGreeting(greeting: Greeting, redactor: Redactor): Greeting {
  if (redactor.isEmpty) return greeting
  const json = greeting as unknown as Json // it was read from JSON
  return maskTexts(json, (text) => redactor.maskKnown(text)) as unknown as Greeting // masking changes only strings
}

/** An acknowledgment of a resource subscription, which is another stream. */
function isOfResources({ params }: Notification): boolean {
  const filter = params?.['notifications']
  return isObject(filter) && filter['resourceSubscriptions'] !== undefined
}

function limitFor({ server, limits }: LinkContext): number {
  const { kind } = server.transport
  return kind === 'stdio' || kind === 'channel' ? limits.maxInFlight.stdio : limits.maxInFlight.http
}

interface Subscription {
  /** The server has confirmed the subscription. */
  onAcknowledged(): void
}

interface SubscriptionContext {
  readonly context: LinkContext
  readonly lists: ServerLists
  readonly signal: AbortSignal
}

/** Modern servers announce changes only on a subscription. */
function subscribeToChanges(
  rpc: Rpc,
  greeting: Greeting,
  { context, lists, signal }: SubscriptionContext,
): Subscription | undefined {
  const changes = changesOf(greeting)
  if (changes.length === 0) return undefined
  const filter = Object.fromEntries(changes.map((name) => [`${name}ListChanged`, true]))
  let wasInterrupted = false
  const onInterrupted = () => (wasInterrupted = true)
  void listen(rpc, context.self, filter, { clock: context.platform.clock, signal, onInterrupted })
  return {
    onAcknowledged() {
      // Changes during the interruption were missed: assume that all lists changed.
      if (wasInterrupted)
        for (const name of changes) lists.onNotification(`notifications/${name}/list_changed`)
      wasInterrupted = false
    },
  }
}

/** The lists that the server announces changes of; all lists if there was no handshake. */
function changesOf({ era, capabilities, isAssumed }: Greeting) {
  if (era !== 'modern') return []
  return (['tools', 'prompts', 'resources'] as const).filter(
    (name) => isAssumed || declaresListChanged(capabilities[name]),
  )
}

function declaresListChanged(capability: Json | undefined): boolean {
  return (
    typeof capability === 'object' &&
    capability !== null &&
    'listChanged' in capability &&
    capability['listChanged'] === true
  )
}

/** Counts the requests in flight on a link, so that a retired link can wait for them. */
export class UseCounter {
  #count = 0
  #onIdle: (() => void) | undefined

  begin(): void {
    this.#count++
  }

  end(): void {
    this.#count--
    if (this.#count === 0) this.#onIdle?.()
  }

  /** Resolves when no request is in flight. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#count === 0) resolve()
      else this.#onIdle = resolve
    })
  }
}
