import { version } from '../../model/version.ts'
import { messageOf } from './tool-contracts.ts'
import { toolsFilter } from './kernel-contracts.ts'
import type { DispatchHost, Extension, Logger, Manifest, ToolAssembly } from './kernel-contracts.ts'
import { DefinedTools, TurnTools } from './turn-tools.ts'
import { Directories } from './working-directories.ts'
import { Directory } from './working-directory.ts'
import { hostOptionsOf } from './extension-options.ts'
import type { McpExtOptions } from './extension-options.ts'
import { mcpServiceHandle } from './mcp-service.ts'
import type { McpService } from './mcp-service.ts'
import { readSkill, skillsOf } from './prompt-skills.ts'
import { DirectoryLog } from './directory-log.ts'

const waitMs = 10_000

/** D2: the one extension for all MCP servers of Dispatch, with the embedder's options. */
export function createMcpExt(options: McpExtOptions = {}): Extension {
  let active: ActiveExtension | undefined
  return {
    manifest: manifestOf(options),
    activate(host) {
      const before = active
      active = activate(host, options)
      return before?.end()
    },
    async deactivate() {
      const ending = active
      active = undefined
      await ending?.end()
    },
  }
}

/** The extension with the defaults of Dispatch's plan; servers of a project start after a person trusts them. */
export const mcpExt: Extension = createMcpExt()

/** D24, D25 */
function manifestOf({ capabilities }: McpExtOptions): Manifest {
  return {
    id: 'mcp',
    name: 'MCP',
    version,
    apiVersion: '^0.1.0',
    trust: 'bundled',
    activation: 'eager',
    dependsOn: ['session-orchestrator'],
    capabilities: { spawn: true, network: true, ...capabilities },
    contributes: { tools: [], services: ['mcp'] },
  }
}

interface ActiveExtension {
  end(): Promise<void>
}

/** Nothing is read or started before the first turn or the first status request (D14). */
function activate(host: DispatchHost, options: McpExtOptions): ActiveExtension {
  const { logger } = host
  const defined = new DefinedTools(host)
  const directories: Directories = new Directories((cwd) =>
    Directory.open({
      cwd,
      host: hostOptionsOf(options, { cwd, granted: host.capabilities ?? {}, native: defined.native() }),
      waitMs: options.waitMs ?? waitMs,
      log: new DirectoryLog(cwd, logger),
      onTools: (directory) => turnTools.define(directory),
    }),
  )
  const turnTools = new TurnTools({
    defined,
    directories,
    hasResourceTool: options.resources === 'tool',
  })
  const removeFilter = host.addFilter(toolsFilter, (assembly) =>
    filterTools(assembly, { defined, turnTools, logger }),
  )
  host.defineService?.(mcpServiceHandle)
  host.provideService(mcpServiceHandle, createService(directories, options))
  return {
    async end() {
      try {
        removeFilter()
      } finally {
        await directories.end()
      }
    },
  }
}

interface FilterContext {
  readonly defined: DefinedTools
  readonly turnTools: TurnTools
  readonly logger: Logger | undefined
}

/** Tools of others and all other fields pass unchanged. An error removes only our tools from the turn. */
async function filterTools(
  assembly: ToolAssembly,
  { defined, turnTools, logger }: FilterContext,
): Promise<ToolAssembly> {
  const others = assembly.tools.filter(({ name }) => !defined.has(name))
  try {
    return { ...assembly, tools: [...others, ...(await turnTools.forTurn(assembly))] }
  } catch (error) {
    new DirectoryLog(assembly.cwd ?? '', logger).write('error', messageOf(error))
    return { ...assembly, tools: others }
  }
}

/** D4 */
function createService(directories: Directories, { prompts }: McpExtOptions): McpService {
  const viewOf = async (cwd: string, conversationId: string | undefined) =>
    (await directories.open(cwd)).view(conversationId)
  return {
    status: async (cwd) => (cwd ? (await directories.open(cwd)).status() : []),
    getClient(serverId, cwd) {
      const found = directories.opened(cwd).filter((directory) => directory.declares(serverId))
      return found.length === 1 ? found[0]?.client(serverId) : undefined
    },
    shutdownAll: () => directories.close(),
    async switchServer({ cwd, conversationId, serverId, on }) {
      await (await directories.open(cwd)).switchServer(conversationId, serverId, on)
    },
    held: async (cwd) => (await directories.open(cwd)).held(),
    accept: async ({ cwd, serverId, choices }) => (await directories.open(cwd)).accept(serverId, choices),
    async skills({ cwd, conversationId }) {
      return prompts === 'skills' ? skillsOf(await viewOf(cwd, conversationId)) : []
    },
    async readSkill({ cwd, conversationId, name, arguments: args }) {
      return readSkill(await viewOf(cwd, conversationId), name, args)
    },
  }
}
