import { expect, test } from 'vitest'
import { createScriptedServer, faultyServer, recordCassette, replayCassette } from '../src/testing.ts'
import { hostWith } from './support/hosted.ts'

const add = { name: 'add', inputSchema: { type: 'object' } } as const

test('createHost channels: an in-memory channel replaces the transport of the entry', async () => {
  const server = createScriptedServer({
    tools: [add],
    on: { 'tools/call': () => ({ content: [{ type: 'text', text: 'three' }] }) },
  })
  await using hosted = await hostWith({ command: 'not-installed' }, { channels: { x: server.open } })
  expect(await hosted.tools()).toEqual(['add'])
  expect(await hosted.call('add')).toBe('three')
})

test('recordCassette and replayCassette: a recorded conversation is replayed without the server', async () => {
  const lines: string[] = []
  const real = faultyServer({ on: { 'tools/call': { answer: { text: 'from the server' } } } })
  {
    await using recorded = await hostWith(
      { ...real },
      { wrapChannel: (_server, open) => recordCassette(open, (line) => lines.push(line)) },
    )
    expect(await recorded.call('tool-0')).toBe('from the server')
  }
  await using replayed = await hostWith(
    { command: 'not-installed' },
    { channels: { x: replayCassette(lines.join('\n')) } },
  )
  expect(await replayed.call('tool-0')).toBe('from the server')
})
