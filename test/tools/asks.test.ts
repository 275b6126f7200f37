import { describe, expect, test } from 'vitest'
import type { HostOptions } from '../../src/index.ts'
import { newHome, scripted, toolHost, writeFiles } from '../support/tool-host.ts'

const inputSchema = { type: 'object' } as const
const servers = {
  notes: scripted({
    tools: [
      { name: 'list', inputSchema, annotations: { readOnlyHint: true } },
      { name: 'add', inputSchema },
    ],
  }),
}
const settings = '.config/plugboard/settings.json'
const allow = { effect: 'allow', tools: ['notes/add'] }

async function open(
  user: object,
  options: HostOptions & { home?: string; files?: Record<string, string> } = {},
) {
  const { home = newHome() } = options
  writeFiles(home, { [settings]: JSON.stringify(user) })
  const x = await toolHost(servers, { asks: 'writes', ...options, home })
  await x.host.ready()
  return x
}

describe('asks: writes', () => {
  test('without a way to ask, the refusal names the rule that would allow the tool, and that rule works', async () => {
    await using x = await open({})
    expect(await x.host.call('notes__list')).toMatchObject({ failed: false })
    const file = `${x.home}/${settings}`
    const hint = `To allow it, add the rule { "effect": "allow", "tools": ["notes/add"] } to "rules" in ${file}`
    await expect(x.host.call('notes__add')).rejects.toMatchObject({
      code: 'call.denied',
      data: { ref: 'notes/add', reason: 'It does not declare that it is read-only.' },
      hint,
    })
    expect(x.host.why('notes/add').decision).toEqual({
      effect: 'ask',
      by: 'default',
      reason: 'It does not declare that it is read-only.',
      asks: ['writes'],
      allowedBy: { rule: allow, file },
    })
    writeFiles(x.home, { [settings]: JSON.stringify({ rules: [allow] }) })
    await x.host.reload()
    expect(await x.host.call('notes__add')).toMatchObject({ failed: false })
  })

  test('T01 a project cannot lift the question, and an answer holds as long as it says', async () => {
    const asked: string[] = []
    await using x = await open(
      {},
      {
        files: { '.plugboard/settings.json': JSON.stringify({ rules: [allow] }) },
        async approve({ tool, reason }) {
          asked.push(`${tool.ref}: ${reason}`)
          return asked.length === 1 ? 'no' : 'always'
        },
      },
    )
    await expect(x.host.call('notes__add')).rejects.toMatchObject({ code: 'call.denied' })
    await x.host.call('notes__add')
    await x.host.call('notes__add')
    expect(asked).toEqual(Array(2).fill('notes/add: It does not declare that it is read-only.'))
  })

  test('the option is off by default, and why() can explain it all the same', async () => {
    await using x = await open({ readOnly: { policy: 'off', believes: [] } }, { asks: undefined } as object)
    expect(await x.host.call('notes__add')).toMatchObject({ failed: false })
    expect(x.host.why('notes/add').decision.effect).toBe('allow')
    expect(x.host.why('notes/add', { asks: 'writes' }).decision.effect).toBe('ask')
    expect(x.host.why('notes/list', { asks: 'writes' }).decision.reason).toBe(
      'Declarations of the server "notes" are not believed.',
    )
  })
})
