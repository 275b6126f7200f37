import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createMcpExt, mcpServiceHandle, toolsFilter } from '../../src/adapters/dispatch.ts'
import type { McpExtOptions, McpService, ToolAssembly } from '../../src/adapters/dispatch.ts'
import { nodePlatform } from '../../src/index.ts'
import { createDispatchHost, faultyServer } from '../../src/testing.ts'
import type { DispatchHostOptions, DispatchTurn, FaultyScript, TestDispatchHost } from '../../src/testing.ts'
import { untilGone } from '../support/programs/alive.ts'

/** A test host with the extension active, in its own home. Disposing it waits until all started processes have ended. */
export interface TestDispatch extends AsyncDisposable {
  readonly host: TestDispatchHost
  readonly service: McpService
  readonly home: string
  /** The ids of all started processes, in order. */
  readonly pids: readonly number[]
  /** A working directory with these files; an object is written as JSON. */
  directory(name: string, files: Readonly<Record<string, unknown>>): string
  /** A working directory with these servers in its `.dispatch/mcp.json`. */
  project(servers: Readonly<Record<string, unknown>>, name?: string): string
  turn(cwd: string, more?: Partial<Omit<ToolAssembly, 'tools' | 'cwd'>>): Promise<DispatchTurn>
  deactivate(): Promise<void>
  /** Resolves when an entry that contains the text is or was logged. */
  untilLogged(text: string): Promise<void>
}

interface TestDispatchOptions extends McpExtOptions, Pick<DispatchHostOptions, 'tools'> {
  /** A filter of another extension, which runs before ours. */
  readonly filter?: (assembly: ToolAssembly) => ToolAssembly
  /** The capabilities the host grants. */
  readonly granted?: DispatchHostOptions['capabilities']
}

export async function startDispatch({
  granted,
  tools,
  filter,
  platform,
  ...options
}: TestDispatchOptions = {}) {
  const home = mkdtempSync(join(tmpdir(), 'plugboard-dispatch-'))
  const world = nodePlatform(platform)
  const pids: number[] = []
  const extension = createMcpExt({
    trust: 'project',
    ...options,
    platform: {
      home,
      env: { HOME: home, PATH: process.env['PATH'] },
      ...platform,
      async spawn(how) {
        const child = await world.spawn(how)
        pids.push(child.pid)
        return child
      },
    },
  })
  const host = createDispatchHost({ ...(granted && { capabilities: granted }), ...(tools && { tools }) })
  if (filter) host.addFilter(toolsFilter, filter)
  await host.activate(extension)
  const x: TestDispatch = {
    host,
    home,
    pids,
    service: host.getService(mcpServiceHandle),
    directory(name, files) {
      const cwd = join(home, name)
      mkdirSync(cwd, { recursive: true })
      for (const [path, content] of Object.entries(files)) {
        mkdirSync(dirname(join(cwd, path)), { recursive: true })
        writeFileSync(join(cwd, path), typeof content === 'string' ? content : JSON.stringify(content))
      }
      return cwd
    },
    project: (servers, name = 'project') => x.directory(name, { '.dispatch/mcp.json': { servers } }),
    turn: (cwd, more = {}) => host.turn({ cwd, conversationId: 'c1', ...more }),
    deactivate: () => extension.deactivate(),
    untilLogged: (text) => host.untilLogged((entry) => JSON.stringify(entry).includes(text)),
    async [Symbol.asyncDispose]() {
      await extension.deactivate()
      await untilGone(...pids)
      rmSync(home, { recursive: true, force: true, maxRetries: 5 })
    },
  }
  return x
}

export function namesOf({ assembly }: DispatchTurn): readonly string[] {
  return assembly.tools.map(({ name }) => name)
}

/** An entry whose server offers tools of these names. */
export function serverWithTools(tools: readonly (string | object)[], script: FaultyScript = {}): object {
  const definitions = tools.map((tool) => ({
    inputSchema: { type: 'object' },
    ...(typeof tool === 'string' ? { name: tool } : tool),
  }))
  return { ...faultyServer({ ...script, tools: definitions }) }
}
