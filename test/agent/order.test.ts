import { McpServer } from '@modelcontextprotocol/server'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { runAgent } from '../support/agent-run.ts'

/** A server whose tools report when each call begins and ends. `together`: a call ends when so many run at once. */
function overlapping(log: string[], together: number) {
  const server = new McpServer({ name: 'overlapping', version: '1.0.0' })
  let running = 0
  let release = () => {}
  const all = new Promise<void>((resolve) => (release = resolve))
  const add = (name: string, readOnlyHint: boolean) =>
    server.registerTool(
      name,
      { inputSchema: z.object({ n: z.number() }), annotations: { readOnlyHint } },
      async ({ n }) => {
        log.push(`+${n}`)
        if (++running >= together) release()
        // Without a partner a call must end by itself: calls in order would wait for ever.
        await (together > 1 ? all : new Promise((resolve) => setImmediate(resolve)))
        running--
        log.push(`-${n}`)
        return { content: [{ type: 'text', text: `did ${n}` }] }
      },
    )
  add('read', true)
  add('write', false)
  return server
}

const callsOf = (name: string, numbers: readonly number[]) => numbers.map((n) => ({ name, args: { n } }))

describe('agent: several calls in one step', () => {
  test('read-only calls run at once where parallel allows it, and their results keep the order of the calls', async () => {
    const log: string[] = []
    const run = await runAgent({
      host: { servers: { s: { server: overlapping(log, 3) } }, parallel: { s: 'readOnlyHint' } },
      script: [{ calls: callsOf('s__read', [1, 2, 3]) }, { text: 'Done.' }],
    })
    expect(await run.ask('Go.')).toMatchObject({ outcome: 'done' })
    expect(log.slice(0, 3)).toEqual(['+1', '+2', '+3'])
    expect(run.model.requests[1]?.messages.at(-1)?.results?.map(({ text }) => text)).toEqual([
      'did 1',
      'did 2',
      'did 3',
    ])
  })

  test.each([
    ['calls that may write', 's__write', 'readOnlyHint'],
    ['read-only calls of a server that does not allow it', 's__read', 'never'],
  ] as const)('%s run in order, one at a time', async (_, name, parallel) => {
    const log: string[] = []
    const run = await runAgent({
      host: { servers: { s: { server: overlapping(log, 1) } }, parallel: { s: parallel } },
      script: [{ calls: callsOf(name, [1, 2, 3]) }, { text: 'Done.' }],
    })
    expect(await run.ask('Go.')).toMatchObject({ outcome: 'done' })
    expect(log).toEqual(['+1', '-1', '+2', '-2', '+3', '-3'])
  })

  test('a write between reads waits for those before it, and those after it wait for the write', async () => {
    const log: string[] = []
    const run = await runAgent({
      host: { servers: { s: { server: overlapping(log, 1) } }, parallel: { s: 'readOnlyHint' } },
      script: [
        { calls: [...callsOf('s__read', [1]), ...callsOf('s__write', [2]), ...callsOf('s__read', [3])] },
        { text: 'Done.' },
      ],
    })
    expect(await run.ask('Go.')).toMatchObject({ outcome: 'done' })
    expect(log).toEqual(['+1', '-1', '+2', '-2', '+3', '-3'])
  })
})
