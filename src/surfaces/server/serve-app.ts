import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { join, relative, resolve } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { version } from '../../index.ts'
import type { DiscoverOptions, Host } from '../../index.ts'
import type { OwnStore } from '../../store.ts'
import type { FeedEvent, Snapshot } from '../api/feed.ts'
import type { AppFrames } from '../../internal.ts'
import { Areas } from './areas.ts'
import { EventFeed } from './event-feed.ts'
import { createHttpApp } from './http-app.ts'
import { toMaskedJson } from './masked-json.ts'
import { RunningServers } from './running-servers.ts'
import { followLines } from './said-lines.ts'
import type { ServeContext } from './serve-context.ts'
import { WireLog } from './offers/wire-log.ts'
import { openServeHost } from './serve-host.ts'
import { openServeDesk } from './talk/serve-desk.ts'
import { createCodes } from './terminal-codes.ts'

export interface ServeAppOptions {
  /** With `cwd`. */
  readonly discover: DiscoverOptions
  readonly cwd: string
  readonly home: string
  readonly isDemo: boolean
  readonly print: (text: string) => void
  readonly columns?: () => number | undefined
  readonly notShown?: string
  /** The variable by which an agent shows that it started this program (T48). */
  readonly agent?: string
  /** Where the page and the documents of apps are answered. */
  readonly places: () => Pick<ServeContext, 'origin' | 'linkTo'> & { readonly frames?: AppFrames | undefined }
}

/** The host of `serve` and the API for it. */
export interface ServeApp {
  readonly host: Host
  readonly feed: EventFeed
  /** Answers a request that has passed the guard. */
  answer(request: IncomingMessage, response: ServerResponse, passed: { readonly hasToken: boolean }): void
  /** Ends all streams, calls and servers. */
  close(): Promise<void>
}

/** Opens the host and everything that the API needs. Loading and opening it takes several times as long as answering with the page. */
export async function openServeApp(options: ServeAppOptions): Promise<ServeApp> {
  const { discover, cwd, home, isDemo, print } = options
  let host: Host | undefined
  const ending = new AbortController()
  // One for each request that runs.
  setMaxListeners(0, ending.signal)
  const redact = (text: string) => host?.redact(text) ?? text
  const toText = (value: unknown) => toMaskedJson(value, redact)
  const feed = new EventFeed(randomUUID(), (event: FeedEvent) => toText(event))
  let opened: Promise<OwnStore> | undefined
  const store = () =>
    (opened ??= import('../../store.ts')
      .then(({ openOwnStore }) => openOwnStore({ platform: discover.platform ?? {}, cwd, redact }))
      .catch((error: unknown) => {
        opened = undefined
        throw error
      }))
  const inputs: ServeContext['inputs'] = new Map()
  const wire = new WireLog()
  const desk = openServeDesk({ host: () => host, store, feed, isDemo, cwd, home, discover })
  const { frames } = options.places()
  host = await openServeHost({ discover, desk, inputs, wire, hasApps: frames !== undefined })
  desk.followCalls(host)
  const areas = new Areas(() => context)
  const context: ServeContext = {
    cwd,
    home,
    isDemo,
    discover,
    host,
    store,
    desk,
    feed,
    wire,
    running: new RunningServers(host),
    // Known when the first request comes: the host may be opened before the port is.
    get origin() {
      return options.places().origin
    },
    linkTo: (path) => options.places().linkTo(path),
    ...(frames && { frames }),
    inputs,
    codes: createCodes({
      print,
      ...(options.columns && { columns: options.columns }),
      ...(options.notShown !== undefined && { notShown: options.notShown }),
    }),
    ...(options.agent !== undefined && { agent: options.agent }),
    counts: () => areas.counts(),
    print,
    signal: ending.signal,
  }
  areas.followConfiguration()
  // From now on commands keep their calls, whose views this shows. What fails is tried again and said by what needs the store.
  store().catch(() => undefined)
  // Tasks that an earlier program began: their questions are asked here from now on. One whose server cannot be reached stays kept.
  host.tasks.resume().catch(() => undefined)
  const lines = followLines(host, feed)
  const app = createHttpApp({
    version,
    context,
    areas,
    feed,
    snapshot: shareWhileRunning(() => takeSnapshot(context, { areas, feed })),
    toText,
  })
  return {
    host,
    feed,
    answer(request, response, passed) {
      const answer = getRequestListener(
        (sent) => app.fetch(sent, { incoming: request, outgoing: response, ...passed }),
        { overrideGlobalObjects: false },
      )
      void answer(request, response)
    },
    async close() {
      ending.abort()
      feed.close()
      areas.close()
      lines[Symbol.dispose]()
      await desk.close()
      await host.close()
      await (await opened?.catch(() => undefined))?.store?.close()
    },
  }
}

/** Events that are published meanwhile follow it: they carry whole states, so it does not matter if it has them. */
async function takeSnapshot(
  context: ServeContext,
  { areas, feed }: { readonly areas: Areas; readonly feed: EventFeed },
): Promise<Snapshot> {
  const { cwd, home, isDemo } = context
  const { epoch, seq } = feed
  const [parts, counts] = await Promise.all([areas.snapshot(), areas.counts()])
  return { version, epoch, seq, cwd, shownCwd: shownFolder(cwd, home), isDemo, counts, ...parts }
}

function shownFolder(cwd: string, home: string): string {
  const below = relative(home, cwd)
  if (below === '') return '~'
  return below.startsWith('..') || resolve(home, below) !== cwd ? cwd : join('~', below)
}

/** Calls that come while one runs share its result. */
function shareWhileRunning<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  return () => (running ??= work().finally(() => (running = undefined)))
}
