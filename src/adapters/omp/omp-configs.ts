import { basename, dirname } from 'node:path'
import { discover, nodePlatform } from '../../index.ts'
import type { Diagnostic, DiscoverOptions, Json, JsonObject, Platform, Server, Values } from '../../index.ts'
import { isObject } from '../../model/json.ts'
import type { MCPServerConfig } from './omp-server-config.ts'

/** The client whose file declares a server. */
export interface MCPSource {
  readonly provider: 'native' | 'claude' | 'cursor' | 'vscode' | 'mcp-json'
  readonly providerName: string
  readonly level: 'user' | 'project'
  readonly path: string
}

export interface MCPConfigOptions extends Pick<DiscoverOptions, 'platform' | 'strictType' | 'trust'> {
  /** `false` ignores every file of the project. */
  readonly enableProjectConfig?: boolean
  /** Called for each problem in the files; the other entries still load (O10, O21). */
  readonly onDiagnostic?: (diagnostic: Diagnostic) => void
}

export interface MCPConfigs {
  readonly configs: Record<string, MCPServerConfig>
  readonly sources: Record<string, MCPSource>
}

/**
 * The servers declared for a directory: the highest-ranked declaration of each name, if valid and enabled (O1).
 * Variables are expanded in trusted entries; no command is run.
 */
export async function loadAllMCPConfigs(cwd: string, options: MCPConfigOptions = {}): Promise<MCPConfigs> {
  const { enableProjectConfig, onDiagnostic, ...discoverOptions } = options
  const { servers, trust, diagnostics } = await discover({
    ...discoverOptions,
    cwd,
    preset: 'omp',
    sources: ['oh-my-pi'],
    ...(enableProjectConfig === false && { projectFiles: false }),
  })
  for (const diagnostic of diagnostics) onDiagnostic?.(diagnostic)
  const { env } = nodePlatform(options.platform)
  const inForce = servers.filter(({ enabled }) => enabled)
  const configOf = (server: Server) =>
    trust.get(server) === 'trusted' ? expandEnvVarsDeep(toConfig(server), env) : toConfig(server)
  return {
    configs: Object.fromEntries(
      inForce.map((server) => [server.name, configOf(server) as unknown as MCPServerConfig]), // read from such an entry
    ),
    sources: Object.fromEntries(inForce.map((server) => [server.name, sourceOf(server)])),
  }
}

/** Keys that are written again from the parsed server. */
const rewrittenKeys = ['type', 'command', 'args', 'env', 'cwd', 'url', 'headers', 'enabled', 'timeout']

/** The entry in omp's own format, with an explicit `type` (O8). Other keys stay as they are. */
function toConfig({ transport, declared, enabled, timeouts }: Server): JsonObject {
  const entry = declared[0]?.entry ?? {}
  const rest = Object.fromEntries(Object.entries(entry).filter(([key]) => !rewrittenKeys.includes(key)))
  return {
    type: transport.kind,
    ...(transport.kind === 'stdio'
      ? {
          command: transport.command,
          ...(transport.args.length > 0 && { args: transport.args }),
          ...textsOf('env', transport.env),
          ...(transport.cwd !== undefined && { cwd: transport.cwd }),
        }
      : { url: transport.url, ...textsOf('headers', transport.headers) }),
    ...rest,
    ...(typeof entry['enabled'] === 'boolean' && { enabled }),
    ...(timeouts.callMs !== undefined && { timeout: timeouts.callMs }),
  }
}

function textsOf(field: 'env' | 'headers', values: Values): JsonObject {
  const texts = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : `\${${value.env}}`,
  ])
  return texts.length > 0 ? { [field]: Object.fromEntries(texts) as JsonObject } : {} // every value is a string
}

/** Expands `${VAR}` and `${VAR:-default}` in every string; an unset variable without a default stays literal (O9). */
function expandEnvVarsDeep(value: Json, env: Platform['env']): Json {
  if (typeof value === 'string') {
    return value.replace(/\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g, (text, name: string, fallback?: string) => {
      const found = env[name]
      return found === undefined || (found === '' && fallback !== undefined) ? (fallback ?? text) : found
    })
  }
  if (Array.isArray(value)) return value.map((item: Json) => expandEnvVarsDeep(item, env))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expandEnvVarsDeep(item, env)]))
}

/** Derived from the folder of the file, as omp's places are (O7). */
export function sourceOf({ origin: { file, authority } }: Pick<Server, 'origin'>): MCPSource {
  const folder = basename(dirname(file))
  const [provider, providerName] = providerIn(
    folder === 'agent' ? basename(dirname(dirname(file))) : folder,
    file,
  )
  return { provider, providerName, level: authority === 'project' ? 'project' : 'user', path: file }
}

function providerIn(folder: string, file: string): readonly [MCPSource['provider'], string] {
  if (folder === '.omp') return ['native', 'OMP']
  if (folder === '.claude' || basename(file) === '.claude.json') return ['claude', 'Claude Code']
  if (folder === '.cursor') return ['cursor', 'Cursor']
  return folder === '.vscode' ? ['vscode', 'VS Code'] : ['mcp-json', 'MCP JSON']
}
