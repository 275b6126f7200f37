import type { Diagnostic, Host, Json, JsonObject, ServerStatus, Status } from '../../index.ts'
import { nextCommand } from '../../model/next-command.ts'
import { awayFailure, coarseState, shownFailure } from '../../model/status.ts'
import { isForModels } from '../../model/tool.ts'
import type { ToolDefinition } from '../../model/tool.ts'
import { toSentences } from '../diagnostic-sentence.ts'
import type { McpCallResult, McpClient, McpServerStatus } from './mcp-service.ts'

/** A server's status in Dispatch's format; `error` includes the next step. */
export function toMcpStatus(
  { name, status, held }: ServerStatus,
  { cwd, toolCount }: { readonly cwd: string; readonly toolCount: number },
): McpServerStatus {
  const error = errorOf(name, status, cwd)
  return {
    id: name,
    state: coarseState(status),
    ...(error !== undefined && { error }),
    toolCount: isConnected(status) ? toolCount : 0,
    ...(held !== undefined && { held }),
  }
}

/** D6, §2b: tools of other servers are missing in a turn. */
export function isConnected(status: Status): boolean {
  return status.state === 'ready' && !status.away
}

/** The error text of a status, if it has one. For an untrusted server it names the command that trusts it (C30). */
export function errorOf(server: string, status: Status, cwd: string): string | undefined {
  if (status.state === 'untrusted') {
    const what = status.reason === 'trust-changed' ? 'has changed since it was trusted' : 'is not trusted'
    return `"${server}" ${what}. Look at it and decide, in ${cwd}: ${nextCommand('trust --preset dispatch', server)}`
  }
  const failure = 'failure' in status ? shownFailure(server, status) : awayFailure(status)
  return failure && toSentences(failure, 'dispatch')
}

/** Statuses for unusable entries: they are not servers, but should appear in the list with their error. */
export function refusedStatuses(
  diagnostics: readonly Diagnostic[],
  known: ReadonlySet<string>,
): readonly McpServerStatus[] {
  const refused = new Map<string, McpServerStatus>()
  for (const diagnostic of diagnostics) {
    const { server, severity } = diagnostic
    if (server === undefined || severity !== 'error' || known.has(server) || refused.has(server)) continue
    refused.set(server, {
      id: server,
      state: 'error',
      error: toSentences(diagnostic, 'dispatch'),
      toolCount: 0,
    })
  }
  return [...refused.values()]
}

/** L5: one server of a host with the methods of Dispatch's plan. Its answers are passed on unchanged. */
export function createClient(host: Host, serverId: string): McpClient {
  return {
    serverId,
    get state() {
      const found = host.servers().find(({ name }) => name === serverId)
      return found ? coarseState(found.status) : 'disconnected'
    },
    initialize: () => host.connect(serverId),
    async listTools() {
      const { items } = await host.list(serverId, 'tools')
      const tools = items as unknown as readonly ToolDefinition[] // checked by the connection
      const held = new Set(
        host
          .held()
          .flatMap(({ server, offers }) =>
            server === serverId ? offers.flatMap(({ kind, name: of }) => (kind === 'tool' ? of : [])) : [],
          ),
      )
      return tools.filter((tool) => isForModels(tool) && !held.has(tool.name))
    },
    async callTool(name, args, signal) {
      const params: JsonObject = { name, arguments: (args ?? {}) as Json } // the server checks its arguments
      // Progress is always requested: each report extends the timeout of a long call.
      const result = await host.request(serverId, 'tools/call', params, {
        signal,
        onProgress: () => undefined,
      })
      return result as unknown as McpCallResult // as the server sent it
    },
    onToolsChanged: (listener) =>
      host.on((event) => {
        if (event.type === 'list.changed' && event.server === serverId && event.list === 'tools') listener()
      }),
  }
}
