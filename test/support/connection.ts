import { Connection } from '../../src/connections/connection.ts'
import type { ConnectionOptions, OpenLink } from '../../src/connections/connection-options.ts'
import { startRpc } from '../../src/connections/link.ts'
import type { LinkContext } from '../../src/connections/link.ts'
import { openProcess } from '../../src/connections/open-process.ts'
import { Slots } from '../../src/connections/slots.ts'
import { Redactor } from '../../src/model/secrets/redactor.ts'
import type { Server } from '../../src/model/server.ts'
import type { Status } from '../../src/model/status.ts'
import { createFakeClock } from '../../src/testing/fake-clock.ts'
import type { FakeClock } from '../../src/testing/fake-clock.ts'
import { createFakePlatform } from '../../src/testing/fake-platform.ts'
import type { Channel } from '../../src/wire/channel.ts'
import { RpcError } from '../../src/wire/wire-error.ts'
import type { WireError } from '../../src/wire/wire-error.ts'
import { createScriptedSpawn } from './scripted-spawn.ts'
import type { ScriptedChild } from './scripted-spawn.ts'
import type { WireRequest } from './wire.ts'

/** Has only the fields that a connection reads. */
export const server = {
  name: 'x',
  id: 'x-1',
  entryHash: 'sha256:x',
  protocol: 'auto',
  transport: { kind: 'stdio', command: 'server', args: [], env: {}, framing: 'auto', inheritEnv: false },
  timeouts: {},
  origin: { source: 'plugboard' },
} as unknown as Server

const remoteServer = {
  ...server,
  transport: { kind: 'http', url: 'https://example.com', headers: {} },
} as Server

type Attempt = Pick<LinkContext, 'urgency' | 'hurry' | 'on'>

export function createLinkContext(
  clock: FakeClock,
  attempt: Attempt,
  more: Partial<LinkContext> = {},
): LinkContext {
  return {
    server,
    protocol: 'legacy',
    platform: createFakePlatform({ clock }),
    redactor: new Redactor(),
    slots: new Slots(clock),
    self: { info: { name: 'plugboard', version: '1.0.0' }, capabilities: {} },
    answer: async ({ method }) => {
      throw new RpcError(-32601, method)
    },
    remembered: undefined,
    startupMs: 30_000,
    stop: { eofGraceMs: 2000, termGraceMs: 3000 },
    limits: {
      maxBytes: 1_000_000,
      hardMaxBytes: 4_000_000,
      maxInFlight: { stdio: 64, http: 16 },
      maxQueued: 256,
      maxQueuedBytes: 1_000_000,
    },
    ...attempt,
    ...more,
  }
}

export interface ConnectedOptions extends Partial<Omit<ConnectionOptions, 'on' | 'clock' | 'open'>> {
  readonly clock?: FakeClock
  readonly on?: Partial<ConnectionOptions['on']>
}

export interface WatchedConnection {
  readonly connection: Connection
  readonly clock: FakeClock
  /** All statuses, in order. */
  readonly statuses: readonly Status[]
}

/** A connection that opens with `open`, and its statuses. */
export function watchConnection(
  open: (clock: FakeClock) => OpenLink,
  options: ConnectedOptions = {},
): WatchedConnection {
  const { clock = createFakeClock(), on, ...more } = options
  const statuses: Status[] = []
  const nothing = () => undefined
  const connection = new Connection({
    server,
    clock,
    initial: { state: 'idle', reason: 'declared', since: 0 },
    open: open(clock),
    timeouts: { startupMs: 30_000, callMs: 60_000, maxCallMs: 600_000 },
    restart: 'backoff',
    isKeptOpen: false,
    random: () => 0.5,
    ...more,
    on: {
      notified: nothing,
      listChanged: nothing,
      dropped: nothing,
      warned: nothing,
      said: nothing,
      started: nothing,
      ended: nothing,
      left: nothing,
      ...on,
      changed(status) {
        statuses.push(status)
        on?.changed?.(status)
      },
    },
  })
  return { connection, clock, statuses }
}

export const initialized = { protocolVersion: '2025-11-25', capabilities: { tools: {} } }

/** A correct server of the legacy era. */
export function goodChild(asked: WireRequest, child: Pick<ScriptedChild, 'answer'>): void {
  const { id, method, params } = asked
  child.answer(id, method === 'initialize' ? initialized : { echo: params['name'] ?? null })
}

export interface ProcessOptions extends ConnectedOptions {
  readonly script?: (asked: WireRequest, child: ScriptedChild) => void
  readonly context?: Partial<LinkContext>
  readonly endsWithInput?: boolean
}

/** A connection to a scripted program within this process. */
export function connectProcess({
  script = goodChild,
  context,
  endsWithInput,
  ...options
}: ProcessOptions = {}) {
  const spawned = createScriptedSpawn(script, endsWithInput === undefined ? {} : { endsWithInput })
  const watched = watchConnection(
    (clock) => (signal, attempt) =>
      openProcess(
        { kind: 'stdio', command: 'server', args: [], env: {}, framing: 'auto' },
        createLinkContext(clock, attempt, {
          platform: { ...createFakePlatform({ clock }), spawn: spawned.spawn },
          ...context,
        }),
        signal,
      ),
    options,
  )
  return { ...watched, spawned, children: spawned.children }
}

export interface Remote {
  readonly number: number
  readonly sent: readonly WireRequest[]
  readonly isOpen: boolean
  say(message: unknown): void
  answer(id: WireRequest['id'], result: unknown): void
  refuse(id: WireRequest['id'], code: number, message?: string): void
  fail(id: WireRequest['id'], error: WireError): void
}

/** A connection to a scripted remote server within this process. */
export function connectRemote(
  script: (asked: WireRequest, remote: Remote) => void,
  { context, ...options }: ConnectedOptions & { readonly context?: Partial<LinkContext> } = {},
) {
  const remotes: Remote[] = []
  const watched = watchConnection(
    (clock) => async (signal, attempt) => {
      const opened = startRpc(
        (receiver) => {
          const { channel, remote } = createRemote(remotes.length + 1, script, receiver)
          remotes.push(remote)
          return channel
        },
        createLinkContext(clock, attempt, { server: remoteServer, ...context }),
        { signal, finish: async () => undefined },
      )
      return opened.greet(context?.protocol ?? 'legacy').catch(async (error: unknown) => {
        await opened.rpc.close(error as WireError) // the link was never established
        throw error
      })
    },
    options,
  )
  return { ...watched, remotes }
}

function createRemote(
  number: number,
  script: (asked: WireRequest, remote: Remote) => void,
  receiver: Parameters<Parameters<typeof startRpc>[0]>[0],
): { readonly channel: Channel; readonly remote: Remote } {
  const sent: WireRequest[] = []
  let isOpen = true
  const remote: Remote = {
    number,
    sent,
    get isOpen() {
      return isOpen
    },
    say: (message) => isOpen && receiver.message(message),
    answer: (id, result) => isOpen && receiver.message({ jsonrpc: '2.0', id, result }),
    refuse: (id, code, message = 'no') =>
      isOpen && receiver.message({ jsonrpc: '2.0', id, error: { code, message } }),
    fail: (id, error) => isOpen && receiver.failed(id, error),
  }
  const channel: Channel = {
    kind: 'http',
    send(message) {
      if (!isOpen || !('method' in message) || !('id' in message)) return
      const asked = { id: message.id, method: message.method, params: message.params ?? {} }
      sent.push(asked)
      queueMicrotask(() => script(asked, remote))
    },
    abandon: () => 'told',
    speak: () => undefined,
    async close() {
      isOpen = false
    },
  }
  return { channel, remote }
}
