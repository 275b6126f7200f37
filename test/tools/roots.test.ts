import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { faultyServer } from '../../src/testing.ts'
import { newHome, toolHost } from '../support/tool-host.ts'

test('C31 D22 servers are told the working directories of the host and of the scopes that are open', async () => {
  const home = newHome()
  const journal = join(home, 'journal')
  // Its tool asks for the roots, and answers with what it was told.
  const asking = faultyServer({
    tools: [{ name: 'look', inputSchema: { type: 'object' } }],
    on: { 'tools/call': [{ ask: [{ method: 'roots/list' }] }] },
    journal,
  })
  await using x = await toolHost({ s: { ...asking, protocol: 'legacy' } }, { home })
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
