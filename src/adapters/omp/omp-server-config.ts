import { isForbiddenKey, isObject } from '../../model/json.ts'

/** How to log in to a server. */
export interface MCPAuthConfig {
  readonly type: 'oauth' | 'apikey'
  /** The key of the stored login. */
  readonly credentialId?: string
  readonly tokenUrl?: string
  readonly clientId?: string
  readonly clientSecret?: string
  readonly resource?: string
}

export interface SharedConfig {
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

/** The problems in the form of an entry; contacts no server (O3). An omitted `type` means stdio, even if there is a `url`. */
export function validateServerConfig(name: string, config: MCPServerConfig): string[] {
  const entry: unknown = config
  if (!isObject(entry)) return [`Server "${name}" is not an object`]
  const { type = 'stdio', command, url } = entry
  if (isGiven(command) && isGiven(url)) return [`Server "${name}" has both "command" and "url"; keep one`]
  if (type === 'http' || type === 'sse')
    return isGiven(url) ? [] : [`Server "${name}": ${type} requires "url"`]
  if (type !== 'stdio')
    return [`Server "${name}" has an unknown type ${JSON.stringify(type)}; use stdio, http or sse`]
  if (isGiven(command)) return []
  const hasUrlOnly = isGiven(url) && entry['type'] === undefined
  const advice = hasUrlOnly ? '; without "type" it is stdio: set "type": "http"' : ''
  return [`Server "${name}": stdio requires "command"${advice}`]
}

function isGiven(value: unknown): boolean {
  return typeof value === 'string' ? value.trim() !== '' : value !== undefined && value !== null
}

/** The problem with the name of a new entry, if there is one (O4). */
export function validateServerName(name: string): string | undefined {
  if (name === '') return 'Server name cannot be empty'
  if (name.length > 100) return 'Server name is longer than 100 characters'
  if (!/^[a-zA-Z0-9_.-]+$/.test(name)) return 'Server name can only contain letters, digits, "_", "." and "-"'
  return isForbiddenKey(name) ? `Server name cannot be "${name}"` : undefined
}
