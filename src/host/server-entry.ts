import type { JsonObject } from '../model/json.ts'
import type { Auth, Framing } from '../model/server.ts'
import type { SourceId } from '../sources/places.ts'
import type { OpenChannel } from '../wire/channel.ts'
import type { InProcessServer } from '../wire/in-process.ts'

/**
 * A server declared in code (D-17): a program to start, an address, an object in this process, a channel, or an entry in the
 * form of another client.
 *
 * @example
 * const servers: Record<string, ServerEntry> = {
 *   files: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem@2026.8.31', '.'] },
 *   docs: { url: 'https://docs.example.com/mcp', headers: { Authorization: `Bearer ${token}` } },
 *   mine: { server: new McpServer({ name: 'mine', version: '1.0.0' }) },
 * }
 */
export type ServerEntry = ProgramEntry | AddressEntry | InProcessEntry | ChannelEntry | ClientEntry

/** Keys of every entry; `docs/reference/config.md` describes them. */
export interface EntryOptions {
  readonly title?: string
  readonly description?: string
  readonly enabled?: boolean
  readonly disabled?: boolean
  /** Milliseconds for one call; 0 means none. */
  readonly timeout?: number
  /** Milliseconds for connecting. */
  readonly startupTimeout?: number
  readonly startupTimeoutMs?: number
  /** Milliseconds without a call after which the server is stopped. */
  readonly idleStopMs?: number
  readonly allowedTools?: readonly string[]
  readonly deniedTools?: readonly string[]
  readonly lifecycle?: 'lazy' | 'background' | 'eager'
  readonly restart?: 'backoff' | 'never'
  readonly protocol?: 'auto' | 'legacy' | '2026-07-28'
}

/** A program that speaks MCP on its stdin and stdout. Relative paths are relative to the host's `cwd`. */
export interface ProgramEntry extends EntryOptions {
  readonly type?: 'stdio' | 'local'
  readonly command: string | readonly string[]
  readonly args?: readonly string[]
  /** In addition to a minimal environment; `null` removes a variable. */
  readonly env?: Readonly<Record<string, string | number | boolean | null>>
  readonly environment?: Readonly<Record<string, string | number | boolean | null>>
  /** Names of variables of this process that it gets too. */
  readonly passEnv?: readonly string[]
  /** `true` gives it the whole environment of this process. */
  readonly inheritEnv?: boolean
  readonly envFile?: string
  readonly cwd?: string
  readonly framing?: Framing
}

export interface AddressEntry extends EntryOptions {
  readonly type?: 'http' | 'streamable-http' | 'streamableHttp' | 'remote' | 'sse'
  readonly url: string | URL
  readonly headers?: Readonly<Record<string, string>>
  readonly headersCommand?: string
  readonly caFile?: string
  readonly auth?: string | Auth
}

/** A server object of the official SDK in this process. It is connected when it is needed; the program closes it. */
export interface InProcessEntry extends EntryOptions {
  readonly server: InProcessServer
}

/** Any other way to exchange messages with a server. */
export interface ChannelEntry extends EntryOptions {
  readonly channel: OpenChannel
}

/** An entry exactly as it stands in a file of this client: its keys, words and units apply. */
export interface ClientEntry {
  readonly client: SourceId
  readonly entry: JsonObject
}
