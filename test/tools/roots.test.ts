import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { createScriptedServer, faultyServer } from '../../src/testing.ts'
import { newHome, toolHost } from '../support/tool-host.ts'

test('roots: cwd gives the working directories of the host and of open scopes (C31 D22)', async () => {
  const home = newHome()
  const journal = join(home, 'journal')
  // Its tool requests the roots and returns them.
  const asking = faultyServer({
    tools: [{ name: 'look', inputSchema: { type: 'object' } }],
    on: { 'tools/call': [{ ask: [{ method: 'roots/list' }] }] },
    journal,
  })
  await using x = await toolHost({ s: { ...asking, protocol: 'legacy' } }, { home, roots: 'cwd' })
  const cwd = join(x.home, 'project')
  const uris = (...folders: readonly string[]) =>
    folders.map((folder) => ({ uri: pathToFileURL(folder).href }))
  const told = async () => {
    const { text } = await x.host.call('s__look')
    const [answer] = JSON.parse(text) as readonly { readonly result: { readonly roots: unknown } }[]
    return answer?.result.roots
  }
  expect(await told()).toEqual(uris(cwd))
  const one = await x.host.scope({ cwd: '/elsewhere' })
  const two = await x.host.scope({ cwd: '/elsewhere' })
  expect(await told()).toEqual(uris(cwd, '/elsewhere'))
  one[Symbol.dispose]()
  one[Symbol.dispose]()
  expect(await told()).toEqual(uris(cwd, '/elsewhere'))
  two[Symbol.dispose]()
  expect(await told()).toEqual(uris(cwd))
  expect(readFileSync(journal, 'utf8').split('notifications/roots/list_changed')).toHaveLength(3)
})

const asks = faultyServer({
  tools: [{ name: 'look', inputSchema: { type: 'object' } }],
  on: { 'tools/call': [{ ask: [{ method: 'roots/list' }] }] },
})

test('roots: without the option the capability is not declared, and requests are refused', async () => {
  await using x = await toolHost({ s: { ...asks, protocol: 'legacy' } })
  expect(JSON.parse((await x.host.call('s__look')).text)).toEqual([
    { method: 'roots/list', error: { code: -32601, message: 'Method not found: roots/list' } },
  ])
  const silent = createScriptedServer({ capabilities: {} })
  await using y = await toolHost({ s: { command: 'not-started' } }, { channels: { s: silent.open } })
  await y.host.connect('s')
  const [greeting] = silent.received.flatMap((message) =>
    'method' in message && message.method === 'initialize' ? [message.params] : [],
  )
  expect(greeting).toMatchObject({ capabilities: {} })
})

test('roots: a function gets the name of the server, and may return no roots', async () => {
  const heard: string[] = []
  const roots = ({ server }: { readonly server: string }) => {
    heard.push(server)
    return server === 'known' ? ['/work'] : undefined
  }
  const entry = { ...asks, protocol: 'legacy' } as const
  await using x = await toolHost({ known: entry, other: entry }, { roots })
  const told = async (tool: string): Promise<unknown> => JSON.parse((await x.host.call(tool)).text)
  expect(await told('known__look')).toEqual([
    { method: 'roots/list', result: { roots: [{ uri: 'file:///work' }] } },
  ])
  expect(await told('other__look')).toEqual([{ method: 'roots/list', result: { roots: [] } }])
  expect(heard).toEqual(['known', 'other'])
})
