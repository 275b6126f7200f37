import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { nodePlatform } from '../../src/index.ts'
import type { JsonObject } from '../../src/index.ts'
import { faultyServer, startFaultyHttp } from '../../src/testing.ts'
import { startDispatch, namesOf, serverWithTools } from './dispatch-support.ts'

const capabilities = { tools: {}, resources: {}, prompts: {} }
const resources = [{ uri: 'file:///notes.md', name: 'notes', description: 'What was said.' }]
const rich = {
  capabilities,
  resources,
  prompts: [
    {
      name: 'review',
      description: 'Reviews a file.',
      arguments: [{ name: 'file', description: 'Which.', required: true }, { name: 'style' }],
    },
  ],
  results: {
    'resources/read': { contents: [{ uri: 'file:///notes.md', text: 'All of it.' }] },
    'prompts/get': { messages: [{ role: 'user', content: { type: 'text', text: 'Review a.ts.' } }] },
  },
}
/** A server whose tool sends these requests to the client and returns the answers. */
const asking = (...methods: readonly JsonObject[]) => faultyServer({ on: { 'tools/call': { ask: methods } } })

describe('D21 D22 later phases are off by default', () => {
  test('D21 there is no resource tool and no skill', async () => {
    await using x = await startDispatch()
    const cwd = x.project({ a: faultyServer(rich) })
    expect(namesOf(await x.turn(cwd))).toEqual(['a__tool-0'])
    expect(await x.service.skills({ cwd })).toEqual([])
  })

  test('D21 servers are asked for tools only, until a later phase uses more', async () => {
    const asked = async (options: Parameters<typeof startDispatch>[0]) => {
      await using x = await startDispatch(options)
      const journal = join(x.home, 'journal')
      await x.turn(x.project({ a: faultyServer({ ...rich, journal }) }))
      return ['tools/list', 'resources/list', 'prompts/list'].filter((method) =>
        readFileSync(journal, 'utf8').includes(method),
      )
    }
    expect(await asked({})).toEqual(['tools/list'])
    expect(await asked({ prompts: 'skills' })).toEqual(['tools/list', 'resources/list', 'prompts/list'])
  })

  test('D22 a server may not request sampling, roots or elicitation', async () => {
    await using x = await startDispatch()
    const methods = ['roots/list', 'sampling/createMessage', 'elicitation/create'] as const
    const turn = await x.turn(x.project({ a: asking(...methods.map((method) => ({ method, params: {} }))) }))
    const { content } = await turn.call('a__tool-0')
    expect(JSON.parse(content)).toEqual(
      methods.map((method) => ({ method, error: { code: -32601, message: `Method not found: ${method}` } })),
    )
  })
})

describe('resources: "tool"', () => {
  test('D21 the tool mcp lists and reads the resources of the turn’s servers', async () => {
    await using x = await startDispatch({ resources: 'tool' })
    const cwd = x.project({ a: faultyServer(rich) })
    const turn = await x.turn(cwd)
    expect(namesOf(turn)).toEqual(['a__tool-0', 'mcp'])
    const listed = await turn.call('mcp', { op: 'list_resources' })
    expect(listed.content).toContain('file:///notes.md')
    expect(await turn.call('mcp', { op: 'read_resource', uri: 'file:///notes.md' })).toEqual({
      content: 'All of it.',
    })
    expect(namesOf(await x.turn(x.project({ b: serverWithTools(['one']) }, 'other')))).toEqual(['b__one'])
  })

  test('D21 C11 Dispatch’s own tool named mcp stays, and a warning is logged once', async () => {
    const own = {
      name: 'mcp',
      description: 'Mine.',
      parameters: { type: 'object' },
      execute: async () => ({ content: 'mine' }),
    } as const
    await using x = await startDispatch({ resources: 'tool', tools: [own] })
    const cwd = x.project({ a: faultyServer(rich) })
    await x.turn(cwd)
    const turn = await x.turn(cwd)
    expect([namesOf(turn), await turn.call('mcp')]).toEqual([['mcp', 'a__tool-0'], { content: 'mine' }])
    expect(x.host.logs.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
      '"mcp" is a tool of Dispatch itself; the MCP tool of that name is not offered.',
    ])
  })

  test('D21 a wrong call of the tool mcp returns an error that says why', async () => {
    await using x = await startDispatch({ resources: 'tool' })
    const turn = await x.turn(x.project({ a: faultyServer(rich) }))
    expect(await turn.call('mcp', { op: 'write' })).toEqual({
      content: '"op" must be one of list_resources, read_resource.',
      isError: true,
    })
    expect(await turn.call('mcp', 'list')).toMatchObject({ isError: true })
    expect(await turn.call('mcp', { op: 'read_resource' })).toEqual({
      content: expect.stringContaining('uri') as string,
      isError: true,
    })
    expect(await turn.call('mcp', { op: 'read_resource', uri: 'x:y' })).toEqual({
      content: expect.stringContaining('x:y') as string,
      isError: true,
    })
  })
})

