import type { Logins } from '../login/logins.ts'
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
import type { OwnConnection } from '../connections/own-connections.ts'
import { withCredential } from '../login/named-credential.ts'
import type { HostContext } from './host-context.ts'
import { startupMsOf } from './host-context.ts'
import type { HostLimits } from './host-options.ts'
import { HostError } from '../model/error.ts'
import { nextCommand } from '../model/next-command.ts'
import type { OmittedValue } from '../config/values/resolve-trusted.ts'
import type { ResolvedTransport } from '../model/resolved.ts'
import type { Framing, Server } from '../model/server.ts'
import type { ServerResolver } from '../config/values/server-resolver.ts'
import type { ServerCaches } from './server-caches.ts'
import { requestTrust } from '../config/trust/request-trust.ts'

interface OpenerOptions extends Pick<LinkContext, 'self' | 'slots'> {
  readonly caches: ServerCaches
  readonly answering: RequestHandlers
}

/** Opens links to servers: resolves their values, passes the remembered era, and stores the negotiated one. */
export function createOpener(context: HostContext, { self, slots, answering, caches }: OpenerOptions) {
  const { platform, preset, options, redactor } = context
  const { channels = {}, wrapChannel } = options
  const grants = createTrustGrants(context)
  let loading: Promise<Logins> | undefined
  const logins = () => (loading ??= loadLogins(context))
  const transportOf = createTransports(context, grants, logins)

  const targetOf = async (server: Server, signal: AbortSignal, warn: Warn): Promise<Target> => {
    const replaced = Object.hasOwn(channels, server.name) ? channels[server.name] : undefined
    const channel = replaced ?? context.code()?.channelOf(server)
    return channel ? { kind: 'given', channel } : transportOf(server, signal, warn)
  }

  const openOf =
    (server: Server, own?: OwnConnection): OpenLink =>
    async (signal, { urgency, hurry, isTrial = false, on }) => {
      on.step('resolving')
      const [target, cache] = await Promise.all([
        targetOf(server, signal, (message) => on.warned(message)),
        caches.read(server),
      ])
      if (own?.caller !== undefined) await refuseSharedLogin(server, target)
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
        own: own?.key,
        caller: own?.caller,
        resolveAgain: () => transportOf(server, signal, (message) => on.warned(message), 'refresh'),
        redactor,
        slots,
        self,
        gateways: answering.relay?.gateways,
        answer: createAnswer(server.name, answering, (text) => redactor.maskKnown(text), own?.key),
        startupMs: startupMsOf(server, context),
        stop: preset.connecting.stop,
        limits: limitsOf(server, context),
        ...(wrapChannel && { wrapChannel: (open) => wrapChannel(server.name, open) }),
      }
      const link = await openLink(target, attempt, signal).catch((error: unknown) => {
        // The remembered era may be wrong: forget it, so that the next attempt negotiates again (D-3).
        if (cache.era) caches.change(server, { era: undefined })
        throw error
      })
      const { era } = link.greeting
      if (attempt.protocol === 'auto' && cache.era?.is !== era) {
        caches.change(server, { era: { is: era, at: new Date(platform.clock.now()).toISOString() } })
      }
      return link
    }
  /** Asks the embedder for trust before the startup timeout begins, and only while a caller waits. */
  const prepareOf = (server: Server) =>
    grants.asks
      ? async (signal: AbortSignal) => void (await unlessCancelled(grants.isGranted(server), signal))
      : undefined
  const close = async () => (await loading)?.close()
  return { openOf, prepareOf, close }
}

/** The limits of a link, with the number of requests at a time that the program gives this server. */
function limitsOf({ name, origin }: Server, { limits, options }: HostContext): HostLimits {
  const count = options.maxInFlight?.(name, origin.authority === 'project')
  return count === undefined ? limits : { ...limits, maxInFlight: { stdio: count, http: count } }
}

/** T31: a request of a caller must not go out with what is not its own. */
async function refuseSharedLogin({ name }: Server, target: Target): Promise<void> {
  const { whyNotPerCaller } = await import('../login/token-headers.ts')
  const why = target.kind === 'given' ? 'a program connects it' : whyNotPerCaller(target)
  if (why === undefined) return
  const message = `Callers cannot log in to "${name}" with accounts of their own: ${why}.`
  throw new HostError('config.invalid', { server: name }, message, {
    hint: 'Change its entry, or "credentials" of the server under "gateway.servers" in the settings of the gateway.',
  })
}

async function loadLogins({ platform, directories, redactor, team }: HostContext): Promise<Logins> {
  const { Logins: Opened } = await import('../login/logins.ts')
  return new Opened({
    platform,
    directory: directories.logins,
    shared: await team?.logins(),
    redactor,
    async findProvider(server, name) {
      const { findIdentityProvider } = await import('./identity-providers.ts')
      return findIdentityProvider(server, name, { platform, redactor })
    },
  })
}

type Warn = (message: string) => void

