import { isForbiddenKey, isObject } from '../../model/json.ts'

/** How a server is logged in to. */
export interface MCPAuthConfig {
  readonly type: 'oauth' | 'apikey'
  /** Under which a login is stored. */
  readonly credentialId?: string
  readonly tokenUrl?: string
  readonly clientId?: string
  readonly clientSecret?: string
  readonly resource?: string
}

interface SharedConfig {
  readonly enabled?: boolean
  /** Milliseconds. */
  readonly timeout?: number
  readonly auth?: MCPAuthConfig
}

export interface MCPStdioServerConfig extends SharedConfig {
  readonly type?: 'stdio'
  readonly command: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

export interface MCPHttpServerConfig extends SharedConfig {
  readonly type: 'http'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface MCPSseServerConfig extends SharedConfig {
  readonly type: 'sse'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A server as omp's files declare it (O2). */
export type MCPServerConfig = MCPStdioServerConfig | MCPHttpServerConfig | MCPSseServerConfig

export interface MCPConfigFile {
  readonly mcpServers?: Readonly<Record<string, MCPServerConfig>>
  readonly disabledServers?: readonly string[]
  readonly enabledServers?: readonly string[]
}

/** What is wrong with the form of an entry; nothing is contacted (O3). An omitted `type` means stdio, whatever else it says. */
export function validateServerConfig(name: string, config: MCPServerConfig): string[] {
  const entry: unknown = config
  if (!isObject(entry)) return [`Server "${name}" is not an object`]
  const { type = 'stdio', command, url } = entry
  if (isGiven(command) && isGiven(url)) return [`Server "${name}" has both "command" and "url"; keep one`]
  if (type === 'http' || type === 'sse')
    return isGiven(url) ? [] : [`Server "${name}": ${type} requires "url"`]
  if (type !== 'stdio')
    return [`Server "${name}" has an unknown type ${JSON.stringify(type)}; it is stdio, http or sse`]
  if (isGiven(command)) return []
  const isMeantRemote = isGiven(url) && entry['type'] === undefined
  const advice = isMeantRemote ? '; without "type" it is stdio: set "type": "http"' : ''
  return [`Server "${name}": stdio requires "command"${advice}`]
}

function isGiven(value: unknown): boolean {
  return typeof value === 'string' ? value.trim() !== '' : value !== undefined && value !== null
}

/** What is wrong with a name for a new entry (O4). */
export function validateServerName(name: string): string | undefined {
  if (name === '') return 'Server name cannot be empty'
  if (name.length > 100) return 'Server name is longer than 100 characters'
  if (!/^[a-zA-Z0-9_.-]+$/.test(name)) return 'Server name can only have letters, digits, "_", "." and "-"'
  return isForbiddenKey(name) ? `Server name cannot be "${name}"` : undefined
}
