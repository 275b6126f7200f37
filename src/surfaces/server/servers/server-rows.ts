import { HostError } from '../../../index.ts'
import type { Discovery, Input, Server, ServerStatus } from '../../../index.ts'
import { findServer, initialAnswer } from '../../../internal.ts'
import type { ServerRow } from '../../api/server-routes.ts'
import { countWaiting } from '../../facts/definitions/held-facts.ts'
import { endpointText } from '../../facts/endpoint-text.ts'
import { nextSteps, stepFor } from '../../facts/next-steps.ts'
import { describePlace } from '../../facts/place-facts.ts'
import { describeState } from '../../facts/state-facts.ts'
import { escapeLine } from '../../terminal/escape.ts'
import type { ServeContext } from '../serve-context.ts'
import type { OfferCounts } from './offer-counts.ts'
import { recordOf } from './server-record.ts'
import { shortener } from './shown-paths.ts'

/** Every server in force, as it is now. */
export function serverRows(context: ServeContext): readonly ServerRow[] {
  const offers = recordOf(context).offers()
  return context.host.servers().map((server) => toRow(context, server, offers))
}

/** The rows of these servers; one that is gone has none. */
export function rowsNamed(context: ServeContext, names: ReadonlySet<string>): readonly ServerRow[] {
  const servers = context.host.servers().filter(({ name }) => names.has(name))
  const offers = recordOf(context).offers()
  return servers.map((server) => toRow(context, server, offers))
}

/** The row of one server; throws `server.unknown` with similar names. */
export function rowOf(context: ServeContext, name: string): ServerRow {
  const { name: found } = findServer(context.host.discovery, name)
  const [row] = rowsNamed(context, new Set([found]))
  if (row) return row
  throw new HostError('server.unknown', { server: name, near: [] }, `There is no server "${name}".`)
}

function toRow(context: ServeContext, found: ServerStatus, offers: OfferCounts): ServerRow {
  const { id, name, server, status, isKnown } = found
  const held = countWaiting(context.host).get(name) ?? 0
  const { running, feed } = context
  const { discovery } = context.host
  const { origin, transport } = server
  // A server whose list failed offers nothing that is known; before that it is asked.
  const unlisted = isKnown ? undefined : running.unlistedOf(name)
  const isOffering = isKnown || (status.state === 'ready' && unlisted === undefined)
  const pid = running.pidOf(name)
  const { count, tokens } = offers.tools.get(name) ?? { count: 0, tokens: 0 }
  return {
    name,
    id,
    ...(server.title !== undefined && { title: escapeLine(server.title) }),
    transport: transport.kind === 'channel' ? 'http' : transport.kind,
    endpoint: escapeLine(endpointText(server)),
    state: describeState({
      name,
      status,
      server,
      isRetried: feed.hasReaders && status.reason === 'crashed',
      unlisted,
      recovery: running.recoveryOf(name),
    }),
    next: [
      ...(held > 0 ? [{ ...stepFor('review', name), to: `/lock?server=${encodeURIComponent(name)}` }] : []),
      ...nextSteps({
        name,
        status,
        server,
        transport: transport.kind,
        missing: missingVariables(server, context),
        unanswered: inputsOf(server).filter((input) => !isAnswered(context, server, input)),
      }),
      ...waitingStep(name, discovery),
    ],
    ...(held > 0 && { held }),
    isEnabled: server.enabled,
    trust: origin.authority === 'project' ? (discovery.trust.get(server) ?? 'pending') : 'not-needed',
    isKnown,
    ...(isOffering && {
      tools: { count, hidden: offers.hidden.get(name) ?? 0, tokens },
      resources: offers.resources.get(name) ?? 0,
      prompts: offers.prompts.get(name) ?? 0,
    }),
    ...recordOf(context).factsOf(name),
    ...(pid !== undefined && { pid }),
    declared: describePlace(origin, shortener(context)),
    source: { client: origin.source, scope: origin.scope, authority: origin.authority },
    ...(status.state === 'ready' && { era: status.era, version: status.version }),
  }
}

/** The project's entry of the same name, which ranks higher and waits for trust. */
function waitingStep(name: string, { shadowed }: Discovery): ServerRow['next'] {
  const isWaiting = shadowed.some(({ server, trust }) => trust && server.name === name)
  return isWaiting ? [stepFor('trust', name, 'Review the project’s entry')] : []
}

const variable = /\$\{(?:env:)?([A-Za-z_]\w*)\}/g

/** The variables that an entry names and that are not set, if the configuration reports that some are missing. */
function missingVariables(server: Server, { host, discover }: ServeContext): readonly string[] {
  const { diagnostics } = host.discovery
  const env = discover.platform?.env ?? process.env
  if (!diagnostics.some((found) => found.code === 'missing-env' && found.server === server.name)) return []
  const text = JSON.stringify(server.declared.map(({ entry }) => entry))
  const names = [...text.matchAll(variable)].flatMap(([, name = '']) => name)
  return [...new Set(names)].filter((name) => !Object.hasOwn(env, name) || env[name] === undefined)
}

/** The inputs of a declaration, also those that it uses without a definition: they may be secrets. */
export function inputsOf(server: Server): readonly Input[] {
  const defined = server.inputs ?? []
  const used = [...JSON.stringify(server.transport).matchAll(/\$\{input:([^}"\\]+)\}/g)]
  const others = [...new Set(used.flatMap(([, id = '']) => id))].filter((id) =>
    defined.every((input) => input.id !== id),
  )
  return [...defined, ...others.map((id) => ({ id, secret: true }))]
}

export function isAnswered({ inputs }: ServeContext, { id }: Server, input: Input): boolean {
  return inputs.get(id)?.has(input.id) === true || initialAnswer(input) !== undefined
}
