import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { trustServer, requestTrust } from '../../src/config.ts'
import { discover, nodePlatform } from '../../src/index.ts'
import { createDispatchHost, faultyServer, startFaultyHttp } from '../../src/testing.ts'
import { createMcpExt, toolsFilter } from '../../src/adapters/dispatch.ts'
import type { ToolAssembly } from '../../src/adapters/dispatch.ts'
import { startDispatch, namesOf, serverWithTools } from './dispatch-support.ts'

const canary = 'canary-5c1f7a90d2'

describe('D26 values of env are redacted', () => {
  test('D26 in logs, statuses and errors, even if the server prints them', async () => {
    const refusal = { error: { code: -32000, message: `${canary} is not known` } }
    await using remote = await startFaultyHttp(
      { on: { initialize: refusal } },
      { spawn: nodePlatform().spawn },
    )
    await using x = await startDispatch()
    const env = { TOKEN: canary }
    const leak = `${canary} is my token`
    const cwd = x.project({
      dies: { ...faultyServer({ on: { start: [{ stderr: leak }, { exit: 1 }] } }), env },
      refuses: { ...faultyServer({ on: { initialize: { error: { code: -32000, message: leak } } } }), env },
      fails: { ...faultyServer({ on: { 'tools/call': { exit: 1 } } }), env },
      odd: { command: 5, env },
      remote: { transport: 'http', url: remote.url, headers: { Authorization: `Bearer ${canary}` } },
    })
    const turn = await x.turn(cwd)
    const result = await turn.call('fails__tool-0')
    expect(result.isError).toBe(true)
    const output = JSON.stringify([await x.service.status(cwd), x.host.logs, result, turn.assembly])
    expect(output).toContain('••• is not known')
    expect(output).not.toContain(canary)
  })

  test('D26 a short value is redacted only as a whole word', async () => {
    await using x = await startDispatch()
    const message = 'Is (a.b*c or hunter2? unhunter2d PORT=8080'
    const refuses = faultyServer({ on: { initialize: { error: { code: 1, message } } } })
    const cwd = x.project({ a: { ...refuses, env: { A: 'hunter2', B: '(a.b*c', C: '8080', D: 'or' } } })
    await x.turn(cwd)
    const [status] = await x.service.status(cwd)
    expect(status?.error).toBe(
      'It answered: Is ••• or •••? unhunter2d PORT=•••. ' +
        'Check that the command or address belongs to an MCP server: plugboard why --preset dispatch a',
    )
  })

  test('D26 the child process receives the values unchanged', async () => {
    await using x = await startDispatch()
    const env = { TOKEN: canary, HOST: '${HOME}' }
    await x.turn(x.project({ a: { ...faultyServer(), env } }))
    const { content } = (await x.service.getClient('a')?.callTool('environment', {})) ?? { content: [] }
    expect(JSON.parse(content[0]?.text ?? '{}')).toMatchObject({ env })
  })
})

describe('D25 denied capabilities', () => {
  test('D25 a denied spawn or network is the error of the servers that need it', async () => {
    await using remote = await startFaultyHttp({}, { spawn: nodePlatform().spawn })
    const servers = { here: serverWithTools(['one']), there: { transport: 'http', url: remote.url } }
    await using x = await startDispatch({ granted: { spawn: false, network: true } })
    const cwd = x.project(servers)
    expect(namesOf(await x.turn(cwd))).toEqual(['there__tool-0'])
    expect((await x.service.status(cwd)).map(({ id, state, error }) => [id, state, error])).toEqual([
      [
        'here',
        'error',
        'Dispatch does not let the mcp extension start programs. Grant it the capability "spawn".',
      ],
      ['there', 'connected', undefined],
    ])
    await using y = await startDispatch({ capabilities: { network: false } })
    const other = y.project(servers)
    expect(namesOf(await y.turn(other))).toEqual(['here__one'])
    expect((await y.service.status(other)).map(({ id, state, error }) => [id, state, error])).toEqual([
      ['here', 'connected', undefined],
      [
        'there',
        'error',
        'Dispatch does not let the mcp extension use the network. Grant it the capability "network".',
      ],
    ])
  })
})

