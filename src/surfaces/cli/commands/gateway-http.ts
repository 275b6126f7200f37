import { dirname, resolve } from 'node:path'
import { HostError } from '../../../index.ts'
import { believePlatform, readSettings, settingsFile } from '../../../internal.ts'
import type { GatewaySettings, TokenIssuer } from '../../../internal.ts'
import type { Output } from '../../terminal/terminal-output.ts'
import { folderOf, worldOf } from '../command-context.ts'
import type { Cli } from '../command-context.ts'
import { discoverOptions } from '../discover-servers.ts'
import { EarlyExit, usage } from '../errors.ts'
import { exitCodes } from '../exit-codes.ts'
import type { GatewayFlags } from './gateway.ts'

/** How long running requests may take to end after the first signal. */
const usualStopSeconds = 10
/** Time for the store, after that for calls. */
const storeMs = 5000

/** Serves Streamable HTTP until Ctrl-C. */
export async function runHttp(
  cli: Cli,
  flags: GatewayFlags & { readonly port: number },
  output: Output,
): Promise<void> {
  const secret = ownSecret(cli)
  const settings = await readHttpSettings(cli, flags)
  await cli.signals.guard(async ({ signal, closeOnEnd }) => {
    const { openGateway } = await import('../../gateway/gateway.ts')
    const { openHttpFront } = await import('../../gateway/http/http-front.ts')
    const { KeyRing } = await import('../../gateway/callers/key-ring.ts')
    const { openOwnKeys } = await import('../../../store.ts')
    const warn = (message: string) => output.warn(message)
    let onChange = () => Promise.resolve()
    const { joinTeam } = await import('../../gateway/team/join-team.ts')
    const discover = { ...discoverOptions(cli, flags), cwd: folderOf(cli, flags) }
    const team = await joinTeam({
      discover,
      from: flags.from,
      quotaPortion: settings.quotaPortion,
      warn,
      note: (message) => output.note(message),
    })
    closeOnEnd(team)
    if (team.hasReplicas && secret === undefined) warn(withoutSecret)
    const spans = await openSpans(warn)
    if (spans) closeOnEnd(spans)
    const { source } = team
    const { HttpControl } = await import('../../gateway/operations/http-control.ts')
    const control = new HttpControl({ cwd: discover.cwd, preset: flags.preset ?? 'default' })
    const { HttpPerson } = await import('../../gateway/operations/http-person.ts')
    const person = new HttpPerson(discover, control.clients)
    const opened = await openGateway({
      watch: control.calls,
      person,
      discover,
      source,
      hasReplicas: team.hasReplicas,
      daily: team.daily,
      capabilities: () => ({ elicitation: { form: {}, url: {} }, sampling: {} }),
      secret,
      warn,
      onChange: () => void onChange(),
    })
    person.use(opened)
    let close = () => opened.close()
    closeOnEnd({ close: () => close() })
    const keys = new KeyRing({ open: () => openOwnKeys(worldOf(cli, flags)), warn })
    team.onKeys(() => keys.readAgain())
    // A database may be away when the first request comes.
    if (team.hasReplicas) keys.start()
    const { port, sessions = false } = flags
    const tokens = { platform: { ...cli.platform, cwd: folderOf(cli, flags) }, warn }
    const front = await openHttpFront(opened, {
      port,
      sessions,
      keys,
      settings,
      tokens,
      source,
      clients: control.clients,
    })
    onChange = () =>
      followIssuers({
        read: () => readHttpSettings(cli, flags),
        apply: (issuers) => front.applyIssuers(issuers),
        warn,
      })
    const stopMs = (settings.stopSeconds ?? usualStopSeconds) * 1000
    close = async () => {
      endLate(cli, signal, stopMs + storeMs)
      control.leave()
      await person.close()
      opened.endSubscriptions()
      await front.close({ deadlineMs: stopMs })
      await opened.close()
      control.close()
    }
    await control
      .listen(opened, front.url)
      .catch((error: unknown) => output.note(`plugboard serve cannot show its callers: ${String(error)}`))
    if (signal.aborted) return
    const { url, token } = front
    const shown = token === undefined ? {} : { token }
    output.result({ url, ...shown, pid: process.pid, sessions }, () =>
      [`Gateway: ${url}`, ...(token === undefined ? [] : [`Header:  Authorization: Bearer ${token}`])].join(
        '\n',
      ),
    )
    output.note(
      token === undefined
        ? 'Ctrl-C ends it. Callers need a key (plugboard keys add NAME) or a token of your issuers.'
        : 'Ctrl-C ends it. Keep the token to yourself: it is the key.',
    )
    await output.flush()
    await new Promise<void>((resolved) => signal.addEventListener('abort', () => resolved(), { once: true }))
  })
}

