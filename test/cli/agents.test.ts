import { describe, expect, test } from 'vitest'
import { faultyServer } from '../../src/testing/faulty-server.ts'
import { createMachine } from '../support/programs/cli.ts'
import type { Machine } from '../support/programs/cli.ts'
import { ownFile } from '../support/servers.ts'

const tools = ['read', 'write'].map((name) => ({
  name,
  description: `It can ${name}.`,
  inputSchema: { type: 'object' },
}))

const described = [
  '## Good\n\ntools: [*, !x__write]\n',
  '## Bad\n\ntools: [*, !github_*\n',
  '## Denier\n\ntools: [!x__write]\n',
  '## Typist\n\ntools: [x__raed, x__write]\n',
].join('\n')

const unreadable =
  'error: AGENTS.md:7: The tools of the agent "Bad" cannot be read: the closing "]" is missing. ' +
  'It sees none until this is fixed. ' +
  'Write them as [a, b_*, !b_c], as "- item" lines, or as a, b. [unreadable-tools]\n'
const onlyDenials =
  'warning: AGENTS.md:9: The list of the agent "Denier" has only denials: it admits no tool. ' +
  'To admit all others, start the list with "*": [*, !x__write] [only-denials]\n'
const idle =
  'warning: AGENTS.md:13: The pattern "x__raed" of the agent "Typist" matches no tool. ' +
  'Did you mean x__read? [idle-pattern]\n'

function machine(more: Readonly<Record<string, unknown>> = {}): Machine {
  return createMachine({
    'AGENTS.md': described,
    [ownFile]: { mcpServers: { x: faultyServer({ tools }), ...more } },
  })
}

describe.concurrent('problems in the tool list of an agent', () => {
  test('tools --agent prints them', async () => {
    using here = machine()
    expect(await here.run('tools', '--agent', 'Bad')).toEqual({
      code: 0,
      stdout: '',
      stderr: `There are no tools here.\n${unreadable}`,
    })
    expect((await here.run('tools', '--agent', 'Denier')).stderr).toBe(
      `There are no tools here.\n${onlyDenials}`,
    )
    expect(await here.run('tools', '--agent', 'Typist')).toMatchObject({
      stdout: expect.stringContaining('x__write') as string,
      stderr: idle,
    })
    expect((await here.run('tools', 'r*', '--agent', 'Typist')).stderr).toBe(
      `No tools here match "r*".\n${idle}`,
    )
    expect((await here.run('tools', '--agent', 'Good')).stderr).toBe('')
    expect(await here.json('tools', '--agent', 'Bad')).toMatchObject({
      tools: [],
      diagnostics: [{ code: 'unreadable-tools', severity: 'error', line: 7 }],
    })
    expect(await here.json('tools', '--agent', 'Good')).not.toHaveProperty('diagnostics')
  })

  test('why --agent prints them without starting a server', async () => {
    using here = machine()
    await here.run('tools')
    const said = async (agent: string) => (await here.run('why', 'x__read', '--agent', agent)).stderr
    expect([await said('Bad'), await said('Denier'), await said('Typist'), await said('Good')]).toEqual([
      unreadable,
      onlyDenials,
      idle,
      '',
    ])
    expect(await here.json('why', 'x__read', '--agent', 'Bad')).toMatchObject({
      tools: [{ diagnostics: [{ code: 'unreadable-tools' }] }],
    })
  })

  test('agents prints what is known from disk', async () => {
    using here = machine()
    expect((await here.run('agents')).stderr).toBe(unreadable + onlyDenials)
    await here.run('tools')
    expect((await here.run('agents')).stderr).toBe(unreadable + onlyDenials + idle)
    expect(await here.json('agents')).toMatchObject({
      diagnostics: [{ code: 'unreadable-tools' }, { code: 'only-denials' }, { code: 'idle-pattern' }],
    })
  })

  test('an idle pattern is not reported while a server could not be asked', async () => {
    using here = machine({ gone: { command: 'no-such' } })
    expect((await here.run('tools', '--agent', 'Typist')).stderr).not.toContain('idle-pattern')
  })
})

describe.concurrent('plugboard agents', () => {
  test.each([
    ['"memory_*": deny\n  "weird_*": ask', 'everything but memory_*; asks before weird_*'],
    ['"*": ask\n  "read_*": allow', 'everything; asks before everything but read_*'],
    ['"*": deny\n  "read_*": allow', 'read_*'],
    ['"*": ask', 'everything; asks before each call'],
  ])('opencode’s permissions are put into words: %j', async (permission, sees) => {
    using here = createMachine({ '.opencode/agent/one.md': `---\npermission:\n  ${permission}\n---\n` })
    const { stdout } = await here.run('agents')
    expect(/^one +(.*?)  /m.exec(stdout)?.[1]).toBe(sees)
  })
})

describe.concurrent('plugboard why TOOL', () => {
  const runs = async (here: Machine, ...words: readonly string[]) =>
    (await here.run('why', ...words)).stdout.split('\n').slice(3)

  test('a tool that the agent does not see does not run', async () => {
    using here = machine()
    await here.run('tools')
    expect(await runs(here, 'x__write', '--agent', 'Good')).toEqual([
      '  seen by Good  no  The pattern "!x__write" of the agent "Good" denies it. (AGENTS.md:1)',
      '  runs          no  A hidden tool cannot be called.',
      '',
    ])
    expect(await here.json('why', 'x__write', '--agent', 'Good')).toMatchObject({
      tools: [{ decision: { effect: 'deny', reason: 'A hidden tool cannot be called.' } }],
    })
  })

  test('agents names the file that BooCode reads, which is not the AGENTS.md of the folder', async () => {
    using here = createMachine({ 'AGENTS.md': described })
    expect((await here.run('agents', '--preset', 'boocode')).stderr).toBe(
      'No agents are defined here. Define them in /data/AGENTS.md or data/AGENTS.md, beside the configuration.\n',
    )
  })

  test('rules that depend on arguments are listed with their conditions', async () => {
    using here = machine()
    const when = [{ at: '/path', matches: '/etc/*' }]
    const rules = [
      { effect: 'deny', tools: ['x__*'], when, reason: 'Stay out of there.' },
      { effect: 'ask', tools: ['x__write'], when: [{ at: '/sure', equals: true, not: true }] },
    ]
    here.write('~/.config/plugboard/settings.json', { rules })
    await here.run('tools')
    expect(await runs(here, 'x__write')).toEqual([
      '  seen    yes  Nothing hides it.',
      '  runs    that depends on the arguments',
      '          no, where /path matches "/etc/*": Stay out of there.',
      '          after approval, where /sure is not true: A rule of your settings says ask.',
      '          otherwise yes',
      '  chat    that depends on the arguments',
      '          no, where /path matches "/etc/*": Stay out of there.',
      '          otherwise after approval: It does not declare that it is read-only.',
      '          To allow it, add the rule { "effect": "allow", "tools": ["x/write"] } to "rules" in ~/.config/plugboard/settings.json',
      '',
    ])
    expect(await here.json('why', 'x__read')).toMatchObject({
      tools: [
        {
          decision: { effect: 'allow', reason: 'It depends on the arguments.' },
          depends: [{ effect: 'deny', when, reason: 'Stay out of there.', layer: 'user' }],
        },
      ],
    })
  })
})
