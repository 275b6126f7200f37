import type { Json } from '../model/json.ts'
import { isObject } from '../model/json.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import type { Preview, ResolvedValues } from '../model/resolved.ts'
import type { Discovery, Origin, Server, ShadowedServer } from '../model/server.ts'

export interface ListedServer {
  readonly name: string
  readonly [key: string]: unknown
}

export interface Listing {
  readonly servers: readonly ListedServer[]
  readonly shadowed: readonly Record<string, unknown>[]
  readonly diagnostics: readonly Record<string, unknown>[]
}

/** The flat JSON of `list --json`: raw values, with `resolved` beside them if the discovery has a preview. */
export function toListing(discovery: Discovery): Listing {
  const { trust, trustKeys, resolved } = discovery
  return {
    servers: discovery.servers.map((server) => ({
      ...toListed(server),
      ...present({
        trust: trust.get(server),
        hash: trustKeys?.get(server),
        resolved: completeValues(resolved?.get(server)),
      }),
    })),
    shadowed: discovery.shadowed.map((each) => toShadowed(each, trustKeys?.get(each.server))),
    diagnostics: toListedDiagnostics(discovery.diagnostics),
  }
}

/** The resolved values if all of them are known. A partial preview is left out: programs could not use it. */
function completeValues({ login: _login, unresolved, ...values }: Preview = {}): ResolvedValues | undefined {
  return unresolved || Object.keys(values).length === 0 ? undefined : values
}

function toListed(server: Server): ListedServer {
  const { name, transport, enabled, timeouts, tools, origin } = server
  const stdio = transport.kind === 'stdio' ? transport : undefined
  const remote = transport.kind === 'stdio' ? undefined : transport
  return {
    name,
    transport: transport.kind,
    command: stdio?.command ?? remote?.launch?.command ?? null,
    args: stdio?.args ?? remote?.launch?.args ?? [],
    env: transport.env ?? {},
    cwd: stdio?.cwd ?? null,
    url: remote?.url ?? null,
    headers: remote?.headers ?? {},
    enabled,
    timeoutMs: timeouts.callMs ?? null,
    startupTimeoutMs: timeouts.startupMs ?? null,
    allowedTools: tools.allow,
    deniedTools: tools.deny,
    ...present({
      autoApprove: tools.autoApprove,
      fallback: remote?.fallback,
      socketPath: remote?.socketPath,
      headersCommand: remote?.headersCommand,
      tls: remote?.tls,
      auth: listedAuth(transport.auth),
      passEnv: stdio?.passEnv,
      secretEnv: transport.secretEnv,
      unsetEnv: stdio?.unsetEnv,
      envFile: stdio?.envFile,
      inheritEnv:
        typeof server.extra['inheritEnv'] === 'boolean' ? stdio?.inheritEnv : stdio?.inheritEnv || undefined,
      lifecycle: lifecycleOf(server),
      disabledBy: server.disabledBy,
      forceEnabledBy: server.forceEnabledBy,
      approval: server.approval,
      title: server.title,
      // How a person is asked for one is no part of what is declared.
      inputs: server.inputs?.map(({ question: _question, ...input }) => input),
      sandbox: server.sandbox,
      runner: server.runner,
      runnerNotes: server.runnerNotes,
      watch: server.watch,
      mergedFrom: server.mergedFrom?.map(({ file }) => file),
    }),
    source: { client: origin.source, scope: origin.scope, file: origin.file, pointer: origin.pointer },
    line: origin.line,
    id: server.id,
  }
}

/** Leaves out the id of a stored credential: it is of no use in a list and could be misused elsewhere. */
function listedAuth(auth: Server['transport']['auth']): unknown {
  if (!auth) return undefined
  const { credentialId: _hidden, ...shown } = auth
  return shown
}

function lifecycleOf(server: Server): Json | undefined {
  const declared = server.extra['lifecycle']
  const mode = isObject(declared) ? declared['mode'] : (declared ?? server.lifecycle)
  if (mode === undefined) return undefined
  return { mode, ...(server.timeouts.idleMs !== undefined && { idleTimeoutMs: server.timeouts.idleMs }) }
}

function toShadowed({ server, by, trust }: ShadowedServer, hash?: string): Record<string, unknown> {
  const { scope, file, pointer, line } = server.origin
  return {
    name: server.name,
    scope,
    file,
    pointer,
    line,
    by: where(by),
    ...(trust && present({ trust, hash })),
  }
}

function where({ scope, file }: Origin): Record<string, unknown> {
  return { scope, file }
}

/** Diagnostics as every JSON document has them. */
export function toListedDiagnostics(found: readonly Diagnostic[]): readonly Record<string, unknown>[] {
  return found.map(toListedDiagnostic)
}

function toListedDiagnostic({
  code,
  severity,
  message,
  hint,
  server,
  origin,
}: Diagnostic): Record<string, unknown> {
  return {
    code,
    severity,
    ...present({ file: origin?.file }),
    message,
    ...present({
      hint,
      pointer: origin?.pointer,
      server,
      line: origin?.line,
      // A pointer says more than a column; a text that does not parse has none.
      column: origin?.pointer === undefined ? origin?.column : undefined,
    }),
  }
}

function present(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}
