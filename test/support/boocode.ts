import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { createBoocodeTools } from '../../src/adapters/boocode.ts'
import type { BoocodeTools, InitializeOptions, McpToolDef, ToolDef } from '../../src/adapters/boocode.ts'
import { nodePlatform } from '../../src/index.ts'
import type { Host, JsonObject } from '../../src/index.ts'

/** A running BooCode with its own tools and a `data/mcp.json`, in a temporary folder. */
export interface Boocode extends BoocodeTools, AsyncDisposable {
  readonly host: Host
  readonly home: string
  readonly warnings: readonly string[]
  readonly errors: readonly string[]
  /** The processes that were started, in order. */
  readonly pids: readonly number[]
  /** A tool of a server. */
  tool(name: string): McpToolDef
  /** Calls a tool of a server. */
  run(name: string, input?: unknown): ReturnType<McpToolDef['execute']>
}

interface BoocodeOptions extends InitializeOptions {
  readonly native?: readonly ToolDef[]
  /** Files below the folder; `root/` stands for `/`. */
  readonly files?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
}

export async function startBoocode(
  servers: Readonly<Record<string, JsonObject>>,
  { native = [], files = {}, env = {}, platform, ...options }: BoocodeOptions = {},
): Promise<Boocode> {
  const home = mkdtempSync(join(tmpdir(), 'plugboard-boocode-'))
  const all = { 'data/mcp.json': JSON.stringify({ mcpServers: servers }), ...files }
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(home, name)), { recursive: true })
    writeFileSync(join(home, name), text)
  }
  const [warnings, errors, pids] = [new Array<string>(), new Array<string>(), new Array<number>()]
  const base = nodePlatform(platform)
  const tools = createBoocodeTools(native)
  const host = await tools.initialize({
    cwd: home,
    log: { warn: (line) => warnings.push(line), error: (line) => errors.push(line) },
    ...options,
    platform: {
      home,
      systemRoot: join(home, 'root'),
      env: { HOME: home, PATH: process.env['PATH'], ...env },
      ...platform,
      async spawn(how) {
        const child = await base.spawn(how)
        pids.push(child.pid)
        return child
      },
    },
  })
  const boocode: Boocode = {
    ...tools,
    host,
    home,
    warnings,
    errors,
    pids,
    tool(name) {
      const found = tools.TOOLS_BY_NAME.get(name)
      if (!found?.route) throw new Error(`no server has a tool ${name}`)
      return found as McpToolDef // it has a route
    },
    run: (name, input = {}) => boocode.tool(name).execute(input),
    async [Symbol.asyncDispose]() {
      await host.close()
      await rm(home, { recursive: true, force: true, maxRetries: 5 })
    },
  }
  return boocode
}

/** One of BooCode's own tools. */
export function nativeTool(name: string, fields: Partial<ToolDef> = {}): ToolDef {
  return {
    name,
    description: `BooCode's own ${name}.`,
    inputSchema: z.object({ path: z.string() }),
    jsonSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    execute: async () => `own ${name}`,
    ...fields,
  }
}
