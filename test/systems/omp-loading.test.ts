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

describe('loading and reloading', () => {
  test('O19 all tools with where they come from, and one error for each server that has none', async () => {
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
    const told: MCPStatusEvent[] = []
    const loaded = await loadTools(machine, { onStatus: (event) => told.push(event) })
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
    const [begun, ...others] = told
    expect(begun).toEqual({ type: 'connecting', serverNames: ['good', 'gone'] })
    expect(others).toHaveLength(2)
    expect(others).toContainEqual({ type: 'connected', serverName: 'good' })
    expect(others).toContainEqual({ type: 'failed', serverName: 'gone', error: expect.any(String) as string })
  })

  test('what the project declares is loaded where it is trusted, and left out where it is not wanted', async () => {
    const files = { [projectFile]: { mcpServers: { theirs: serverWithTools(['go']) } } }
    const trusted = await loadTools(ompMachine(files), { trust: 'project' })
    expect([trusted.connectedServers, trusted.errors]).toEqual([['theirs'], []])
    const without = await loadTools(ompMachine(files), { trust: 'project', enableProjectConfig: false })
    expect([without.tools, without.errors]).toEqual([[], []])
  })

  test('C13 tools that are known from before are there while their server still starts, and a call waits for it', async () => {
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

  test('O18 a reload disconnects, discovers and replaces every MCP tool at once, in the same session', async () => {
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
    expect(textOf(await run(before as CustomTool))).toBe('MCP error: The host is closed.') // it was put there as one
  })

  test('O18 a session that replaces its own tools is handed all of them', async () => {
    const manager = new MCPManager(withServers({}).project, {
      platform: withServers({ x: serverWithTools(['go']) }).platform,
    })
    onTestFinished(() => manager.disconnectAll())
    const handed: string[][] = []
    const session = {
      refreshMCPTools: (tools: CustomTool[]) => void handed.push(tools.map(({ name }) => name)),
    }
    await reloadMCP(manager, session)
    expect(handed).toEqual([['mcp_x_go']])
    await manager.disconnectAll()
    expect([manager.getTools(), manager.getConnectedServers(), manager.getConnectionStatus('x')]).toEqual([
      [],
      [],
      'disconnected',
    ])
  })

  test('what is disconnected while it is being connected leaves nothing behind', async () => {
    const machine = withServers({ x: scripted({ on: { initialize: 'hang', 'server/discover': 'hang' } }) })
    const events: string[] = []
    let begun = (): void => undefined
    const starting = new Promise<void>((resolve) => (begun = resolve))
    const manager = new MCPManager(machine.project, {
      platform: machine.platform,
      on(event) {
        if (event.type !== 'server.changed') return
        events.push(event.status.state)
        if (event.status.state === 'connecting' && event.status.step === 'greeting') begun()
      },
    })
    const loading = manager.discoverAndConnect()
    await starting
    await manager.disconnectAll()
    expect(await loading).toEqual({ tools: [], errors: new Map(), connectedServers: [] })
    expect([manager.host, events.at(-1)]).toEqual([undefined, 'closed'])
  })

  test('what cannot be told ends what was begun', async () => {
    const machine = withServers({ x: serverWithTools(['go']) })
    const states: string[] = []
    const manager = new MCPManager(machine.project, {
      platform: machine.platform,
      on: (event) => void (event.type === 'server.changed' && states.push(event.status.state)),
      onStatus: () => {
        throw new Error('nobody there')
      },
    })
    await expect(manager.discoverAndConnect()).rejects.toThrow('nobody there')
    expect([manager.host, states.at(-1)]).toEqual([undefined, 'closed'])
  })

  test('asked twice it reads the files anew, and what is as it was stays connected', async () => {
    const machine = withServers({ kept: serverWithTools(['go']) })
    const manager = new MCPManager(machine.project, { platform: machine.platform })
    onTestFinished(() => manager.disconnectAll())
    const told: string[][] = []
    await Promise.all([manager.discoverAndConnect(), manager.discoverAndConnect()])
    const host = manager.host
    manager.setOnToolsChanged((tools) => told.push(tools.map(({ name }) => name)))
    machine.write(userFile, { mcpServers: { kept: serverWithTools(['go']), more: serverWithTools(['go']) } })
    const { connectedServers } = await manager.discoverAndConnect()
    expect([connectedServers, manager.host === host]).toEqual([['kept', 'more'], true])
    expect(told.at(-1)).toEqual(['mcp_kept_go', 'mcp_more_go'])
    expect(manager.getSource('more')).toMatchObject({ ...native, level: 'user' })
    await manager.disconnectServer('kept')
    expect([manager.getConnectionStatus('kept'), manager.getTools().length]).toEqual(['disconnected', 2])
  })
})