test('D21 prompts: "skills" lists prompts as skills, and readSkill renders one with arguments', async () => {
  await using x = await startDispatch({ prompts: 'skills' })
  const cwd = x.project({ a: faultyServer(rich) })
  expect(await x.service.skills({ cwd })).toEqual([])
  await x.turn(cwd)
  expect(await x.service.skills({ cwd, conversationId: 'c1' })).toEqual([
    {
      name: 'a__review',
      description: '[a] Reviews a file.',
      serverId: 'a',
      arguments: [{ name: 'file', description: 'Which.', required: true }, { name: 'style' }],
    },
  ])
  const name = 'a__review'
  expect(await x.service.readSkill({ cwd, name, arguments: { file: 'a.ts' } })).toBe('Review a.ts.')
  await expect(x.service.readSkill({ cwd, name })).rejects.toMatchObject({ code: 'call.invalid-args' })
  await expect(x.service.readSkill({ cwd, name: 'a__none' })).rejects.toMatchObject({ code: 'usage' })
})

describe('requests of servers', () => {
  test('D22 roots: "cwd" answers with the working directory of the conversation', async () => {
    await using x = await startDispatch({ roots: 'cwd' })
    const a = x.project({ s: asking({ method: 'roots/list' }) }, 'a')
    const b = x.project({ s: asking({ method: 'roots/list' }) }, 'b')
    for (const cwd of [a, b]) {
      const { content } = await (await x.turn(cwd)).call('s__tool-0')
      expect(JSON.parse(content)).toEqual([
        { method: 'roots/list', result: { roots: [{ uri: pathToFileURL(cwd).href }] } },
      ])
    }
  })

  test('D22 sample and elicit receive the request and the working directory', async () => {
    const asked: unknown[] = []
    await using x = await startDispatch({
      async sample({ server, params }, { cwd }) {
        asked.push([server, params['maxTokens'], cwd])
        return { role: 'assistant', content: { type: 'text', text: 'Hm.' }, model: 'scripted' }
      },
      async elicit({ server, message }, { cwd }) {
        asked.push([server, message, cwd])
        return { action: 'accept', content: { sure: true } }
      },
    })
    const params = { mode: 'form', message: 'Sure?', requestedSchema: { type: 'object', properties: {} } }
    const cwd = x.project({
      s: asking(
        { method: 'sampling/createMessage', params: { messages: [], maxTokens: 5 } },
        { method: 'elicitation/create', params },
      ),
    })
    const { content } = await (await x.turn(cwd)).call('s__tool-0')
    expect(JSON.parse(content)).toEqual([
      {
        method: 'sampling/createMessage',
        result: { role: 'assistant', content: { type: 'text', text: 'Hm.' }, model: 'scripted' },
      },
      { method: 'elicitation/create', result: { action: 'accept', content: { sure: true } } },
    ])
    expect(asked).toEqual([
      ['s', 5, cwd],
      ['s', 'Sure?', cwd],
    ])
  })
})

test('D6 D7 switchServer: tools of a server switched off in a conversation are neither offered nor called there', async () => {
  await using x = await startDispatch({ resources: 'tool', prompts: 'skills' })
  const cwd = x.project({ a: faultyServer(rich), b: serverWithTools(['two']) })
  const first = await x.turn(cwd, { conversationId: 'c1' })
  const off = { cwd, conversationId: 'c1', serverId: 'a' }
  await x.service.switchServer({ ...off, on: false })
  expect(namesOf(await x.turn(cwd, { conversationId: 'c1' }))).toEqual(['b__two'])
  expect(namesOf(await x.turn(cwd, { conversationId: 'c2' }))).toEqual(['a__tool-0', 'b__two', 'mcp'])
  expect(await first.call('a__tool-0')).toMatchObject({ isError: true })
  expect(await x.service.skills(off)).toEqual([])
  await x.service.switchServer({ ...off, on: true })
  expect(namesOf(await x.turn(cwd, { conversationId: 'c1' }))).toEqual(['a__tool-0', 'b__two', 'mcp'])
})

test('D12 a remote server receives the headers of its entry', async () => {
  await using remote = await startFaultyHttp(
    { on: { 'tools/call': 'echo' } },
    { spawn: nodePlatform().spawn },
  )
  await using x = await startDispatch()
  const headers = { 'X-Team': 'shop' }
  const turn = await x.turn(x.project({ far: { transport: 'http', url: remote.url, headers } }))
  const { content } = await turn.call('far__tool-0')
  expect(JSON.parse(content)).toMatchObject({ headers: { 'x-team': 'shop' } })
})
