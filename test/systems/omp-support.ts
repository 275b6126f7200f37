import { onTestFinished } from 'vitest'
import { discoverAndLoadMCPTools } from '../../src/adapters/omp.ts'
import type {
  CustomTool,
  CustomToolResult,
  MCPManagerOptions,
  MCPToolsLoadResult,
} from '../../src/adapters/omp.ts'
import type { JsonObject } from '../../src/index.ts'
import { createMachine } from '../support/programs/cli.ts'
import type { Machine } from '../support/programs/cli.ts'

/** A user of omp: a home and a project with their files. */
export interface OmpMachine extends Machine {
  readonly platform: NonNullable<MCPManagerOptions['platform']>
}

/** The provider of a server that is declared in omp's own files. */
export const native = { provider: 'native', providerName: 'OMP' }

export const userFile = '~/.omp/mcp.json'
export const projectFile = '.omp/mcp.json'

export function ompMachine(
  files: Readonly<Record<string, unknown>> = {},
  env: Readonly<Record<string, string>> = {},
): OmpMachine {
  const machine = createMachine(files)
  onTestFinished(() => machine[Symbol.dispose]())
  return { ...machine, platform: { home: machine.home, env: { ...machine.env, ...env } } }
}

/** A machine with these servers in the user's file. */
export function withServers(servers: JsonObject, env: Readonly<Record<string, string>> = {}): OmpMachine {
  return ompMachine({ [userFile]: { mcpServers: servers } }, env)
}

/** All tools of a machine; its servers are stopped when the test is over. */
export async function loadTools(
  { project, platform }: OmpMachine,
  options: MCPManagerOptions = {},
): Promise<MCPToolsLoadResult> {
  const loaded = await discoverAndLoadMCPTools(project, { platform, ...options })
  onTestFinished(() => loaded.manager.disconnectAll())
  return loaded
}

export function toolOf({ tools }: Pick<MCPToolsLoadResult, 'tools'>, name: string): CustomTool {
  const found = tools.find(({ tool }) => tool.name === name)?.tool
  if (!found) throw new Error(`no ${name} among ${tools.map(({ tool }) => tool.name).join()}`)
  return found
}

export function run(tool: CustomTool, params: unknown = {}, signal?: AbortSignal): Promise<CustomToolResult> {
  return tool.execute('call-1', params, undefined, undefined, signal)
}

export function textOf({ content }: CustomToolResult): string {
  return content.map((part) => (part.type === 'text' ? part.text : `[${part.mimeType}]`)).join('\n')
}
