import { describe, expect, test } from 'vitest'
import { ToolAbortError } from '../../src/adapters/omp.ts'
import type { CustomToolResult } from '../../src/adapters/omp.ts'
import { createHost } from '../../src/index.ts'
import type { JsonObject } from '../../src/index.ts'
import { serverWithTools } from '../support/tool-host.ts'
import { loadTools, native, run, textOf, toolOf, userFile, withServers } from './omp-support.ts'

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** omp's contract for a tool, as its public sources declare it. */
interface OmpCustomTool {
  name: string
  label: string
  description: string
  parameters: object
  mcpServerName?: string
  mcpToolName?: string
  execute(
    toolCallId: string,
    params: unknown,
    onUpdate: ((partial: OmpResult) => void) | undefined,
    ctx: { readonly cwd: string },
    signal?: AbortSignal,
  ): Promise<OmpResult>
}

interface OmpResult {
  content: ({ type: 'text'; text: string } | { type: 'image'; data: string; mimeType: string })[]
  details?: { serverName: string; mcpToolName: string; provider?: string; providerName?: string }
}

describe('omp: tools of servers', () => {
  test('O13 C10 names have only lowercase letters and _, and drop one repetition of the server’s name', async () => {
    const machine = withServers({
      context7: serverWithTools(['resolve-library-id', 'context7_query', 'Get2Docs']),
      puppeteer: serverWithTools(['puppeteer_puppeteer_open', 'puppeteering']),
    })
    const { tools } = await loadTools(machine)
    expect(tools.map(({ tool }) => `${tool.name} ${tool.label}`)).toEqual([
      'mcp_context_get_docs context7/Get2Docs',
      'mcp_context_query context7/context7_query',
      'mcp_context_resolve_library_id context7/resolve-library-id',
      'mcp_puppeteer_puppeteer_open puppeteer/puppeteer_puppeteer_open',
      'mcp_puppeteer_puppeteering puppeteer/puppeteering',
    ])
    const { platform, project } = machine
    await using host = await createHost({ preset: 'omp', naming: 'mcp', cwd: project, platform })
    await host.ready()
    expect(host.tools().map(({ name }) => name)).toContain('mcp_context7_get2docs')
  })

  test('O13 C11 of two tools with the same name the last one is used, and a problem names both', async () => {
    const answers = (text: string) => serverWithTools(['go'], { on: { 'tools/call': { text } } })
    const machine = withServers({ 'my.server': answers('dot'), 'my-server': answers('hyphen') })
    const loaded = await loadTools(machine)
    expect(loaded.tools.map(({ tool }) => [tool.name, tool.mcpServerName])).toEqual([
      ['mcp_my_server_go', 'my.server'],
    ])
    expect(textOf(await run(toolOf(loaded, 'mcp_my_server_go')))).toBe('dot')
    expect(loaded.manager.host?.why('my-server/go')).toMatchObject({
      name: 'mcp_my_server_go',
      visibility: {
        visible: false,
        reason: '"mcp_my_server_go" is my.server/go: of equal names only the last is offered.',
      },
      decision: { effect: 'deny' },
    })
    expect(loaded.manager.host?.problems()).toMatchObject([
      {
        code: 'name-clash',
        severity: 'warn',
        message: 'my-server/go is not offered, because "mcp_my_server_go" is my.server/go.',
        origin: { file: machine.path(userFile) },
      },
    ])
  })

  test('O14 an object schema without properties gets empty properties; everything else stays', async () => {
    const schema = { type: 'object', properties: { a: { type: 'object' } }, $defs: { x: {} } }
    const machine = withServers({
      x: serverWithTools([
        {
          name: 'bare',
          description: 'Says nothing.',
          inputSchema: { type: 'object', additionalProperties: false },
        },
        { name: 'full', inputSchema: schema },
      ]),
    })
    const { tools } = await loadTools(machine)
    expect(
      tools.map(({ tool: { name, description, parameters } }) => ({ name, description, parameters })),
    ).toEqual([
      {
        name: 'mcp_x_bare',
        description: 'Says nothing.',
        parameters: { type: 'object', additionalProperties: false, properties: {} },
      },
      { name: 'mcp_x_full', description: 'MCP tool from x', parameters: schema },
    ])
  })

  test('O15 execute: returns one text with details; failures begin with "Error: " or "MCP error: "', async () => {
    const on: Record<string, JsonObject> = {
      'tools/call:good': {
        result: {
          content: [
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b' },
          ],
        },
      },
      'tools/call:bad': { result: { content: [{ type: 'text', text: 'no such page' }], isError: true } },
      'tools/call:refused': { error: { code: -32602, message: 'wrong number' } },
      'tools/call:dies': { exit: 3 },
      'tools/call:shows': { result: { content: [{ type: 'image', data: png, mimeType: 'image/png' }] } },
    }
    const loaded = await loadTools(
      withServers({ x: serverWithTools(['bad', 'dies', 'good', 'refused', 'shows'], { on }) }),
    )
    const about = (mcpToolName: string) => ({ serverName: 'x', mcpToolName, ...native })
    expect(await run(toolOf(loaded, 'mcp_x_good'))).toEqual({
      content: [{ type: 'text', text: 'a\nb' }],
      details: {
        ...about('good'),
        rawContent: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    })
    expect(await run(toolOf(loaded, 'mcp_x_bad'))).toEqual({
      content: [{ type: 'text', text: 'Error: no such page' }],
      details: { ...about('bad'), isError: true, rawContent: [{ type: 'text', text: 'no such page' }] },
    })
    expect(await run(toolOf(loaded, 'mcp_x_refused'))).toMatchObject({
      content: [{ type: 'text', text: 'MCP error: wrong number' }],
      details: { ...about('refused'), isError: true },
    })
    expect(await run(toolOf(loaded, 'mcp_x_shows'))).toMatchObject({
      content: [
        { type: 'text', text: expect.stringMatching(/^\[image: image\/png, \d+ bytes\]$/) as string },
        { type: 'image', data: png, mimeType: 'image/png' },
      ],
    })
    const died = await run(toolOf(loaded, 'mcp_x_dies'))
    expect(textOf(died)).toMatch(/^MCP error: "x" may or may not have done it: /)
    expect(died.details).toEqual({ ...about('dies'), isError: true })
  })

  test('O15 C18 an aborted call throws ToolAbortError and is cancelled at the server', async () => {
    const on = {
      'tools/call': [{ notify: 'test/called' }, 'hang'],
      'notifications/cancelled': { notify: 'test/cancelled' },
    }
    const machine = withServers({ x: serverWithTools(['slow'], { on }) })
    const controller = new AbortController()
    let onCancelled = (): void => undefined
    const cancelled = new Promise<void>((resolve) => (onCancelled = resolve))
    const loaded = await loadTools(machine, {
      on(event) {
        if (event.type !== 'server.notified') return
        if (event.method === 'test/called') controller.abort()
        if (event.method === 'test/cancelled') onCancelled()
      },
    })
    const tool = toolOf(loaded, 'mcp_x_slow')
    const error = await run(tool, {}, controller.signal).then(undefined, (thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ToolAbortError)
    expect(error).toMatchObject({ name: 'ToolAbortError', message: 'Operation aborted' })
    await cancelled
    await expect(run(tool, {}, AbortSignal.abort())).rejects.toBeInstanceOf(ToolAbortError)
    expect(new ToolAbortError('Stopped').message).toBe('Stopped')
  })

  test('execute: progress goes to onUpdate', async () => {
    const on = { 'tools/call': [{ progress: { times: 2, total: 2 } }, { text: 'done' }] }
    const loaded = await loadTools(withServers({ x: serverWithTools(['slow'], { on }) }))
    const updates: string[] = []
    const onUpdate = (update: CustomToolResult) => updates.push(textOf(update))
    const result = await toolOf(loaded, 'mcp_x_slow').execute('1', {}, onUpdate, {}, undefined)
    expect([updates, textOf(result)]).toEqual([['1 of 2', '2 of 2'], 'done'])
  })

  test('a tool matches omp’s CustomTool', async () => {
    const loaded = await loadTools(
      withServers({ x: serverWithTools(['go'], { on: { 'tools/call': { text: 'done' } } }) }),
    )
    const own: OmpCustomTool = toolOf(loaded, 'mcp_x_go')
    expect(await own.execute('1', { any: 'thing' }, undefined, { cwd: '/' })).toMatchObject({
      content: [{ type: 'text', text: 'done' }],
      details: { serverName: 'x', mcpToolName: 'go', ...native },
    })
    expect([own.label, own.mcpServerName, own.mcpToolName]).toEqual(['x/go', 'x', 'go'])
  })
})
