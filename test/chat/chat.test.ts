import { readdirSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { faultyServer } from '../../src/testing/faulty-server.ts'
import type { FaultyScript } from '../../src/testing/faulty-server.ts'
import { createMachine } from '../support/programs/cli.ts'
import type { Machine } from '../support/programs/cli.ts'
import { startModelServer } from '../support/model-server.ts'
import { waitForText } from '../support/programs/open-shell.ts'
import { renderScreen } from '../support/programs/screen.ts'
import { ownFile } from '../support/servers.ts'
import { displayWidth } from '../../src/surfaces/terminal/width.ts'
import { keys, openTerminal } from '../support/programs/terminal.ts'

const { enter, down, ctrlC } = keys
const mark = '› '
const attack = '\u001B[2J\u001B]0;pwned\u0007\u202E'
const object = { type: 'object' }
const key = 'open-sesame-of-the-model'
const image = { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' }
const script: FaultyScript = {
  capabilities: { tools: {}, prompts: {} },
  tools: [
    { name: 'find', inputSchema: object, annotations: { readOnlyHint: true } },
    { name: 'save', inputSchema: object },
  ],
  prompts: [{ name: 'greet', arguments: [{ name: 'who' }] }],
  results: {
    'prompts/get': { messages: [{ role: 'user', content: { type: 'text', text: 'Greet the whole team' } }] },
  },
  on: {
    'tools/call:find': {
      result: { content: [{ type: 'text', text: `one ${attack}\ntwo\nthree\nfour\nfive\nsix` }, image] },
    },
    'tools/call:save': { text: 'saved it' },
  },
}

const model = await startModelServer({ wire: 'openai-chat' })
afterAll(() => model.stop())

function machineWithModel(): Machine {
  return createMachine({
    [ownFile]: { mcpServers: { x: faultyServer(script) } },
    '~/.config/plugboard/settings.json': {
      model: 'fake/scripted',
      endpoints: { fake: { kind: 'openai-compatible', url: model.url, key: '${env:FAKE_KEY}' } },
    },
    'notes.txt': 'remember the milk\n',
    '.claude/agents/small.md': '---\nname: small\ndescription: Is quick\nmodel: fake/small\n---\nBe quick.\n',
  })
}

function openChat(machine: Machine, columns: number, ...args: readonly string[]) {
  const opened = openTerminal(machine, ['chat', ...args], { columns, env: { FAKE_KEY: key } })
  const see = (text: string) => waitForText(opened, text)
  return {
    ...opened,
    see,
    /** Types a line, and waits for its effect and the next prompt. */
    async enter(line: string, ...expected: readonly string[]) {
      opened.type(`${line}${enter}`)
      for (const each of expected) await see(each)
      await see(mark)
    },
    screen: () => renderScreen(opened.raw(), columns),
  }
}

test(
  'chat: a conversation at 60 columns, stopped, changed, left and resumed',
  { timeout: 60_000 },
  async () => {
    using machine = machineWithModel()
    const chat = openChat(machine, 60)
    await chat.see('Plugboard chat · fake/scripted')
    await chat.see(mark)

    model.play([
      {
        text: '# Plan\n\nUse [the docs](https://evil.example/x):\n\n- one\n- **two**\n\n```ts\nconst a = 1\n```\n',
      },
    ])
    await chat.enter('Make a plan', '• one', 'const a = 1', '1 step')

    model.play([{ calls: [{ name: 'x__find', args: { q: 'milk' } }] }, { text: `Found ${attack} it.` }])
    await chat.enter(
      'Find @notes.txt',
      'Attached: notes.txt',
      '● x/find q="milk"',
      '│ one',
      '4 more lines',
      'saved:',
      'Found ',
      '2 steps',
    )
    expect(model.requests.at(-2)?.messages.at(-1)?.text).toContain('remember the milk')

    model.play([{ calls: [{ name: 'x__save', args: { to: 'disk' } }] }, { text: 'Saved.' }])
    chat.type(`Save it${enter}`)
    await chat.see('Call x/save?')
    chat.type(`${down}${enter}`)
    await chat.see('│ saved it')
    await chat.see('Saved.')
    await chat.see(mark)

    model.play([{ text: 'Thinking about ', silent: true }])
    const asked = model.requests.length
    chat.type(`Wait${enter}`)
    await model.arrived(asked + 1)
    await chat.see('Thinking')
    chat.type('/cost')
    chat.type(ctrlC)
    await chat.see('Stopped. The conversation is kept.')
    // What was typed meanwhile is in the next line.
    await chat.see(`${mark}/cost`)
    await chat.enter('', 'Since this chat began', 'Tools: 2')

    await chat.enter('/switch x off', '"x" is off in this conversation')
    model.play([{ text: 'No tools.' }])
    await chat.enter('And now?', 'No tools.')
    expect(model.requests.at(-1)?.tools).toEqual([])
    await chat.enter('/tools', 'There are no tools here.')
    await chat.enter('/chat', 'This is a chat; every command')
    await chat.enter('/help switch', '/switch NAME on | off')
    await chat.enter('/agent small', 'The agent is "small", with the model')
    model.play([{ text: 'Quick.' }])
    await chat.enter(`Hurry ${key}`, 'Quick.')
    expect(model.requests.at(-1)).toMatchObject({
      model: 'small',
      system: expect.stringContaining('Be quick.'),
    })
    await chat.enter('/agent none', 'No agent from the next turn on')
    await chat.enter('/nothing', '"/nothing" is not a command.')
    model.play([{ text: 'Hello, team.' }])
    await chat.enter('/x:greet who=all', '| Greet the whole team', 'Hello, team.')
    await chat.enter('/export talk.md', 'Wrote the conversation to talk.md')
    expect(machine.read('talk.md')).toContain('## You\n\nMake a plan')
    expect(machine.mode('talk.md')).toBe(0o600)
    expect(machine.read('talk.md')).toContain('Hurry •••')
    expect(machine.read('~/.local/state/plugboard/chat-history')).not.toContain(key)
    chat.type(`/undo${enter}`)
    await chat.see('Removed your last text and its answer (2 messages).')
    await chat.see(`${mark}Greet the whole team`)
    chat.type(`\u0015/leave${enter}`)
    await chat.see('plugboard chat --continue ')
    expect(await chat.ended).toBe(0)

    const screen = chat.screen()
    for (const line of screen) expect(displayWidth(line)).toBeLessThanOrEqual(60)
    expect(screen).toEqual(
      expect.arrayContaining(['Use the docs (https://evil.example/x):', '• two', '  ts', '  const a = 1']),
    )
    // The lines that changed in place are gone.
    expect(screen.filter((line) => line.includes('· Ctrl-C stops'))).toEqual([])
    expect(chat.raw()).not.toContain('\u001B]0;')
    expect(chat.raw()).not.toContain('\u202E')
    expect(chat.shown()).toContain(String.raw`Found \x1b[2J\x1b]0;pwned\x07\u{202e} it.`)
    expect(readdirSync(machine.path('~/.local/state/plugboard/images'))).toHaveLength(1)

    const [, id = ''] = /--continue (\w+)/.exec(chat.shown()) ?? []
    const again = openChat(machine, 60, '--continue', id, '--cwd', machine.home)
    await again.see('goes on')
    await again.see('This conversation belongs to')
    await again.see('Quick.')
    await again.see(mark)
    model.play([{ text: 'Still none.' }])
    await again.enter('Still?', 'Still none.')
    expect(model.requests.at(-1)?.tools).toEqual([])
    await again.enter('/switch x on', '"x" is on in this conversation')
    again.type(`${ctrlC}${ctrlC}`)
    expect(await again.ended).toBe(0)
  },
)

test(
  'chat: without a model, 120 columns: both ways are named and the demo is offered',
  { timeout: 60_000 },
  async () => {
    using machine = createMachine()
    const declined = openChat(machine, 120)
    await declined.see('◆  Look around with the demo model now?')
    declined.type(`n${enter}`)
    expect(await declined.ended).toBe(1)
    // Said once, and as it is typed outside of a chat.
    expect(declined.shown().split('plugboard models use')).toHaveLength(2)

    const chat = openChat(machine, 120)
    await chat.see('◆  Look around with the demo model now?')
    expect(chat.shown()).toContain('--demo')
    chat.type(enter)
    await chat.see('Plugboard chat · demo')
    await chat.see(mark)
    await chat.enter('echo the message hello', 'hello', 'steps')
    chat.type(`write a new note "a"${enter}`)
    await chat.see('Call demo/write_note?')
    chat.type(`${down}${down}${down}${enter}`)
    await chat.see('is written.')
    await chat.see(mark)
    chat.type('\u0004')
    expect(await chat.ended).toBe(0)
    // Neither a conversation nor an approval of the demo is kept.
    const kept = readdirSync(machine.path('~/.local/state/plugboard'))
    expect(kept.filter((name) => /store|memory/.test(name))).toEqual([])
    for (const line of chat.screen()) expect(displayWidth(line)).toBeLessThanOrEqual(120)
  },
)

test('chat: without a terminal, a sentence names plugboard run', async () => {
  using machine = createMachine()
  const { code, stderr } = await machine.run('chat')
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining('Without one, send a single prompt: plugboard run'),
  })
})
