import { expect, test } from 'vitest'
import { startDispatch } from '../systems/dispatch-support.ts'
import { runAgent } from '../support/agent-run.ts'
import { newHome } from '../support/tool-host.ts'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pdf, skillServer } from '../support/skill-plans.ts'

test('an agent gets one small tool with the list, loads a skill after a yes, reads its file, and the trail has rows', async () => {
  const asked: string[] = []
  const home = newHome()
  const run = await runAgent({
    script: [
      { calls: [{ name: 'load_skill', args: { skill: 'docs/pdf-processing' } }] },
      {
        calls: [{ name: 'load_skill', args: { skill: 'docs/pdf-processing', file: 'references/FORMS.md' } }],
      },
      { text: 'Done.' },
    ],
    servers: { docs: skillServer({ skills: [pdf] }).entry },
    host: {
      home,
      audit: { surface: 'chat' },
      async approve({ tool }) {
        asked.push(tool.ref)
        return 'once'
      },
    },
  })
  const end = await run.ask('Fill the form.')
  expect([end.outcome, asked]).toEqual(['done', ['docs/skill:pdf-processing']])
  expect(
    run.eventsOf('call.finished').map(({ name, outcome, text }) => [name, outcome, text.split('\n').at(-2)]),
  ).toEqual([
    ['load_skill', 'done', 'Read references/FORMS.md first.'],
    ['load_skill', 'done', 'Fill one field at a time.'],
  ])
  const [offered] = run.eventsOf('tools.offered')
  expect(offered).toMatchObject({ count: 1, added: ['load_skill'] })
  expect(offered?.tokens).toBeLessThan(250)
  const tools = run.model.requests.map(({ body }) => JSON.stringify(body['tools']))
  expect(new Set(tools).size).toBe(1)
  await run.servers.host.flushAudit()
  const folder = join(home, '.local/state/plugboard/audit')
  const rows = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n'))
    .map(
      (line) =>
        JSON.parse(line) as { readonly ref?: string; readonly decision?: { readonly effect: string } },
    )
    .filter(({ ref }) => ref !== undefined)
  expect(rows.map(({ ref, decision }) => [ref, decision?.effect])).toEqual([
    ['docs/skill:pdf-processing', 'ask'],
    ['docs/skill:pdf-processing', 'allow'],
  ])
})

test('without skills an agent has no tool for them', async () => {
  const tools = [{ name: 't', inputSchema: { type: 'object' } }]
  const run = await runAgent({ script: [{ text: 'Done.' }], servers: { docs: skillServer({ tools }).entry } })
  await run.ask('Hello.')
  expect(run.eventsOf('tools.offered')[0]).toMatchObject({ count: 1, added: ['docs__t'] })
})

test('D21 in the place of Dispatch, prompts and skills of servers are one list, and readSkill gives either', async () => {
  await using x = await startDispatch({
    prompts: 'skills',
    policy: [{ effect: 'allow', tools: ['*'] }],
  })
  const cwd = x.project({ docs: skillServer({ skills: [pdf] }).entry })
  await x.turn(cwd)
  expect(await x.service.skills({ cwd, conversationId: 'c1' })).toEqual([
    {
      name: 'docs__pdf-processing',
      description: '[docs] Extract and fill PDF documents',
      serverId: 'docs',
      arguments: [],
    },
  ])
  expect(await x.service.readSkill({ cwd, name: 'docs__pdf-processing' })).toMatch(
    /^\[Skill "pdf-processing" of the MCP server "docs"\..*\]\nRead references\/FORMS\.md first\.\n$/s,
  )
})
