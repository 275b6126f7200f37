import type { Logins } from '../login/logins.ts'
import { readCache, writeEra } from '../catalog/server-cache.ts'
import type { ServerCache } from '../catalog/server-cache.ts'
import { rememberAnswers, createResolver } from '../config/values/server-resolver.ts'
import { CommandCache } from '../config/values/command-values.ts'
import { redactWords } from '../config/redact-text.ts'
import { createAnswer } from '../connections/server-requests.ts'
import type { RequestHandlers } from '../connections/server-requests.ts'
import { unlessCancelled } from '../connections/connection-errors.ts'
import type { OpenLink } from '../connections/connection-options.ts'
import type { LinkContext } from '../connections/link.ts'
import { openLink } from '../connections/open-link.ts'
import type { Target } from '../connections/open-link.ts'
import { withCredential } from '../login/named-credential.ts'
import type { HostContext } from './host-context.ts'
import { startupMsOf } from './host-context.ts'
import { HostError } from '../model/error.ts'
import type { OmittedValue } from '../config/values/resolve-trusted.ts'
import type { ResolvedTransport } from '../model/resolved.ts'
import type { Framing, Server } from '../model/server.ts'
import type { ServerResolver } from '../config/values/server-resolver.ts'
import { requestTrust } from '../config/trust/request-trust.ts'

interface Shared extends Pick<LinkContext, 'self' | 'slots'> {
  readonly answering: RequestHandlers
}

/** Opens links to servers: values looked up, what is known about the era brought along, and what was learned kept. */
export function createOpener(context: HostContext, { self, slots, answering }: Shared) {
  const { platform, preset, limits, options, redactor } = context
  const { channels = {}, wrapChannel } = options
  const place = { directory: context.directories.cache, platform }
  const granting = createGranting(context)
  let loading: Promise<Logins> | undefined
  const logins = () => (loading ??= loadLogins(context))
  const transportOf = createTransports(context, granting, logins)
  const writing = new Set<Promise<void>>()
  const remember = (server: Server, cache: Pick<ServerCache, 'era'>) => {
    const write = writeEra(server, cache, place)
    writing.add(write)
    void write.finally(() => writing.delete(write))
    return write
  }

  const targetOf = async (server: Server, signal: AbortSignal, warn: Warn): Promise<Target> => {
    const channel = Object.hasOwn(channels, server.name) ? channels[server.name] : undefined
    return channel ? { kind: 'given', channel } : transportOf(server, signal, warn)
  }

  const openOf =
    (server: Server): OpenLink =>
    async (signal, { urgency, hurry, isTrial = false, on }) => {
      on.step('resolving')
      const [target, cache] = await Promise.all([
        targetOf(server, signal, (message) => on.warned(message)),
        readCache(server, place),
      ])
      const attempt: LinkContext = {
        urgency,
        hurry,
        on,
        remembered: cache.era?.is,
        isTrial,
        server,
        protocol: server.protocol === 'auto' ? (preset.connecting.protocol ?? 'auto') : server.protocol,
        platform,
        logins,
        resolveAgain: () => transportOf(server, signal, (message) => on.warned(message), 'anew'),
        redactor,
        slots,
        self,
        answer: createAnswer(server.name, answering),
        startupMs: startupMsOf(server, context),
        stop: preset.connecting.stop,
        limits,
        ...(wrapChannel && { wrapChannel: (open) => wrapChannel(server.name, open) }),
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
      ? async (signal: AbortSignal) => void (await unlessCancelled(granting.isGranted(server), signal))
      : undefined
  const close = async () => {
    await (await loading)?.close()
    await Promise.all(writing)
  }
  return { openOf, prepareOf, close }
}

async function loadLogins({ platform, directories, redactor }: HostContext): Promise<Logins> {
  const { Logins: Opened } = await import('../login/logins.ts')
  return new Opened({ platform, directory: directories.logins, redactor })
}

type Warn = (message: string) => void

/** O12: what is left out is said, because the server will complain of something else. */
function tellOmitted(omitted: readonly OmittedValue[], warn: Warn): void {
  for (const { field, key, name } of omitted)
    warn(`${field}.${key} is left out: ${redactWords(name)} gave no value.`)
}

/** How a server is reached, with its values; never of one that nobody trusts. */
function createTransports(
  { platform, preset, options, redactor }: HostContext,
  granting: Granting,
  logins: () => Promise<Logins>,
) {
  const { trust: _asked, answers, ...rest } = options
  const given = answers && { answers: rememberAnswers(answers) }
  let commands = new CommandCache()
  let resolver: Promise<ServerResolver> | undefined
  return async (
    server: Server,
    signal: AbortSignal,
    warn: Warn,
    how: 'as-known' | 'anew' = 'as-known',
  ): Promise<ResolvedTransport> => {
    if (how === 'anew') commands = new CommandCache()
    const resolve = await (resolver ??= createResolver({ ...rest, platform }))
    const { transport: declared, omitted } = await resolve(server, {
      ...((await granting.isGranted(server)) && { trust: 'project' }),
      ...given,
      cache: commands,
      redactor,
      signal,
    })
    tellOmitted(omitted, warn)
    const transport = await withCredential(declared, {
      find: options.credentials ?? (async (id) => (await logins()).tokenOf(id)),
      // A login of ours is renewed while it is used, where a header would stay as it is.
      isHandledElsewhere: options.credentials === undefined && declared.kind !== 'stdio',
      redactor,
      warn,
    })
    const { refuses, framing } = preset.connecting
    if (refuses?.kind !== transport.kind) return framed(transport, framing)
    throw new HostError('config.invalid', { server: server.name }, refuses.message)
  }
}

function framed(transport: ResolvedTransport, framing: Framing = 'auto'): ResolvedTransport {
  return transport.kind === 'stdio' && transport.framing === 'auto' ? { ...transport, framing } : transport
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
