import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  adaptTool,
  createMcpExt,
  mcpExt,
  mcpServiceHandle,
  toolsFilter,
} from '../../src/adapters/dispatch.ts'
import type { ToolContract } from '../../src/adapters/dispatch.ts'
import { createDispatchHost, faultyServer } from '../../src/testing.ts'
import { untilGone, isRunning } from '../support/programs/alive.ts'
import type { KernelExtension, KernelHost, KernelTool } from './dispatch-kernel.ts'
import { startDispatch, namesOf, serverWithTools } from './dispatch-support.ts'

const native: ToolContract = {
  name: 'run_shell',
  description: 'Runs a command.',
  parameters: { type: 'object' },
  execute: async () => ({ content: 'ran' }),
}

describe('Dispatch extension', () => {
  test('D2 D24 D25 manifest: one bundled extension that declares its capabilities', () => {
    expect(mcpExt.manifest).toEqual({
      id: 'mcp',
      name: 'MCP',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/) as string,
      apiVersion: '^0.1.0',
      trust: 'bundled',
      activation: 'eager',
      dependsOn: ['session-orchestrator'],
      capabilities: { spawn: true, network: true },
      contributes: { tools: [], services: ['mcp'] },
    })
    expect(toolsFilter).toEqual({ kind: 'filter', id: 'session-orchestrator/tools' })
    expect(mcpServiceHandle).toEqual({ kind: 'service', id: 'mcp' })
  })

  test('D2 the extension and its tools match the types of the kernel', async () => {
    const extension: KernelExtension = mcpExt
    const { logger, ...host } = createDispatchHost()
    const kernel: KernelHost = {
      ...host,
      getTools: () => new Map<string, KernelTool>(),
      emit: () => undefined,
      config: { get: () => undefined },
      logger: { ...logger, child: () => kernel.logger, span: () => ({ end: () => undefined }) },
    }
    await extension.activate(kernel)
    await extension.deactivate?.()
    const client = { callTool: async () => ({ content: [] }) }
    const tool: KernelTool = adaptTool('a', { name: 'one', inputSchema: { type: 'object' } }, client)
    expect([extension.manifest.id, tool.name]).toEqual(['mcp', 'a__one'])
  })

  test('D4 activate: the service is available synchronously', async () => {
    const host = createDispatchHost()
    const extension = createMcpExt()
    void extension.activate(host)
    expect(Object.keys(host.getService(mcpServiceHandle)).slice(0, 3)).toEqual([
      'status',
      'getClient',
      'shutdownAll',
    ])
    await extension.deactivate()
    await extension.deactivate()
  })

  test('D3 tools are defined, and the filter adds them to a turn beside the others', async () => {
    await using x = await startDispatch({ tools: [native] })
    const cwd = x.project({ freecad: serverWithTools(['create_object']), web: serverWithTools(['open']) })
    const { assembly } = await x.turn(cwd, { conversationId: 'c7' })
    expect(assembly).toEqual({
      tools: [
        native,
        expect.objectContaining({ name: 'freecad__create_object' }),
        expect.objectContaining({ name: 'web__open' }),
      ],
      cwd,
      conversationId: 'c7',
    })
    expect([...x.host.getTools().keys()].sort()).toEqual(['freecad__create_object', 'run_shell', 'web__open'])
  })

  test('D3 filter: keeps the other fields of an assembly', async () => {
    await using x = await startDispatch()
    const { signal } = new AbortController()
    const more = { signal, mode: 'plan' } as { signal: AbortSignal }
    const { assembly } = await x.turn(x.project({}), more)
    expect(assembly).toEqual({ tools: [], cwd: x.project({}), conversationId: 'c1', ...more })
  })

  test('D4 L8 status: lists every server of a directory, before and after the first turn', async () => {
    await using x = await startDispatch()
    const cwd = x.project({ good: serverWithTools(['one', 'two']), broken: { command: '/nowhere/at/all' } })
    expect(await x.service.status(cwd)).toEqual([
      { id: 'good', state: 'disconnected', toolCount: 0 },
      { id: 'broken', state: 'disconnected', toolCount: 0 },
    ])
    expect(x.pids).toEqual([])
    await x.turn(cwd)
    expect(await x.service.status(cwd)).toEqual([
      { id: 'good', state: 'connected', toolCount: 2 },
      {
        id: 'broken',
        state: 'error',
        error: expect.stringMatching(/^\/nowhere\/at\/all does not exist\. /) as string,
        toolCount: 0,
      },
    ])
  })

  test('D14 L8 nothing starts before the first turn, and each server starts once', async () => {
    await using x = await startDispatch()
    const cwd = x.project({ a: serverWithTools(['one']) })
    expect(x.pids).toEqual([])
    await Promise.all([x.turn(cwd), x.turn(cwd, { conversationId: 'c2' })])
    await x.turn(cwd)
    expect(x.pids).toHaveLength(1)
  })

  test('D14 D15 deactivate: stops every server; later calls fail with a message', async () => {
    await using x = await startDispatch()
    const a = x.project({ a: serverWithTools(['one']) }, 'a')
    const b = x.project({ b: serverWithTools(['two']) }, 'b')
    const turn = await x.turn(a)
    await x.turn(b)
    expect(x.pids.filter(isRunning)).toEqual(x.pids)
    await x.deactivate()
    await untilGone(...x.pids)
    expect(await turn.call('a__one')).toEqual({ content: 'The mcp extension is not active.', isError: true })
    expect(x.pids).toHaveLength(2)
  })

  test('L8 shutdownAll: stops every server; the next turn starts them again', async () => {
    await using x = await startDispatch()
    const cwd = x.project({ a: serverWithTools(['one']) })
    await x.turn(cwd)
    await x.service.shutdownAll()
    await untilGone(...x.pids)
    expect(x.service.getClient('a')).toBeUndefined()
    const turn = await x.turn(cwd)
    expect(await turn.call('a__one')).toEqual({ content: '{"name":"one","arguments":{}}' })
    expect(x.pids).toHaveLength(2)
  })

  test('L9 activated again, it recognizes the tools it defined before', async () => {
    const host = createDispatchHost()
    await using x = await startDispatch()
    const cwd = x.project({ a: serverWithTools(['one']) })
    const platform = { home: x.home, env: { HOME: x.home, PATH: process.env['PATH'] } }
    const extension = createMcpExt({ trust: 'project', platform })
    for (const round of [1, 2]) {
      await host.activate(extension)
      const turn = await host.turn({ cwd, conversationId: `c${round}` })
      expect(await turn.call('a__one')).toEqual({ content: '{"name":"one","arguments":{}}' })
      await extension.deactivate()
    }
  })
})

