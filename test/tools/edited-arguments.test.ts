import { expect, test } from 'vitest'
import type { ApprovalQuestion, Approve, EditedGrant, JsonObject, Rule } from '../../src/index.ts'
import { runAgent } from '../support/agent-run.ts'
import { serverWithTools, toolHost } from '../support/tool-host.ts'

const write = {
  name: 'write',
  inputSchema: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
}
const servers = { a: serverWithTools([write, 'journal']) }
const policy: readonly Rule[] = [
  { effect: 'ask', tools: ['*__write'] },
  { effect: 'deny', tools: ['*__write'], when: [{ at: '/to', equals: 'secret' }] },
]
const editing =
  (args: unknown): Approve =>
  async () =>
    ({ grant: 'once', args }) as EditedGrant // some are no arguments

/** The arguments of the calls that reached the server. */
async function received(
  call: (name: string) => Promise<{ readonly text: string }>,
): Promise<readonly unknown[]> {
  const heard = JSON.parse((await call('a__journal')).text) as readonly {
    readonly message?: { readonly params?: JsonObject }
  }[] // the journal of the faulty server
  return heard.flatMap(({ message }) =>
    message?.params?.['name'] === 'write' ? [message.params['arguments']] : [],
  )
}

test('T10 arguments that a person changes before allowing a call are the ones that run', async () => {
  await using x = await toolHost(servers, { policy: policy.slice(0, 1), approve: editing({ to: 'b' }) })
  expect(await x.host.call('a__write', { to: 'a' })).toMatchObject({ failed: false, editedArgs: { to: 'b' } })
  expect(await received((name) => x.host.call(name))).toEqual([{ to: 'b' }])
})

test('T10 changed arguments are checked and decided on as any others; a half answer is a refusal', async () => {
  for (const [args, code] of [
    [{ to: 7 }, 'call.invalid-args'],
    [{ to: 'secret' }, 'call.denied'],
    ['to', 'call.denied'],
    [undefined, 'call.denied'],
  ] as const) {
    await using x = await toolHost(servers, { policy, approve: editing(args) })
    await expect(x.host.call('a__write', { to: 'a' })).rejects.toMatchObject({ code })
    expect(await received((name) => x.host.call(name))).toEqual([])
  }
})

test('a question names the rule that asks, with its place; the default asks without one', async () => {
  const asked: ApprovalQuestion[] = []
  const approve: Approve = async (question) => {
    asked.push(question)
    return 'once'
  }
  const origin = { file: '/home/dana/rules.json', line: 9 }
  await using x = await toolHost(servers, {
    policy: [{ effect: 'ask', tools: ['a__write'], origin }],
    approve,
    asks: 'writes',
  })
  await x.host.call('a__write', { to: 'a' })
  await x.host.call('a__journal')
  expect(asked.map(({ rule }) => rule)).toEqual([{ effect: 'ask', tools: ['a__write'], origin }, undefined])
})

test('an agent records the arguments that ran, and tells the model', async () => {
  const run = await runAgent({
    script: [{ calls: [{ name: 'a__write', args: { to: 'a' } }] }, { text: 'Done.' }],
    servers,
    host: { policy: policy.slice(0, 1), approve: editing({ to: 'b' }) },
  })
  await run.ask('Write it')
  expect(run.eventsOf('call.finished')).toMatchObject([{ outcome: 'done', args: { to: 'b' } }])
  expect(run.model.requests[1]?.bodyText).toContain(String.raw`It ran with: {\"to\":\"b\"}`)
})
