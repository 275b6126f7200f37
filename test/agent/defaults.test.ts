import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createAgent, openModel } from '../../src/agent.ts'
import type { AgentOptions } from '../../src/agent.ts'
import { agentOn, scriptedModel as modelServer } from '../support/agent-run.ts'
import { eventsOf, openAgent, serverOf } from '../support/agent-host.ts'
import { scriptedModel } from '../support/scripted-model.ts'
import { Stores } from '../support/stores.ts'
import { newHome, toolHost, writeFiles } from '../support/tool-host.ts'

const writing = () => serverOf({ put: () => 'written' }, { isReadOnly: false })
const put = { calls: [{ name: 'x__put' }] }

describe('agent: what holds without any option', () => {
  test('T22 a program asks before a tool that writes, and refuses it where nobody can be asked', async () => {
    const { model } = scriptedModel(put, { text: 'done' }, put, { text: 'done' })
    await using world = await openAgent({ x: writing() }, model, { asks: 'writes' })
    expect(await world.agent.send('go').finished).toMatchObject({ outcome: 'refused' })
    const [refused] = eventsOf(world.events, 'call.finished')
    expect(refused).toMatchObject({
      outcome: 'refused',
      error: { code: 'call.denied', hint: expect.stringContaining('"effect": "allow"') as string },
    })
    await using free = await createAgent({ host: world.host, model, asks: 'rules' })
    expect(await free.send('go').finished).toMatchObject({ outcome: 'done' })
    await using usual = await createAgent({
      host: world.host,
      model: scriptedModel(put, { text: 'x' }).model,
    })
    expect(await usual.send('go').finished).toMatchObject({ outcome: 'refused' })
  })

  test('T22 a scope may ask where its host does not; its approvals are those of the host', async () => {
    const asked: string[] = []
    const { model } = scriptedModel(put, { text: 'done' })
    await using world = await openAgent({ x: writing() }, model, {
      host: {
        async approve({ tool }) {
          asked.push(tool.ref)
          return 'once'
        },
      },
      asks: 'writes',
    })
    expect(await world.agent.send('go').finished).toMatchObject({ outcome: 'done' })
    expect(asked).toEqual(['x/put'])
    await world.host.call('x/put')
    expect(asked).toEqual(['x/put'])
    await expect(world.host.scope({ asks: 'rules' as 'writes' })).rejects.toMatchObject({
      code: 'config.invalid',
    })
  })

  test('T35 the first prompt is kept without the key of the model and without secrets of servers that have not started', async () => {
    const [key, token, literal] = ['sekret-key-12345678', 'zebra-plain-token-42', 'written-in-the-entry']
    const home = newHome()
    const env = { HOME: home, PATH: process.env['PATH'], CORP_KEY: key, MY_TOK: token }
    const servers = await toolHost(
      {
        a: {
          command: 'nothing-of-this-name',
          env: { TOK: '${env:MY_TOK}', API_KEY: literal, OTHER: '!exit 1' },
          enabled: true,
        },
      },
      { home, platform: { env } },
    )
    const stores = new Stores('libsql')
    try {
      const store = await stores.open({ redact: (text) => text })
      const server = await modelServer('anthropic', [{ text: `I know ${token}.` }])
      const endpoints = { corp: { kind: 'anthropic', url: server.url, key: '${env:CORP_KEY}' } }
      writeFiles(home, { '.config/plugboard/settings.json': JSON.stringify({ endpoints }) })
      const model = await openModel('corp/one', { platform: { home, env } })
      const run = await agentOn(servers, server, { model, store })
      const prompt = `${key} ${token} ${literal}`
      await run.ask(prompt)
      await run.agent.close()
      const { id } = run.agent.conversation
      const rows = [await store.conversations.get(id), await store.conversations.messages(id), run.events]
      for (const secret of [key, token, literal]) expect(JSON.stringify(rows)).not.toContain(secret)
      // The model itself gets what the person wrote.
      expect(server.requests[0]?.bodyText).toContain(prompt)
    } finally {
      await stores.close()
    }
  })

  test('an agent of the preset of the host has its prompt', async () => {
    const home = newHome()
    const agents = '## Cfgag\n---\nname: Cfgag\ntools: [x__*]\n---\nCFGPROMPT text\n'
    const servers = await toolHost({}, { home, preset: 'boocode' })
    writeFileSync(join(home, 'AGENTS.md'), agents)
    const server = await modelServer('openai-chat', [{ text: 'Hi.' }])
    const run = await agentOn(servers, server, { agent: 'Cfgag' })
    await run.ask('Hi')
    expect(server.requests[0]?.system).toContain('CFGPROMPT text')
    expect((await servers.host.agents()).map(({ name }) => name)).toContain('Cfgag')
  })

  test('T16 only servers with a tool that the agent sees add to its instructions', async () => {
    const { model, requests } = scriptedModel({ text: 'Hi.' })
    const other = serverOf({ look: () => 'x' }, { instructions: 'FOREIGN words' })
    other.registerPrompt('p', { description: 'p' }, () => ({ messages: [] }))
    await using world = await openAgent(
      { x: serverOf({ echo: () => 'x' }, { instructions: 'OWN words' }), y: other },
      model,
      {
        agent: 'echoer',
        files: {
          '.claude/agents/echoer.md':
            '---\nname: echoer\ndescription: d\ntools: mcp__x__echo, mcp__y__none\n---\nYou echo.\n',
        },
      },
    )
    await world.agent.send('Hi').finished
    const system = String(requests[0]?.prompt[0]?.content)
    expect(system).toContain('OWN words')
    expect(system).not.toContain('FOREIGN')
  })
})

describe('agent: options that cannot be used', () => {
  const { model } = scriptedModel({ text: 'Hi.' })
  const host = { scope: () => undefined } as unknown as AgentOptions['host']
  test.each<[string, object, string]>([
    ['no host', {}, 'The option host must be a host: await createHost().'],
    ['a limit below 0', { host, limits: { steps: -1 } }, 'limits.steps must be a number above 0'],
    ['an unknown limit', { host, limits: { foo: 3 } }, 'There is no limit "foo". The limits are steps'],
    ['another asks', { host, asks: 'never' }, 'The option asks must be "writes" or "rules".'],
    ['a conversation without a store', { host, conversation: 'c' }, 'needs the store'],
    [
      'an unknown type',
      { host, outputSchema: { properties: { a: { type: 'nonsense' } } } },
      'The schema of the output is not valid: /properties/a/type must be one of null, boolean',
    ],
    ['a list of nothing', { host, outputSchema: { anyOf: { type: 'string' } } }, '/anyOf must be a list'],
  ])('%s', async (_, options, message) => {
    const created = createAgent({ model, ...options } as AgentOptions)
    await expect(created).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(message) as string,
    })
  })
})
