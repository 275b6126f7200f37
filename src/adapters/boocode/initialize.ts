import { createHost, listAgents } from '../../index.ts'
import type { Diagnostic, Host, HostOptions, Status } from '../../index.ts'
import { toSentences } from '../diagnostic-sentence.ts'
import { refreshToolNames, replaceMcpTools } from './tool-tables.ts'
import type { ToolTables } from './tool-tables.ts'
import { loadToToolDef } from './tool-def.ts'
import type { McpToolDef, ToToolDef } from './tool-def.ts'

export interface InitializeOptions extends HostOptions {
  /** Told what a person should know: `app.log` of Fastify is one. */
  readonly log?: Log
}

export interface Log {
  warn(message: string): void
  error(message: string): void
}

/**
 * Starts the servers, waits for them, and registers their tools; one that fails is left out with a warning (P11, B1). From
 * then on the tables follow what servers say of their tools. Whoever started this closes the host, in Fastify's `onClose`.
 */
export async function initialize(
  tables: ToolTables,
  { log, ...options }: InitializeOptions = {},
): Promise<Host> {
  const native = tables.ALL_TOOLS.filter(({ route }) => !route)
  const toToolDef = await loadToToolDef()
  const given: HostOptions = { preset: 'boocode', native, ...options }
  const host = await createHost(given)
  try {
    if (log) tellTroubles(host, log)
    await host.ready()
    followTools(tables, host, toToolDef)
    if (log) {
      tellProblems(host, log)
      const { diagnostics } = await listAgents(given)
      for (const problem of diagnostics) log.warn(toLine(problem))
    }
    return host
  } catch (error) {
    await host.close()
    throw error
  }
}

/** Registers what servers offer, now and whenever that changes. */
function followTools(tables: ToolTables, host: Host, toToolDef: ToToolDef): void {
  let known: readonly McpToolDef[] = []
  const register = () => {
    const now = [...lost(known, host), ...host.tools().map((tool) => toToolDef(host, tool))]
    replaceMcpTools(tables, known, now)
    refreshToolNames(tables)
    known = now
  }
  register()
  host.on(({ type }) => {
    if (type === 'catalog.changed') register()
  })
}

/** Tools of a server that is down stay: a call tells the model, which can then do without (P12). */
function lost(known: readonly McpToolDef[], host: Host): readonly McpToolDef[] {
  const down = new Set(host.servers().flatMap(({ name, status }) => (troubleOf(status) ? name : [])))
  return known.filter(({ route }) => down.has(route.server))
}

/** What is wrong with the configuration, and with servers: at the start, and whenever that changes. */
function tellTroubles(host: Host, log: Log): void {
  const tell = (diagnostics: readonly Diagnostic[]) => {
    for (const each of diagnostics) if (each.severity !== 'info') log.warn(host.redact(toLine(each)))
  }
  const down = new Set<string>()
  tell(host.discovery.diagnostics)
  for (const { name, status } of host.servers()) {
    const trouble = troubleOf(status)
    if (!trouble) continue
    down.add(name)
    log.warn(`MCP server "${name}" is left out. ${trouble}`)
  }
  host.on((event) => {
    if (event.type === 'config.changed') tell(event.diagnostics)
    if (event.type !== 'server.changed') return
    const { server, status } = event
    const trouble = troubleOf(status)
    // One that is down and fails once more is no news.
    if (trouble && !down.has(server)) log.error(`MCP server "${server}" is unavailable. ${trouble}`)
    if (trouble) down.add(server)
    else if (status.state === 'ready') down.delete(server)
  })
}

/** What is wrong with what servers offer, such as two tools of one name: each once, also where it comes later (B11). */
function tellProblems(host: Host, log: Log): void {
  const told = new Set<string>()
  const tell = () => {
    for (const line of host.problems().map(toLine)) {
      if (!told.has(line)) log.warn(line)
      told.add(line)
    }
  }
  tell()
  host.on(({ type }) => {
    if (type === 'catalog.changed') tell()
  })
}

function troubleOf(status: Status): string | undefined {
  if (status.state !== 'failed' && status.state !== 'needs-auth') return undefined
  return toSentences(status.failure, 'boocode')
}

function toLine({ origin, server, ...said }: Diagnostic): string {
  const place = origin ? `${origin.file}${origin.line === undefined ? '' : `:${origin.line}`}: ` : ''
  const isNamed =
    server === undefined || [`"${server}"`, `${server}/`].some((name) => said.message.includes(name))
  return place + (isNamed ? '' : `"${server}": `) + toSentences(said, 'boocode')
}
