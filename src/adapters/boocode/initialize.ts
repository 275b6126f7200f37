import { createHost, listAgents } from '../../index.ts'
import type { Diagnostic, Host, HostOptions, Status } from '../../index.ts'
import { awayFailure } from '../../model/status.ts'
import { heldSentences } from '../held-sentence.ts'
import { toSentences } from '../diagnostic-sentence.ts'
import { refreshToolNames, replaceMcpTools } from './tool-tables.ts'
import type { ToolTables } from './tool-tables.ts'
import { loadToToolDef } from './tool-def.ts'
import type { McpToolDef, ToToolDef } from './tool-def.ts'

export interface InitializeOptions extends HostOptions {
  /** Receives warnings and errors for people; Fastify's `app.log` fits. */
  readonly log?: Log
}

export interface Log {
  warn(message: string): void
  error(message: string): void
}

/**
 * Starts the servers, waits for them, at most 10 s, and registers their tools; a server that fails or is not ready by then
 * is left out with a warning (P11, B1).
 * Afterwards the tables follow the servers' tool lists. The caller closes the host, for example in Fastify's `onClose`.
 */
export async function initialize(
  tables: ToolTables,
  { log, ...options }: InitializeOptions = {},
): Promise<Host> {
  const native = tables.ALL_TOOLS.filter(({ route }) => !route)
  const toToolDef = await loadToToolDef()
  const hostOptions: HostOptions = {
    preset: 'boocode',
    native,
    ...options,
    // Without an option the settings decide; without a setting the preset, which is off.
    accept: options.accept ?? 'person',
  }
  const host = await createHost(hostOptions)
  try {
    if (log) {
      logServerFailures(host, log)
      logHeldOffers(host, log)
    }
    await host.ready()
    followTools(tables, host, toToolDef)
    if (log) {
      logUnfinishedStarts(host, log)
      logCatalogProblems(host, log)
      const { diagnostics } = await listAgents(hostOptions)
      for (const diagnostic of diagnostics) log.warn(toLogLine(diagnostic))
    }
    return host
  } catch (error) {
    await host.close()
    throw error
  }
}

/** Registers the servers' tools now and whenever they change. */
function followTools(tables: ToolTables, host: Host, toToolDef: ToToolDef): void {
  let known: readonly McpToolDef[] = []
  const register = () => {
    const current = [...toolsOfDownServers(known, host), ...host.tools().map((tool) => toToolDef(host, tool))]
    replaceMcpTools(tables, known, current)
    refreshToolNames(tables)
    known = current
  }
  register()
  host.on(({ type }) => {
    if (type === 'catalog.changed') register()
  })
}

/** Tools of a server that is down stay registered: calling one tells the model that the server is unreachable (P12). */
function toolsOfDownServers(known: readonly McpToolDef[], host: Host): readonly McpToolDef[] {
  const down = new Set(host.servers().flatMap(({ name, status }) => (failureText(status) ? name : [])))
  return known.filter(({ route }) => down.has(route.server))
}

/** Logs problems of the configuration and failures of servers: those at the start, then each change. */
function logServerFailures(host: Host, log: Log): void {
  const logDiagnostics = (diagnostics: readonly Diagnostic[]) => {
    for (const each of diagnostics) if (each.severity !== 'info') log.warn(host.redact(toLogLine(each)))
  }
  const down = new Set<string>()
  logDiagnostics(host.discovery.diagnostics)
  for (const { name, status } of host.servers()) {
    const failure = failureText(status)
    if (!failure) continue
    down.add(name)
    log.warn(`MCP server "${name}" is left out. ${failure}`)
  }
  host.on((event) => {
    if (event.type === 'config.changed') logDiagnostics(event.diagnostics)
    if (event.type !== 'server.changed') return
    const { server, status } = event
    const failure = failureText(status)
    // Logged once per outage: a server that is down may fail many times.
    if (failure && !down.has(server)) log.error(`MCP server "${server}" is unavailable. ${failure}`)
    if (failure) down.add(server)
    else if (status.state === 'ready') down.delete(server)
  })
}

/** Logs each offer that is held until a person has reviewed it, when that is seen. */
function logHeldOffers(host: Host, log: Log): void {
  host.on((event) => {
    if (event.type === 'offer.held')
      for (const sentence of heldSentences(event, 'boocode')) log.warn(host.redact(sentence))
  })
}

/** Servers that BooCode no longer waits for; it remembers no start times (C33), so a slow one is the same at each start. */
function logUnfinishedStarts(host: Host, log: Log): void {
  for (const { name, status } of host.servers())
    if (status.state === 'connecting')
      log.warn(`MCP server "${name}" is still starting after 10 s. Its tools are added when it is ready.`)
}

/** Logs each problem of the catalog once, such as two tools with one name, also when it appears later (B11). */
function logCatalogProblems(host: Host, log: Log): void {
  const logged = new Set<string>()
  const logNew = () => {
    for (const line of host.problems().map(toLogLine)) {
      if (!logged.has(line)) log.warn(line)
      logged.add(line)
    }
  }
  logNew()
  host.on(({ type }) => {
    if (type === 'catalog.changed') logNew()
  })
}

function failureText(status: Status): string | undefined {
  const isDown = status.state === 'failed' || status.state === 'needs-auth'
  const failure = isDown ? status.failure : awayFailure(status)
  return failure && toSentences(failure, 'boocode')
}

function toLogLine({ origin, server, ...rest }: Diagnostic): string {
  const place = origin ? `${origin.file}${origin.line === undefined ? '' : `:${origin.line}`}: ` : ''
  const isNamed =
    server === undefined || [`"${server}"`, `${server}/`].some((name) => rest.message.includes(name))
  return place + (isNamed ? '' : `"${server}": `) + toSentences(rest, 'boocode')
}