/** Warns of values that are left out, because the server's own error will not name them (O12, T53). */
function warnOmitted(omitted: readonly OmittedValue[], warn: Warn): void {
  for (const { field, key, name } of omitted)
    warn(
      field === 'envFile'
        ? `${key} of the envFile ${redactWords(name)} is ignored: it decides what programs load or run.`
        : `${field}.${key} is left out: ${redactWords(name)} gave no value.`,
    )
}

/** T03: another file of the same name, earlier in PATH, runs with everything that was trusted. */
function movedSentence(name: string, { from, to }: { readonly from: string; readonly to: string }): string {
  const again = `${nextCommand('untrust', name)}, then ${nextCommand('trust', name)}`
  return `It runs ${to}; when it was trusted, its program was ${from}. If that is right, trust it again: ${again}`
}

/** T133: said once by a host; the trust stays valid. */
function uncoveredSentence(name: string, scripts: readonly string[]): string {
  const again = `${nextCommand('untrust', name)}, then ${nextCommand('trust', name)}`
  const [is, them] = scripts.length === 1 ? ['is', 'it'] : ['are', 'them']
  return `${scripts.join(', ')} ${is} run and not pinned: the trust is from a version that did not look for ${them}. To pin ${them}: ${again}`
}

/** Resolves the transport of a server with its values; refuses a server that is not trusted. */
function createTransports(
  { platform, preset, options, redactor }: HostContext,
  grants: TrustGrants,
  logins: () => Promise<Logins>,
) {
  const { trust: _asked, answers, ...rest } = options
  const given = answers && { answers: rememberAnswers(answers) }
  let commands = new CommandCache()
  const toldUncovered = new Set<string>()
  let resolver: Promise<ServerResolver> | undefined
  return async (
    server: Server,
    signal: AbortSignal,
    warn: Warn,
    how: 'cached' | 'refresh' = 'cached',
  ): Promise<ResolvedTransport> => {
    if (how === 'refresh') commands = new CommandCache()
    const resolve = await (resolver ??= createResolver({ ...rest, platform }))
    const {
      transport: declared,
      omitted,
      outside,
      moved,
      uncovered,
    } = await resolve(server, {
      ...((await grants.isGranted(server)) && { trust: 'project' }),
      ...given,
      cache: commands,
      redactor,
      signal,
    })
    warnOmitted(omitted, warn)
    if (moved) warn(movedSentence(server.name, moved))
    if (uncovered && !toldUncovered.has(server.id)) {
      toldUncovered.add(server.id)
      warn(uncoveredSentence(server.name, uncovered))
    }
    const transport = await withCredential(declared, {
      find: options.credentials ?? (async (id) => (await logins()).tokenOf(id)),
      // A stored login is renewed while it is used; a header would keep the old token.
      isHandledElsewhere: options.credentials === undefined && declared.kind !== 'stdio',
      redactor,
      warn,
    })
    const { refuses, framing } = preset.connecting
    if (refuses?.kind !== transport.kind) {
      const ready = framed(transport, framing)
      if (!server.runner || ready.kind !== 'stdio') return ready
      const { boxed } = await import('./boxes/boxed-server.ts')
      return boxed(server, server.runner, ready, { platform, outside: outside ?? {} })
    }
    throw new HostError('config.invalid', { server: server.name }, refuses.message)
  }
}

function framed(transport: ResolvedTransport, framing: Framing = 'auto'): ResolvedTransport {
  return transport.kind === 'stdio' && transport.framing === 'auto' ? { ...transport, framing } : transport
}

interface TrustGrants {
  isGranted(server: Server): Promise<boolean>
  /** Whether the embedder has to be asked. */
  readonly asks: boolean
}

/**
 * Calls the embedder's `trust` function once per server, and again when its envFile sets something else (T53). The answer
 * holds only for this host.
 */
function createTrustGrants({ options }: HostContext): TrustGrants {
  const { trust, ...rest } = options
  if (typeof trust !== 'function') return { asks: false, isGranted: async () => trust === 'project' }
  interface Answer {
    readonly seal: string | undefined
    readonly isGranted: boolean
  }
  const answers = new Map<Server, Promise<Answer>>()
  const ask = async (server: Server, before?: Answer): Promise<Answer> => {
    const request = await requestTrust(server, rest)
    const seal = request.envFile?.hash
    if (before && before.seal === seal) return before
    return { seal, isGranted: request.state !== 'trusted' && (await trust(request)) }
  }
  return {
    asks: true,
    async isGranted(server) {
      const known = answers.get(server)
      const { transport } = server
      const isFinal = known && !(transport.kind === 'stdio' && transport.envFile !== undefined)
      const answer = isFinal ? known : known ? known.then((before) => ask(server, before)) : ask(server)
      answers.set(server, answer)
      // A failed question has no answer: ask again next time.
      answer.catch(() => answers.delete(server))
      return (await answer).isGranted
    },
  }
}
