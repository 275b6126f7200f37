import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { createHost, nodePlatform } from '../../src/index.ts'
import type { Host, HostOptions, JsonObject, Tool, View } from '../../src/index.ts'
import { faultyServer } from '../../src/testing.ts'
import type { FaultyScript } from '../../src/testing.ts'
import { collectEvents } from './programs/host-events.ts'
import type { HostEvents } from './programs/host-events.ts'

/** A host with real servers in a temporary home, closed when it goes out of scope. */
export interface ToolHost extends AsyncDisposable, HostEvents {
  readonly host: Host
  readonly home: string
  /** The number of started programs. */
  spawns(): number
}

export interface ToolHostOptions extends HostOptions {
  /** The home of an earlier host. */
  readonly home?: string
  /** Files of the project that the host works in. */
  readonly files?: Readonly<Record<string, string>>
}

export type Entries = Readonly<Record<string, JsonObject>>

/** Removed after the test. */
export function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'plugboard-tools-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }))
  return home
}

export function writeFiles(home: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true })
    writeFileSync(join(home, name), text)
  }
}

export function writeServers(home: string, servers: Entries): void {
  writeFiles(home, { 'servers.json': JSON.stringify({ mcpServers: servers }) })
}

export async function toolHost(
  servers: Entries,
  { home = newHome(), files = {}, platform, ...options }: ToolHostOptions = {},
): Promise<ToolHost> {
  const cwd = join(home, 'project')
  mkdirSync(cwd, { recursive: true })
  writeServers(home, servers)
  writeFiles(cwd, files)
  const base = nodePlatform(platform)
  const { onEvent, events, until } = collectEvents()
  let started = 0
  const host = await createHost({
    cwd,
    config: join(home, 'servers.json'),
    ...(options.preset === undefined && { sources: ['plugboard'] }),
    ...options,
    platform: {
      home,
      env: { HOME: home, PATH: process.env['PATH'], MCP_CONFIG_PATH: join(home, 'servers.json') },
      ...platform,
      spawn(how) {
        started++
        return base.spawn(how)
      },
    },
    on(event) {
      options.on?.(event)
      onEvent(event)
    },
  })
  return {
    host,
    home,
    events,
    spawns: () => started,
    until,
    [Symbol.asyncDispose]: () => host.close(),
  }
}

/** An entry whose server follows the script. */
export function scripted(script: FaultyScript = {}, fields: JsonObject = {}): JsonObject {
  return { ...faultyServer(script), ...fields }
}

/** A server with tools of these names. */
export function serverWithTools(
  tools: readonly (string | JsonObject)[],
  script: FaultyScript = {},
): JsonObject {
  return scripted({ ...script, tools: tools.map(toDefinition) })
}

export function toDefinition(tool: string | JsonObject): JsonObject {
  const inputSchema = { type: 'object' }
  return typeof tool === 'string' ? { name: tool, inputSchema } : { inputSchema, ...tool }
}

/** A reference server from the npm registry. */
export function npmServer(
  name: 'everything' | 'memory' | 'filesystem',
  args: readonly string[] = [],
): JsonObject {
  const command = fileURLToPath(new URL(`../../node_modules/.bin/mcp-server-${name}`, import.meta.url))
  return { command, args, ...(name === 'memory' && { env: { MEMORY_FILE_PATH: join(newHome(), 'memory') } }) }
}

export function namesOf(view: Pick<View, 'tools'>): readonly string[] {
  return view.tools().map(({ name }: Tool) => name)
}