describe('Dispatch extension: changing tools', () => {
  test('D15 L9 C21 C22 after list_changed new tools are defined and removed ones are dropped', async () => {
    await using x = await startDispatch()
    const list = (...names: readonly string[]) => ({
      result: { tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })) },
    })
    const cwd = x.project({
      a: faultyServer({
        on: {
          'tools/list': { each: [list('old', 'kept'), list('kept', 'new')] },
          'tools/call:kept': [{ listChanged: 'tools' }, 'answer'],
        },
      }),
    })
    const turn = await x.turn(cwd)
    expect(namesOf(turn)).toEqual(['a__kept', 'a__old'])
    await turn.call('a__kept')
    await x.untilLogged('"added":1,"removed":1')
    expect([...x.host.getTools().keys()].sort()).toEqual(['a__kept', 'a__new', 'a__old'])
    expect(namesOf(await x.turn(cwd))).toEqual(['a__kept', 'a__new'])
    expect(await turn.call('a__old')).toMatchObject({ isError: true })
  })

  test('D6 L9 a server that crashed loses its tools, and its status has the reason', async () => {
    await using x = await startDispatch()
    const starts = join(x.home, 'starts')
    const cwd = x.project({
      good: serverWithTools(['one']),
      bad: faultyServer({
        starts,
        on: { 'tools/call:tool-0': { exit: 3 }, initialize: { eachStart: ['answer', { exit: 4 }] } },
      }),
    })
    const turn = await x.turn(cwd)
    expect(namesOf(turn)).toEqual(['bad__tool-0', 'good__one'])
    expect(await turn.call('bad__tool-0')).toMatchObject({ isError: true })
    expect(namesOf(await x.turn(cwd))).toEqual(['good__one'])
    const [, bad] = await x.service.status(cwd)
    expect(bad).toMatchObject({ id: 'bad', toolCount: 0, error: expect.stringContaining('ended with') })
  })

  test('D6 a tool that another filter removed stays out, and one that it wrapped stays wrapped', async () => {
    const wrap = (tool: ToolContract): ToolContract => ({
      ...tool,
      description: 'wrapped',
      execute: async (args, ctx) => ({ content: `wrapped ${(await tool.execute(args, ctx)).content}` }),
    })
    await using x = await startDispatch({
      filter: (assembly) => ({
        ...assembly,
        tools: assembly.tools.filter(({ name }) => name !== 'a__two').map(wrap),
      }),
    })
    const cwd = x.project({ a: serverWithTools([{ name: 'one', description: 'One.' }, 'two']) })
    await x.turn(cwd)
    const turn = await x.turn(cwd)
    expect(turn.assembly.tools.map(({ name, description }) => [name, description])).toEqual([
      ['a__one', '[a] One.'],
    ])
    expect((await turn.call('a__one')).content).toBe('wrapped {"name":"one","arguments":{}}')
  })

  test('D5 L9 a changed file applies from the next turn on', async () => {
    await using x = await startDispatch()
    const cwd = x.project({ a: serverWithTools(['one']), b: serverWithTools(['two']) })
    expect(namesOf(await x.turn(cwd))).toEqual(['a__one', 'b__two'])
    x.project({ a: serverWithTools(['one']), c: serverWithTools(['three']) })
    expect(namesOf(await x.turn(cwd))).toEqual(['a__one', 'c__three'])
    await untilGone(x.pids[1] ?? 0)
    expect(x.pids.filter(isRunning)).toHaveLength(2)
    // FI-94: a half-written file leaves its last good content in force.
    writeFileSync(join(cwd, '.dispatch/mcp.json'), '{')
    expect(namesOf(await x.turn(cwd))).toEqual(['a__one', 'c__three'])
  })
})