describe('D23 C30 servers of a project need trust', () => {
  test('D23 C30 the status names the trust command; once trusted, the next turn has the tools', async () => {
    await using x = await startDispatch({ trust: 'ask' })
    const cwd = x.project({ a: serverWithTools(['one']) })
    expect(namesOf(await x.turn(cwd))).toEqual([])
    expect(x.pids).toEqual([])
    const error = `"a" is not trusted. Look at it and decide, in ${cwd}: plugboard trust --preset dispatch a`
    expect(await x.service.status(cwd)).toEqual([{ id: 'a', state: 'error', error, toolCount: 0 }])
    expect(x.host.logs.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
      `MCP server untrusted: ${error}`,
    ])
    await trust(x.home, cwd)
    expect(namesOf(await x.turn(cwd))).toEqual(['a__one'])
  })

  test('C30 a changed entry needs trust again, and its server is stopped', async () => {
    await using x = await startDispatch({ trust: 'ask' })
    const cwd = x.project({ a: serverWithTools(['one']) })
    await trust(x.home, cwd)
    expect(namesOf(await x.turn(cwd))).toEqual(['a__one'])
    x.project({ a: serverWithTools(['two']) })
    expect(namesOf(await x.turn(cwd))).toEqual([])
    const [a] = await x.service.status(cwd)
    expect(a?.error).toMatch(/^"a" has changed since it was trusted\. /)
  })

  test('C30 the trust option is called once for each entry', async () => {
    const asked: string[] = []
    await using x = await startDispatch({
      trust: async ({ server }) => {
        asked.push(server.name)
        return server.name === 'good'
      },
    })
    const cwd = x.project({ good: serverWithTools(['one']), bad: serverWithTools(['two']) })
    expect(namesOf(await x.turn(cwd))).toEqual(['good__one'])
    expect(namesOf(await x.turn(cwd))).toEqual(['good__one'])
    expect(asked.sort()).toEqual(['bad', 'good'])
  })

  async function trust(home: string, cwd: string): Promise<void> {
    const platform = { home, env: { HOME: home, PATH: process.env['PATH'] } }
    const { servers } = await discover({ cwd, sources: ['dispatch'], platform })
    for (const server of servers)
      await trustServer(await requestTrust(server, { cwd, sources: ['dispatch'], platform }), { platform })
  }
})

describe('Dispatch extension: the filter never throws', () => {
  test('D6 for any content of the directory', async () => {
    await using x = await startDispatch()
    const host = { tools: [], conversationId: 'c1' }
    const file = x.directory('file', { inside: 'text' })
    const odd = [
      join(file, 'inside'),
      '/nowhere',
      '',
      'relative/path',
      '\0',
      x.directory('list', { '.dispatch/mcp.json': '[1]' }),
      x.directory('folder', { '.dispatch/mcp.json/a': '' }),
      x.directory('proto', {
        '.dispatch/mcp.json': '{"servers":{"__proto__":{"command":"a"},"constructor":1}}',
      }),
    ]
    for (const cwd of odd) expect((await x.host.turn({ ...host, cwd })).assembly.tools).toEqual([])
    expect(x.host.thrown).toEqual([])
  })

  test('D6 when the logger or the kernel throws', async () => {
    await using x = await startDispatch()
    const cwd = x.project({ a: serverWithTools(['one']) })
    const fail = () => {
      throw new Error('full')
    }
    let filter: ((assembly: ToolAssembly) => Promise<ToolAssembly>) | undefined
    const host = {
      ...createDispatchHost(),
      logger: { debug: fail, info: fail, warn: fail, error: fail },
      defineTool: fail,
      addFilter(descriptor: unknown, added: unknown) {
        if (descriptor === toolsFilter) filter = added as typeof filter // the type of this descriptor's filter
        return () => undefined
      },
    }
    const platform = { home: x.home, env: { HOME: x.home, PATH: process.env['PATH'] } }
    const extension = createMcpExt({ trust: 'project', platform })
    await extension.activate(host)
    expect(await filter?.({ tools: [], cwd, conversationId: 'c1' })).toEqual({
      tools: [],
      cwd,
      conversationId: 'c1',
    })
    await extension.deactivate()
  })
})

test('D23 a turn downloads nothing and writes only to the user’s cache, state and config folders', async () => {
  await using x = await startDispatch()
  const cwd = x.project({ a: { ...serverWithTools(['one']), env: { TOKEN: canary } } })
  await x.turn(cwd)
  await x.deactivate()
  const written = filesIn(x.home).filter((file) => !file.startsWith(cwd))
  expect(written.every((file) => /\/\.(cache|local\/state|config)\/plugboard\//.test(file))).toBe(true)
  expect(written.filter((file) => readFileSync(file, 'utf8').includes(canary))).toEqual([])
  expect(filesIn(cwd)).toEqual([join(cwd, '.dispatch/mcp.json')])
})

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .flatMap((path) => (statSync(path).isDirectory() ? filesIn(path) : [path]))
}
