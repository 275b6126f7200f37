import { expect, test } from 'vitest'
import { connectRemote } from '../../test/support/connection.ts'
import { takeSnapshot } from './take-snapshot.ts'

const modern = '2026-07-28'
const offered: Readonly<Record<string, unknown>> = {
  'server/discover': { supportedVersions: [modern], capabilities: { tools: {} } },
  'tools/list': { tools: [{ name: 'a', inputSchema: { type: 'object' } }] },
  'prompts/list': { prompts: [{ name: 'p' }] },
}

async function snapshotOf(protocol: 'auto' | typeof modern) {
  const { connection, clock, remotes } = connectRemote(
    ({ id, method }, remote) => {
      if (Object.hasOwn(offered, method)) remote.answer(id, offered[method])
      else remote.refuse(id, -32601)
    },
    { context: { protocol } },
  )
  const { snapshot } = await takeSnapshot(connection, { before: undefined, clock })
  const { tools, resources, resourceTemplates, prompts } = snapshot
  await connection.close()
  const lists = remotes.flatMap(({ sent }) => sent.filter(({ method }) => method.endsWith('/list')))
  return { names: tools.map(({ name }) => name), resources, resourceTemplates, prompts, asked: lists.length }
}

test('takeSnapshot: assumed capabilities: requests all lists; an unknown list is empty', async () => {
  expect(await snapshotOf(modern)).toEqual({
    names: ['a'],
    resources: [],
    resourceTemplates: [],
    prompts: [{ name: 'p' }],
    asked: 4,
  })
})

test('takeSnapshot: declared capabilities: requests only the declared lists', async () => {
  expect(await snapshotOf('auto')).toEqual({
    names: ['a'],
    resources: [],
    resourceTemplates: [],
    prompts: [],
    asked: 1,
  })
})
