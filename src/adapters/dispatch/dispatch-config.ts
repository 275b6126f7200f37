import { relative, resolve, sep } from 'node:path'
import { discover, nodePlatform } from '../../index.ts'
import type { Diagnostic, Discovery, Files, Platform, Server, Values } from '../../index.ts'
import type { ConfigSource, ResolvedMcpServer } from './mcp-service.ts'

export interface ResolveConfigOptions {
  /** Replaces the disk: returns the text of a file, or `undefined` if there is none. */
  readonly readFile?: (path: string) => string | undefined | Promise<string | undefined>
  readonly platform?: Partial<Platform>
}

export interface ResolvedConfig {
  readonly servers: readonly ResolvedMcpServer[]
  /** `opencode.json` also declares servers, which are not used. */
  readonly shadowed: boolean
  readonly diagnostics: readonly Diagnostic[]
}

/** L6: the servers declared for a working directory. Reads two files, starts nothing, and is pure with `readFile`. */
export async function resolveMcpConfig(
  cwd: string,
  { readFile, platform = {} }: ResolveConfigOptions = {},
): Promise<ResolvedConfig> {
  const files = readFile && { files: filesOf(readFile, platform) }
  const found = await discover({
    cwd: resolve(cwd),
    sources: ['dispatch'],
    platform: { ...platform, ...files },
  })
  return {
    servers: found.servers.map((server) => toResolved(server, cwd)),
    shadowed: isShadowed(found),
    diagnostics: found.diagnostics,
  }
}

/** D10: one diagnostic covers the whole shadowed file. */
function isShadowed({ diagnostics }: Discovery): boolean {
  return diagnostics.some(({ code }) => code === 'shadowed')
}

function toResolved({ name, transport, enabled, origin }: Server, cwd: string): ResolvedMcpServer {
  const common = {
    id: name,
    ...(!enabled && { disabled: true as const }),
    configSource: configSourceOf(origin.file, cwd),
  }
  if (transport.kind !== 'stdio') {
    const headers = literalValues(transport.headers)
    return { ...common, command: [], transport: 'http', url: transport.url, ...(headers && { headers }) }
  }
  const env = literalValues(transport.env)
  return { ...common, command: [transport.command, ...transport.args], ...(env && { env }) }
}

/** Dispatch's files have no placeholders: every value is literal. */
function literalValues(values: Values): Readonly<Record<string, string>> | undefined {
  const entries = Object.entries(values).filter(
    (pair): pair is [string, string] => typeof pair[1] === 'string',
  )
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

function configSourceOf(file: string, cwd: string): ConfigSource {
  const path = relative(resolve(cwd), file).split(sep).join('/')
  return path === 'opencode.json' ? path : '.dispatch/mcp.json'
}

function filesOf(
  readFile: NonNullable<ResolveConfigOptions['readFile']>,
  platform: Partial<Platform>,
): Files {
  const stat = { kind: 'file', mode: 0o600, uid: 0, size: 0, mtimeMs: 0 } as const
  return {
    ...nodePlatform(platform).files,
    async readText(path) {
      const text = await readFile(path)
      return text === undefined ? { kind: 'absent' } : { kind: 'text', text, bom: false, stat }
    },
    stat: async () => undefined,
    list: async () => [],
    realPath: async (path) => path,
  }
}
