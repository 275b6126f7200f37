import { describe, expect, onTestFinished, test } from 'vitest'
import { DeferredMCPTool, MCPManager, MCPTool, refreshMCPTools, reloadMCP } from '../../src/adapters/omp.ts'
import type { CustomTool, MCPStatusEvent } from '../../src/adapters/omp.ts'
import { serverWithTools, scripted } from '../support/tool-host.ts'
import {
  loadTools,
  native,
  ompMachine,
  projectFile,
  run,
  textOf,
  userFile,
  withServers,
} from './omp-support.ts'

describe('omp: loading and reloading', () => {
  test('O19 discoverAndLoadMCPTools: returns all tools with their sources, and one error per failed server', async () => {
    const machine = ompMachine({
      [userFile]: {
        mcpServers: {
          good: serverWithTools(['go']),
          gone: { command: 'plugboard-test-no-such-program' },
          both: { command: 'x', url: 'https://a.example.com' },
          off: { command: 'x', enabled: false },
        },
      },
      [projectFile]: { mcpServers: { theirs: serverWithTools(['go']) } },
    })
    const events: MCPStatusEvent[] = []
    const loaded = await loadTools(machine, { onStatus: (event) => events.push(event) })
    const source = { ...native, level: 'user', path: machine.path(userFile) }
    expect(loaded.tools).toEqual([
      {
        path: 'mcp:good via OMP',
        resolvedPath: 'mcp:mcp_good_go',
        tool: expect.any(MCPTool) as MCPTool,
        source,
      },
    ])
    expect(loaded.connectedServers).toEqual(['good'])
    expect(Object.fromEntries(loaded.errors.map(({ path, error }) => [path, error]))).toEqual({
      'mcp:both': expect.stringMatching(/^Invalid server config: /) as string,
      'mcp:gone': expect.stringMatching(/^Failed to connect to "gone": /) as string,
      'mcp:theirs':
        'Server "theirs" is declared by the project and not trusted: plugboard trust --preset omp theirs',
    })
    const [first, ...others] = events
    expect(first).toEqual({ type: 'connecting', serverNames: ['good', 'gone'] })
    expect(others).toHaveLength(2)
    expect(others).toContainEqual({ type: 'connected', serverName: 'good' })
    expect(others).toContainEqual({ type: 'failed', serverName: 'gone', error: expect.any(String) as string })
  })

  test('servers of the project load with trust: "project", and are ignored with enableProjectConfig: false', async () => {
    const files = { [projectFile]: { mcpServers: { theirs: serverWithTools(['go']) } } }
    const trusted = await loadTools(ompMachine(files), { trust: 'project' })
    expect([trusted.connectedServers, trusted.errors]).toEqual([['theirs'], []])
    const without = await loadTools(ompMachine(files), { trust: 'project', enableProjectConfig: false })
    expect([without.tools, without.errors]).toEqual([[], []])
  })

  test('C13 tools known from an earlier run are offered while their server starts, and a call waits for it', async () => {
    const machine = ompMachine()
    const slowly = { eachStart: ['answer', [{ wait: 500 }, 'answer']] }
    const on = { initialize: slowly, 'server/discover': slowly, 'tools/call': { text: 'there' } }
    const x = serverWithTools(['go'], { on, starts: machine.path('~/starts') })
    machine.write(userFile, { mcpServers: { x } })
    const first = await loadTools(machine)
    expect(first.tools[0]?.tool).toBeInstanceOf(MCPTool)
    await first.manager.disconnectAll()
    const { tools } = await loadTools(machine, { startupTimeoutMs: 0 })
    expect(tools[0]?.tool).toBeInstanceOf(DeferredMCPTool)
    expect(tools[0] && textOf(await run(tools[0].tool))).toBe('there')
  })

  test('O18 reloadMCP: disconnects, discovers and replaces all MCP tools of the registry at once', async () => {
    const machine = withServers({ old: serverWithTools(['go']), kept: serverWithTools(['go']) })
    const manager = new MCPManager(machine.project, { platform: machine.platform })
    onTestFinished(() => manager.disconnectAll())
    await manager.discoverAndConnect()
    const read = { name: 'read' }
    const registry = new Map<string, { readonly name: string }>([
      ['read', read],
      ['mcp_left_over', { name: 'mcp_left_over' }],
    ])
    await refreshMCPTools(registry, manager.getTools())
    expect([...registry.keys()]).toEqual(['read', 'mcp_kept_go', 'mcp_old_go'])
    const before = registry.get('mcp_kept_go')
    machine.write(userFile, {
      mcpServers: { kept: serverWithTools(['go', 'stop']), new: scripted({ tools: 1 }) },
    })
    const { errors } = await reloadMCP(manager, registry)
    expect([errors.size, ...registry.keys()]).toEqual([
      0,
      'read',
      'mcp_kept_go',
      'mcp_kept_stop',
      'mcp_new_tool_',
    ])
    expect(registry.get('read')).toBe(read)
    expect(registry.get('mcp_kept_go')).not.toBe(before)
    expect(textOf(await run(before as CustomTool))).toBe('MCP error: The host is closed.') // `refreshMCPTools` puts only such tools there
  })

  test('O18 reloadMCP: passes all tools to refreshMCPTools of a session', async () => {
    const manager = new MCPManager(withServers({}).project, {
      platform: withServers({ x: serverWithTools(['go']) }).platform,
    })
    onTestFinished(() => manager.disconnectAll())
    const received: string[][] = []
    const session = {
      refreshMCPTools: (tools: CustomTool[]) => void received.push(tools.map(({ name }) => name)),
    }
    await reloadMCP(manager, session)
    expect(received).toEqual([['mcp_x_go']])
    await manager.disconnectAll()
    expect([manager.getTools(), manager.getConnectedServers(), manager.getConnectionStatus('x')]).toEqual([
      [],
      [],
      'disconnected',
    ])
  })

  test('disconnectAll during discoverAndConnect: the result is empty and the host is closed', async () => {
    const machine = withServers({ x: scripted({ on: { initialize: 'hang', 'server/discover': 'hang' } }) })
    const events: string[] = []
    let onGreeting = (): void => undefined
    const starting = new Promise<void>((resolve) => (onGreeting = resolve))
    const manager = new MCPManager(machine.project, {
      platform: machine.platform,
      on(event) {
        if (event.type !== 'server.changed') return
        events.push(event.status.state)
        if (event.status.state === 'connecting' && event.status.step === 'greeting') onGreeting()
      },
    })
    const loading = manager.discoverAndConnect()
    await starting
    await manager.disconnectAll()
    expect(await loading).toEqual({ tools: [], errors: new Map(), connectedServers: [] })
    expect([manager.host, events.at(-1)]).toEqual([undefined, 'closed'])
  })

  test('discoverAndConnect: closes the host if onStatus throws', async () => {
    const machine = withServers({ x: serverWithTools(['go']) })
    const states: string[] = []
    const manager = new MCPManager(machine.project, {
      platform: machine.platform,
      on: (event) => void (event.type === 'server.changed' && states.push(event.status.state)),
      onStatus: () => {
        throw new Error('onStatus failed')
      },
    })
    await expect(manager.discoverAndConnect()).rejects.toThrow('onStatus failed')
    expect([manager.host, states.at(-1)]).toEqual([undefined, 'closed'])
  })

  test('discoverAndConnect: a second call reads the files again, and unchanged servers stay connected', async () => {
    const machine = withServers({ kept: serverWithTools(['go']) })
    const manager = new MCPManager(machine.project, { platform: machine.platform })
    onTestFinished(() => manager.disconnectAll())
    const toolLists: string[][] = []
    await Promise.all([manager.discoverAndConnect(), manager.discoverAndConnect()])
    const host = manager.host
    manager.setOnToolsChanged((tools) => toolLists.push(tools.map(({ name }) => name)))
    machine.write(userFile, { mcpServers: { kept: serverWithTools(['go']), more: serverWithTools(['go']) } })
    const { connectedServers } = await manager.discoverAndConnect()
    expect([connectedServers, manager.host === host]).toEqual([['kept', 'more'], true])
    expect(toolLists.at(-1)).toEqual(['mcp_kept_go', 'mcp_more_go'])
    expect(manager.getSource('more')).toMatchObject({ ...native, level: 'user' })
    await manager.disconnectServer('kept')
    expect([manager.getConnectionStatus('kept'), manager.getTools().length]).toEqual(['disconnected', 2])
  })
})
