import { expect, test } from 'vitest'
import { createHost } from '../src/index.ts'
import type { HostEvent, HostOptions } from '../src/index.ts'
import { createScriptedServer } from '../src/testing.ts'
import { newHome } from './support/tool-host.ts'

const definitions = {
  github: [
    { name: 'read_issue', description: 'Reads an issue with its comments.' },
    { name: 'create_pull_request', description: 'Creates a pull request.' },
  ],
  files: [{ name: 'read_file', description: 'Reads a file of the project.' }],
  calc: [{ name: 'add', description: 'Adds two numbers.' }],
}

const path = { untrusted: 'github/read_issue', private: 'files/read_file', out: 'github/create_pull_request' }
const reason =
  'In this conversation github/read_issue has brought in text that strangers wrote, and files/read_file private data; github/create_pull_request could carry it out.'

/** Three servers in memory, and the calls that reached them. */
async function openHost(options: HostOptions = {}) {
  const sent: string[] = []
  const servers = Object.entries(definitions).map(([name, tools]) => {
    const { open } = createScriptedServer({
      tools: tools.map((tool) => ({ ...tool, inputSchema: { type: 'object' } })),
      on: {
        'tools/call': ({ name: tool }) => {
          sent.push(`${name}/${typeof tool === 'string' ? tool : ''}`)
          return { content: [{ type: 'text', text: 'done' }] }
        },
      },
    })
    return [name, open] as const
  })
  const events: HostEvent[] = []
  const home = newHome()
  const host = await createHost({
    cwd: home,
    servers: Object.fromEntries(servers.map(([name]) => [name, { command: 'not-installed' }])),
    channels: Object.fromEntries(servers),
    platform: { home, env: { HOME: home } },
    on: (event) => events.push(event),
    ...options,
  })
  await host.ready()
  const warnings = () => events.filter((event) => event.type === 'call.warned')
  return { host, sent, warnings, [Symbol.asyncDispose]: () => host.close() }
}

test('T15 by default, a way out after text of strangers and private data is called with a warning that names the three', async () => {
  await using opened = await openHost()
  const { host, warnings } = opened
  const early = await host.call('github/create_pull_request')
  await host.call('github/read_issue')
  await host.call('calc/add')
  const before = await host.call('github/create_pull_request')
  expect([early.risk, before.risk, warnings()]).toEqual([undefined, undefined, []])
  expect(host.why('github/create_pull_request').risk).toBeUndefined()
  await host.call('files/read_file')
  expect(host.why('github/create_pull_request')).toMatchObject({
    risk: reason,
    decision: { effect: 'allow' },
  })
  const after = await host.call('github/create_pull_request')
  expect(after).toMatchObject({ risk: reason, text: 'done', failed: false })
  expect(warnings()).toMatchObject([{ ref: 'github/create_pull_request', message: reason, path }])
  expect((await host.call('calc/add')).risk).toBeUndefined()
})

test('T15 with ask, a person is asked with the reason, and one approval holds for the conversation', async () => {
  const asked: string[] = []
  const answers = ['no', 'conversation'] as const
  await using opened = await openHost({
    trifecta: 'ask',
    approve: async ({ reason: why }) => answers[asked.push(why) - 1] ?? 'no',
  })
  const view = await opened.host.scope({ conversation: 'one' })
  for (const name of ['github/read_issue', 'files/read_file']) await view.call(name)
  const send = () => view.call('github/create_pull_request')
  await expect(send()).rejects.toMatchObject({ code: 'call.denied' })
  expect((await send()).text).toBe('done')
  expect((await send()).text).toBe('done')
  expect(asked).toEqual([reason, reason])
  expect(opened.sent.filter((ref) => ref === path.out)).toHaveLength(2)
})

test('T15 with block, the call is refused with the reason and reaches no server', async () => {
  await using opened = await openHost({ trifecta: 'block' })
  const { host, sent } = opened
  for (const name of ['files/read_file', 'github/read_issue']) await host.call(name)
  await expect(host.call('github/create_pull_request')).rejects.toMatchObject({
    code: 'call.denied',
    message: expect.stringContaining(reason) as string,
  })
  expect(host.why('github/create_pull_request').decision).toEqual({ effect: 'deny', by: 'trifecta', reason })
  expect(sent).not.toContain(path.out)
})

test('T15 conversations are apart, and all views of one share what came in', async () => {
  await using opened = await openHost({ trifecta: 'block' })
  const [one, same, other] = await Promise.all(
    ['a', 'a', 'b'].map((conversation) => opened.host.scope({ conversation })),
  )
  await one?.call('github/read_issue')
  await same?.call('files/read_file')
  await expect(one?.call('github/create_pull_request')).rejects.toMatchObject({ code: 'call.denied' })
  expect((await other?.call('github/create_pull_request'))?.text).toBe('done')
})

test('T15 labels of the person and the mode off decide, and presets of other systems have none', async () => {
  for (const options of [
    { labels: { 'files/*': [] } },
    { trifecta: 'off' },
    { preset: 'omp' },
  ] as const satisfies readonly HostOptions[]) {
    await using opened = await openHost(options)
    const { host, warnings } = opened
    const tools = Object.fromEntries(host.tools().map(({ ref, name }) => [ref, name]))
    for (const ref of [path.untrusted, path.private]) await host.call(tools[ref] ?? ref)
    expect((await host.call(tools[path.out] ?? path.out)).risk).toBeUndefined()
    expect(warnings()).toEqual([])
  }
})

test('a wrong mode or label is refused', async () => {
  const wrong = [
    { trifecta: 'always' },
    { labels: { 'a/*': ['secret'] } },
  ] as unknown as readonly HostOptions[]
  for (const options of wrong)
    await expect(createHost(options)).rejects.toMatchObject({ code: 'config.invalid' })
})
