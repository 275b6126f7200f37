import { expect, test } from 'vitest'
import { faultyServer } from '../../src/testing/faulty-server.ts'
import { keyFor, startGateway, textOf } from '../support/gateway.ts'

const tools = [
  { name: 'read_issue', description: 'Reads an issue with its comments.' },
  { name: 'create_pull_request', description: 'Creates a pull request.' },
].map((tool) => ({ ...tool, inputSchema: { type: 'object' } }))

const servers = {
  github: faultyServer({ tools }),
  files: faultyServer({
    tools: [
      { name: 'read_file', description: 'Reads a file of the project.', inputSchema: { type: 'object' } },
    ],
  }),
}
const call = (name: string) => ({ name, arguments: {} })

test('FI-102 what one caller has read stops its own way out at every address, and none of another caller', async () => {
  await using started = await startGateway(servers, { settings: { trifecta: 'block' } })
  const [reader, other] = [await keyFor(started, 'reader'), await keyFor(started, 'other')]
  await started.modern('tools/call', call('github__read_issue'), reader)
  await started.modern('tools/call', call('files__read_file'), reader)
  const out = call('github__create_pull_request')
  const refused = await started.modern('tools/call', out, reader)
  expect(textOf(refused)).toContain('github/read_issue has brought in text that strangers wrote')
  const named = { name: 'call_tool', arguments: out }
  const inSearch = await started.modern('tools/call', named, { ...reader, path: '?mode=search' })
  expect(textOf(inSearch)).toContain('github/read_issue has brought in text that strangers wrote')
  expect(textOf(await started.legacy('tools/call', out, reader))).toContain('github/read_issue')
  const others = await started.modern('tools/call', out, other)
  expect([others.body.result?.['isError'], textOf(others)]).toEqual([
    undefined,
    expect.not.stringContaining('read_issue'),
  ])
})

test('FI-102 another conversation that the client names is free of what was read in the first', async () => {
  await using started = await startGateway(servers, { settings: { trifecta: 'block' } })
  const reader = await keyFor(started, 'reader')
  const within = (conversation: string, name: string) =>
    started.modern('tools/call', { ...call(name), _meta: { 'plugboard/conversation': conversation } }, reader)
  await within('one', 'github__read_issue')
  await within('one', 'files__read_file')
  expect(textOf(await within('one', 'github__create_pull_request'))).toContain('github/read_issue')
  const free = await within('two', 'github__create_pull_request')
  expect(free.body.result?.['isError']).toBeUndefined()
})
