import { expect, test } from 'vitest'
import type { HostOptions } from '../../src/index.ts'
import { scripted, toolHost } from '../support/tool-host.ts'

const look = { name: 'look', inputSchema: { type: 'object' } } as const

test.each<[string, object, string]>([
  [
    'a guard with another spelling',
    { readOnly: 'require_declared' },
    'The option "readOnly" is invalid: require_declared must be off, reject-declared or require-declared, alone or as "policy".',
  ],
  ['a guard that is true', { readOnly: true }, 'The option "readOnly" is invalid: true must be off,'],
  [
    'a guard without a policy',
    { readOnly: { believes: ['a'] } },
    'The option "readOnly" is invalid: {"believes"',
  ],
  [
    'tools that are not a list',
    { tools: '*' },
    'The option "tools" is invalid: * must be a list of patterns.',
  ],
  [
    'a rule with an unknown effect',
    { policy: [{ effect: 'dny', tools: ['*'] }] },
    'The option "policy" is invalid: {"effect":"dny","tools":["*"]} must have an "effect": allow, ask, deny.',
  ],
  [
    'a rule without tools',
    { policy: [{ effect: 'deny' }] },
    'The option "policy" is invalid: {"effect":"deny"} must have "tools" with at least one pattern that does not start with "!".',
  ],
  [
    'a misspelled condition',
    { policy: [{ effect: 'deny', tools: ['*'], when: [{ at: '/a', match: 'x' }] }] },
    '} has a "when" that is not a list of { "at": "/place", "matches": … }',
  ],
  [
    'an unknown value of roots',
    { roots: 'CWD' },
    'The option "roots" is invalid: CWD must be cwd or a function.',
  ],
  [
    'native tools that are not a list',
    { native: 'x' },
    'The option "native" is invalid: x must be a list of tools.',
  ],
  [
    'a rule with a misspelled key',
    { policy: [{ effect: 'deny', tools: ['*'], wen: [] }] },
    'has an unknown key "wen" (known: effect, tools, when, reason).',
  ],
  ['an unknown naming', { naming: 'bogus' }, 'The option "naming" is invalid: bogus must be double, single,'],
])('createHost: refuses %s', async (_, options, message) => {
  // Programs in JavaScript may pass anything.
  await expect(toolHost({}, options as HostOptions)).rejects.toMatchObject({
    code: 'config.invalid',
    message: expect.stringContaining(message) as string,
  })
})

test('scope: refuses tools that are not a list', async () => {
  await using x = await toolHost({})
  await expect(x.host.scope({ tools: '*' as unknown as string[] })).rejects.toMatchObject({
    code: 'config.invalid',
    message: 'The option "tools" is invalid: * must be a list of patterns.',
  })
})

test('problems: reports a rule whose patterns match nothing', async () => {
  const policy = [{ effect: 'deny', tools: ['wierd/*'] }] as const
  await using x = await toolHost({ weird: scripted({ tools: [look] }) }, { policy })
  await x.host.ready()
  expect(x.host.problems()).toEqual([
    {
      code: 'idle-pattern',
      severity: 'warn',
      message: 'The pattern "wierd/*" of a rule of the options of the host matches no tool.',
      hint: 'Did you mean weird/*?',
    },
  ])
})

test('switchServer: refuses a server that does not exist, and names near ones', async () => {
  await using x = await toolHost({ orders: scripted({ tools: [look] }) })
  await expect(x.host.switchServer('c', 'order', false)).rejects.toMatchObject({
    code: 'server.unknown',
    message: 'There is no server "order".',
    hint: 'Did you mean orders?',
  })
})

test('call: the error says that the server is switched off in the conversation (D6)', async () => {
  await using x = await toolHost({ db: scripted({ tools: [look] }) })
  await x.host.ready()
  await x.host.switchServer('c', 'db', false)
  const view = await x.host.scope({ conversation: 'c' })
  await expect(view.call('db__look')).rejects.toMatchObject({
    code: 'tool.unknown',
    message: 'There is no tool "db__look" now. The server "db" is switched off in this conversation.',
  })
})
