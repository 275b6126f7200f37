import { readCache, writeCache } from './catalog/cache.ts'
import { CommandCache } from './config/command-values.ts'
import { capabilitiesOf, createAnswer } from './connections/answers.ts'
import { Complaints } from './connections/complaints.ts'
import { Connection } from './connections/connection.ts'
import type { ConnectionEvents, OpenLink } from './connections/connection-options.ts'
import type { LinkContext } from './connections/link.ts'
import { createLogFile, logPath } from './connections/log-file.ts'
import { openLink } from './connections/open-link.ts'
import { withinMs } from './connections/process-stop.ts'
import { RateCap } from './connections/rate-cap.ts'
import { Slots } from './connections/slots.ts'
import { createStartedFile } from './connections/started.ts'
import { sweepOrphans } from './connections/sweep.ts'
import type { HostContext } from './host.ts'
import { HostError } from './model/error.ts'
import type { ResolvedTransport } from './model/resolved.ts'
import type { Server } from './model/server.ts'
import type { Status } from './model/status.ts'
import { version } from './model/version.ts'
import { resolveServer } from './resolve.ts'
import { requestTrust } from './trust.ts'

/** The end does not wait any longer than this for a disk that does not answer (FI-27). */
const diskMs = 2000

interface Wanted {
  readonly id: string
  readonly initial: Status
  readonly lifecycle: 'lazy' | 'background' | 'eager'
}

/** What all connections of a host share, and how one is made of it. */
export async function createParts(context: HostContext) {
  const { platform, preset, limits, options, directories } = context
  const { clock, files, processes } = platform
  const slots = new Slots(clock, limits.spawns)
  const commands = new CommandCache()
  const started = createStartedFile({
    directory: directories.started,
    cwd: platform.cwd,
    files,
    processes,
    clock,
  })
  const swept = sweepOrphans(directories.started, { files, processes, clock }).catch(() => [])
  const { pid: hostPid } = await processes.self()
  const logs = new Map<string, ReturnType<typeof createLogFile>>()
  const answering = {
    elicit: options.elicit,
    sample: options.sample,
    roots: preset.connecting.hasRoots ? () => [platform.cwd] : undefined,
  }
  const self = {
    info: options.clientInfo ?? preset.connecting.clientInfo ?? { name: 'plugboard', version },
    capabilities: capabilitiesOf(answering),
  }

  const logOf = (id: string) => {
    const known = logs.get(id)
    if (known) return known
    const path = logPath(directories.logs, id)
    const log = createLogFile({
      path,
      files,
      clock,
      hostPid,
      redact: (text) => context.redactor.redact(text),
    })
    logs.set(id, log)
    return log
  }

  const resolve = async (server: Server, signal: AbortSignal): Promise<ResolvedTransport> => {
    const { trust, ...rest } = options
    const isGranted =
      trust === 'project' || (typeof trust === 'function' && (await isAllowed(server, trust, rest)))
    const { transport } = await resolveServer(server, {
      ...rest,
      ...(isGranted && { trust: 'project' as const }),
      platform,
      cache: commands,
      redactor: context.redactor,
      signal,
    })
    const { refuses } = preset.connecting
    if (refuses && refuses.kind === transport.kind) {
      throw new HostError('config.invalid', { server: server.name }, refuses.message)
    }
    return transport
  }

  const writing = new Set<Promise<void>>()
  const keep = (write: Promise<void>) => {
    writing.add(write)
    void write.finally(() => writing.delete(write))
  }

  const openOf = (server: Server): OpenLink => {
    const place = { directory: directories.cache, platform }
    return async (signal, { urgency, hurry, on }) => {
      on.step('resolving')
      const [transport, cache] = await Promise.all([resolve(server, signal), readCache(server, place)])
      const remembered = linkContext(server, { urgency, hurry, on, remembered: cache.era?.is })
      const link = await openLink(transport, remembered, signal).catch(async (error: unknown) => {
        // The verdict may be what is wrong; the next try finds out anew (D-3).
        if (cache.era) await writeCache(server, {}, place)
        throw error
      })
      const { era } = link.greeting
      if (server.protocol === 'auto' && cache.era?.is !== era) {
        keep(writeCache(server, { era: { is: era, at: new Date(clock.now()).toISOString() } }, place))
      }
      return link
    }
  }

  const linkContext = (
    server: Server,
    attempt: Pick<LinkContext, 'urgency' | 'hurry' | 'on' | 'remembered'>,
  ): LinkContext => ({
    ...attempt,
    server,
    protocol: server.protocol === 'auto' ? (preset.connecting.protocol ?? 'auto') : server.protocol,
    platform,
    redactor: context.redactor,
    slots,
    self,
    answer: createAnswer(server.name, answering),
    startupMs: options.startupMs ?? server.timeouts.startupMs ?? limits.startupMs,
    stop: preset.connecting.stop,
    limits,
  })

  const eventsOf = (server: Server, id: string): ConnectionEvents => {
    const { events } = context
    const about = { id, server: server.name }
    const said: ConnectionEvents['said'] = (stream, line) => {
      logOf(about.id).line(stream === 'stdout' ? `[stdout] ${line}` : line)
      events.emit({ type: 'server.said', ...about, stream, line })
    }
    const warned = (message: string) => {
      logOf(about.id).line(`[plugboard] ${message}`)
      events.emit({ type: 'server.warned', ...about, message })
    }
    const complaints = new Complaints(clock, { say: (line) => said('stdout', line), warn: warned })
    const rate = new RateCap(clock, (count) =>
      warned(`${count} of its notifications came too fast and are left out.`),
    )
    return {
      said,
      warned,
      changed: (status) => events.emit({ type: 'server.changed', ...about, status }),
      dropped: (what, sample) => complaints.dropped(what, sample),
      listChanged: (list) => events.emit({ type: 'list.changed', ...about, list }),
      notified({ method, params }) {
        if (rate.admits())
          events.emit({ type: 'server.notified', ...about, method, ...(params && { params }) })
      },
      started: ({ pid, startMark, command }) =>
        started.started({ ...about, name: server.name, pid, startMark, command }),
      ended: (mark) => started.stopped(mark),
    }
  }

  return {
    connect(server: Server, { id, initial, lifecycle }: Wanted): Connection {
      const { timeouts } = server
      return new Connection({
        server,
        clock,
        initial,
        open: openOf(server),
        timeouts: {
          startupMs: options.startupMs ?? timeouts.startupMs ?? limits.startupMs,
          callMs: timeouts.callMs ?? limits.callMs,
          maxCallMs: Math.max(limits.maxCallMs, timeouts.callMs ?? 0),
          ...(timeouts.idleMs !== undefined && lifecycle === 'lazy' && { idleMs: timeouts.idleMs }),
        },
        restart: server.restart ?? preset.connecting.restart,
        isKeptOpen: lifecycle !== 'lazy',
        random: Math.random,
        on: eventsOf(server, id),
      })
    },
    async close(): Promise<void> {
      const logged = [...logs.values()].map((log) => log.close())
      const written = Promise.all([started.close(), ...logged, ...writing])
      await Promise.all([swept, withinMs(diskMs, written, clock)])
    },
  }
}

/** What a function of the embedder says counts for this host alone. */
async function isAllowed(
  server: Server,
  decide: (request: Awaited<ReturnType<typeof requestTrust>>) => Promise<boolean>,
  options: Parameters<typeof requestTrust>[1],
): Promise<boolean> {
  const request = await requestTrust(server, options)
  return request.state !== 'trusted' && (await decide(request))
}