/** Spans of calls, if the variables of OpenTelemetry name a collector. */
async function openSpans(warn: (message: string) => void) {
  const { env } = process
  if (!env['OTEL_EXPORTER_OTLP_ENDPOINT'] && !env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']) return undefined
  const { CallSpans, spanTargetOf } = await import('../../gateway/operations/call-spans.ts')
  const target = spanTargetOf(env, warn)
  return target && new CallSpans(target, { warn })
}

/** A database that does not answer cannot keep the process: what is left for it, such as rows of the audit trail, is in files. */
function endLate(cli: Cli, signal: AbortSignal, ms: number): void {
  const end = () => {
    cli.process.stderr.write('The store does not answer; what it has not taken stays in files.\n')
    const { reason } = signal as { readonly reason: unknown }
    cli.process.exit(exitCodes[reason instanceof EarlyExit ? reason.exit : 'terminated'].code)
  }
  setTimeout(end, ms).unref()
}

/** Applies the issuers of the settings as they are now. If they cannot be read or applied, those in force stay. Never rejects. */
export async function followIssuers(parts: {
  readonly read: () => Promise<GatewaySettings>
  readonly apply: (issuers: readonly TokenIssuer[]) => Promise<void>
  readonly warn: (message: string) => void
}): Promise<void> {
  try {
    const { issuers = [] } = await parts.read()
    await parts.apply(issuers)
  } catch (error) {
    parts.warn(String(error))
  }
}

/** The settings of the person, with what the command line says in their place. */
async function readHttpSettings(cli: Cli, flags: GatewayFlags): Promise<GatewaySettings> {
  const cwd = folderOf(cli, flags)
  const { platform } = await believePlatform({ ...cli.platform, cwd })
  const { gateway: own = {} } = (await readSettings(platform)).settings
  const file = settingsFile(platform)
  if (own.isDamaged)
    throw new HostError(
      'config.invalid',
      { key: 'gateway' },
      `"gateway" in ${file} has a mistake, or the file cannot be read.`,
      {
        hint: 'See which one: plugboard doctor',
      },
    )
  const { host, tlsCert, tlsKey } = flags
  const inSettings = own.tls && {
    cert: resolve(dirname(file), own.tls.cert),
    key: resolve(dirname(file), own.tls.key),
  }
  const tls =
    tlsCert === undefined || tlsKey === undefined
      ? inSettings
      : { cert: resolve(cwd, tlsCert), key: resolve(cwd, tlsKey) }
  return { ...own, ...(host !== undefined && { host }), ...(tls && { tls }) }
}

const withoutSecret =
  'PLUGBOARD_GATEWAY_SECRET is not set: approvals, tasks and logins that began at this gateway fail at others with the same database, and after a restart. Set it to the same text of at least 32 characters on all of them.'

/** Shared by gateways that serve the same clients. A short one could be guessed from what it sealed. */
function ownSecret({ process: { env } }: Cli): string | undefined {
  const secret = env['PLUGBOARD_GATEWAY_SECRET']
  if (secret === undefined || secret === '') return undefined
  if (secret.length < 32) throw usage('PLUGBOARD_GATEWAY_SECRET must have at least 32 characters.')
  return secret
}
