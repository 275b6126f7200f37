import { readCache, writeCache } from '../catalog/cache.ts'
import type { ServerCache } from '../catalog/cache.ts'
import { answerOnce } from '../config/answer-once.ts'
import { CommandCache } from '../config/command-values.ts'
import { createAnswer } from '../connections/answers.ts'
import type { Answering } from '../connections/answers.ts'
import { until } from '../connections/connection-errors.ts'
import type { OpenLink } from '../connections/connection-options.ts'
import type { LinkContext } from '../connections/link.ts'
import { openLink } from '../connections/open-link.ts'
import type { Target } from '../connections/open-link.ts'
import type { HostContext } from './host.ts'
import { HostError } from '../model/error.ts'
import type { ResolvedTransport } from '../model/resolved.ts'
import type { Server } from '../model/server.ts'
import { createResolver } from '../resolve.ts'
import type { Resolve } from '../resolve.ts'
import { requestTrust } from '../trust.ts'

interface Shared extends Pick<LinkContext, 'self' | 'slots'> {
  readonly answering: Answering
}

/** Opens links to servers: values looked up, what is known about the era brought along, and what was learned kept. */
export function createOpener(context: HostContext, { self, slots, answering }: Shared) {
  const { platform, preset, limits, options, redactor } = context
  const { channels = {}, through } = options
  const place = { directory: context.directories.cache, platform }
  const granting = createGranting(context)
  const transportOf = createTransports(context, granting)
  const writing = new Set<Promise<void>>()
  const remember = (server: Server, cache: Pick<ServerCache, 'era'>) => {
    const write = writeCache(server, cache, place)
    writing.add(write)
    void write.finally(() => writing.delete(write))
    return write
  }

  const targetOf = async (server: Server, signal: AbortSignal): Promise<Target> => {
    const channel = Object.hasOwn(channels, server.name) ? channels[server.name] : undefined
    return channel ? { kind: 'given', channel } : transportOf(server, signal)
  }

  const openOf =
    (server: Server): OpenLink =>
    async (signal, { urgency, hurry, on }) => {
      on.step('resolving')
      const [target, cache] = await Promise.all([targetOf(server, signal), readCache(server, place)])
      const attempt: LinkContext = {
        urgency,
        hurry,
        on,
        remembered: cache.era?.is,
        server,
        protocol: server.protocol === 'auto' ? (preset.connecting.protocol ?? 'auto') : server.protocol,
        platform,
        redactor,
        slots,
        self,
        answer: createAnswer(server.name, answering),
        startupMs: options.startupMs ?? server.timeouts.startupMs ?? limits.startupMs,
        stop: preset.connecting.stop,
        limits,
        ...(through && { through: (open) => through(server.name, open) }),
      }
      const link = await openLink(target, attempt, signal).catch(async (error: unknown) => {
        // The verdict may be what is wrong; the next try finds out anew (D-3).
        if (cache.era) await remember(server, {})
        throw error
      })
      const { era } = link.greeting
      if (attempt.protocol === 'auto' && cache.era?.is !== era) {
        void remember(server, { era: { is: era, at: new Date(platform.clock.now()).toISOString() } })
      }
      return link
    }
  /** The embedder is asked before the clock of the start runs, and only for as long as somebody waits. */
  const prepareOf = (server: Server) =>
    granting.asks
      ? async (signal: AbortSignal) => void (await until(granting.isGranted(server), signal))
      : undefined
  return { openOf, prepareOf, close: () => Promise.all(writing) }
}

/** How a server is reached, with its values; never of one that nobody trusts. */
function createTransports({ platform, preset, options, redactor }: HostContext, granting: Granting) {
  const { trust: _asked, answers, ...rest } = options
  const given = answers && { answers: answerOnce(answers) }
  const commands = new CommandCache()
  let resolver: Promise<Resolve> | undefined
  return async (server: Server, signal: AbortSignal): Promise<ResolvedTransport> => {
    const resolve = await (resolver ??= createResolver({ ...rest, platform }))
    const { transport } = await resolve(server, {
      ...((await granting.isGranted(server)) && { trust: 'project' }),
      ...given,
      cache: commands,
      redactor,
      signal,
    })
    const { refuses } = preset.connecting
    if (refuses?.kind !== transport.kind) return transport
    throw new HostError('config.invalid', { server: server.name }, refuses.message)
  }
}

interface Granting {
  isGranted(server: Server): Promise<boolean>
  /** Whether somebody has to be asked at all. */
  readonly asks: boolean
}

/** What a function of the embedder says counts for this host alone, and is asked for once. */
function createGranting({ options }: HostContext): Granting {
  const { trust, ...rest } = options
  if (typeof trust !== 'function') return { asks: false, isGranted: async () => trust === 'project' }
  const answers = new Map<Server, Promise<boolean>>()
  const ask = async (server: Server) => {
    const request = await requestTrust(server, rest)
    return request.state !== 'trusted' && trust(request)
  }
  return {
    asks: true,
    isGranted(server) {
      const known = answers.get(server)
      if (known) return known
      const answer = ask(server)
      answers.set(server, answer)
      // A question that failed was not answered.
      answer.catch(() => answers.delete(server))
      return answer
    },
  }
}
