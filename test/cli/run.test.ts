import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMachine, startCli } from '../support/programs/cli.ts'
import type { Machine } from '../support/programs/cli.ts'
import type { Program } from '../support/programs/program.ts'
import { differences } from '../support/json-schema.ts'
import { startModelServer } from '../support/model-server.ts'
import type { ModelServer, Script } from '../support/model-server.ts'
import { ownFile } from '../support/servers.ts'
import { keys, openTerminal } from '../support/programs/terminal.ts'
import { faultyServer } from '../../src/testing/faulty-server.ts'

let model: ModelServer
let machine: Machine

const read = { name: 'find', annotations: { readOnlyHint: true }, inputSchema: { type: 'object' } }
const write = { name: 'remove_all', inputSchema: { type: 'object' } }

beforeAll(async () => {
  model = await startModelServer({ wire: 'openai-chat' })
  machine = createMachine({
    [ownFile]: {
      mcpServers: {
        x: faultyServer({
          tools: [read, write],
          on: { 'tools/call': { result: { content: [{ type: 'text', text: 'found it' }] } } },
        }),
      },
    },
    '.mcp.json': { mcpServers: { orders: { command: 'orders-mcp' } } },
    'AGENTS.md': '## reader\nmodel: openai/gpt-5\ntools: [x__find]\n\nYou read only.\n',
    '~/.config/plugboard/settings.json': {
      model: 'scripted/one',
      endpoints: { scripted: { kind: 'openai-compatible', url: model.url } },
    },
  })
})

afterAll(async () => {
  machine[Symbol.dispose]()
  await model.stop()
})

/** Runs with this script of the model; the requests that it got come with the result. */
async function runWith(script: Script, words: readonly string[], stdin = '') {
  const before = model.requests.length
  model.play(script)
  const result = await machine.runWith({ stdin }, 'run', ...words)
  return { ...result, requests: model.requests.slice(before) }
}

const callFind = { text: 'I look.', calls: [{ name: 'x__find', args: {} }] }
const waits = '1 server of this project waits for your trust: plugboard trust --all\n'

describe('plugboard run', () => {
  test('--demo shows the whole loop without a key, and a write tool asks there too', async () => {
    using empty = createMachine()
    expect(await empty.run('run', '--demo', 'echo the message hello')).toEqual({
      code: 0,
      stdout: 'demo__echo answered: hello\n',
      stderr: expect.stringMatching(
        /^This is a demo: .*\ndemo__echo \{"message":"hello"\}\n {2}hello\n2 steps, .*\n$/,
      ) as string,
    })
    expect(empty.has('~/.local/state/plugboard/store.db')).toBe(false)
    const refused = await empty.run('run', '--demo', 'write a note: buy milk')
    expect([refused.code, refused.stdout]).toEqual([
      12,
      expect.stringMatching(/^demo__write_note did not work: /),
    ])
    expect(refused.stderr).toContain('{ "effect": "allow", "tools": ["demo/write_note"] }')
    const { code, stderr } = await empty.run('run', 'hello')
    expect([code, stderr]).toEqual([1, expect.stringMatching(/plugboard models[^]*--demo/)])
    expect(empty.has('~/.local/state/plugboard/store.db')).toBe(false)
  })

  test('T20 in a terminal it asks: a server’s question, an approval, and Ctrl-C at a question stops the run', async () => {
    using empty = createMachine()
    const { enter, down, ctrlC } = keys
    const terminal = openTerminal(empty, [
      'run',
      '--demo',
      'greet me, then write a note: a, then write a note: b',
    ])
    await terminal.see('"demo" asks (it is declared in the command line):')
    await terminal.see('Answer it')
    terminal.type(enter)
    await terminal.see('Name')
    terminal.type(`Ada${enter}`)
    await terminal.see('Send this to "demo"?')
    terminal.type(enter)
    await terminal.see('Good day, Ada!')
    await terminal.see('yes, always')
    terminal.type(`${down}${enter}`)
    await terminal.see('Note 3 is written.')
    await terminal.see('yes, always')
    terminal.type(ctrlC)
    expect(await terminal.ended).toBe(130)
    expect(terminal.shown()).toContain('The turn was stopped.')
  })

  test('the words of the model are stdout, everything else stderr; the conversation goes on', async () => {
    const { code, stdout, stderr, requests } = await runWith(
      [callFind, { text: 'Done: it is\nthere.' }],
      ['Find', 'it', 'in', '@AGENTS.md,', 'not', 'in', '@nothing'],
    )
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'I look.\nDone: it is\nthere.\n' })
    expect(stderr).toContain('"@nothing" is no file here; it is sent as text.\n')
    expect(stderr).toContain(waits)
    expect(stderr).toContain('x__find {}\n  found it\n')
    expect(requests[0]?.messages[0]?.text).toMatch(
      /^Find it in @AGENTS\.md, not in @nothing[^]*You read only\./,
    )
    const [, id = ''] = /--continue (\S+)/.exec(stderr) ?? []

    const next = await runWith([{ text: 'Yes.' }], ['-', '--continue', id, '--quiet'], 'Are you sure?\n')
    expect([next.code, next.stdout, next.stderr]).toEqual([0, 'Yes.\n', ''])
    expect(next.requests[0]?.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ])
    expect(next.requests[0]?.messages.at(-1)?.text.trim()).toBe('Are you sure?')
  })

  test('--json prints each event as a line, the last is turn.finished', async () => {
    const { code, stdout } = await runWith(
      [callFind, { text: 'Done.' }],
      ['--json', '--ephemeral', '--system', 'Be short.', 'Find it'],
    )
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly type: string })
    expect(events.flatMap((event) => differences('run-line', event))).toEqual([])
    expect([code, events[0]?.type, events.at(-1)]).toMatchObject([
      0,
      'turn.started',
      { type: 'turn.finished', outcome: 'done', text: 'Done.' },
    ])
    expect(model.requests.at(-1)?.system).toContain('Be short.')
  })

  test('--output-schema prints the JSON document alone', async () => {
    machine.write('schema.json', {
      type: 'object',
      properties: { count: { type: 'integer' } },
      required: ['count'],
    })
    const { code, stdout } = await runWith(
      [{ text: '{ "count": "many" }' }, { text: '{ "count": 3 }' }],
      ['--output-schema', 'schema.json', '--ephemeral', '@AGENTS.md'],
    )
    expect([code, JSON.parse(stdout)]).toEqual([0, { count: 3 }])
  })

  test('T65 an agent sees its tools and its prompt; a project’s agent cannot choose another endpoint', async () => {
    const { code, stderr, requests } = await runWith(
      [{ text: 'Hello.' }],
      ['--agent', 'reader', '--ephemeral', 'Hi'],
    )
    expect(code).toBe(0)
    expect(stderr).toContain(
      'The agent "reader" names the model "openai/gpt-5", but its endpoint "openai" is not in your settings',
    )
    expect([requests[0]?.model, requests[0]?.tools.map(({ name }) => name)]).toEqual(['one', ['x__find']])
    expect(requests[0]?.system).toContain('You read only.')
  })

  test('the exit code says how it ended: refused, limit, failed, wrong usage', async () => {
    const removeAll = { calls: [{ name: 'x__remove_all', args: {} }] }
    const refused = await runWith([removeAll, { text: 'I may not.' }], ['--ephemeral', 'Remove all'])
    expect([refused.code, refused.stdout]).toEqual([12, 'I may not.\n'])
    expect(refused.stderr).toContain('{ "effect": "allow", "tools": ["x/remove_all"] }')
    expect(refused.requests[1]?.messages.at(-1)?.results?.[0]?.text).toContain('was not called')

    expect((await runWith([callFind], ['--ephemeral', '--max-steps', '1', 'Find it'])).code).toBe(13)
    const late = await runWith([{ silent: true }], ['--ephemeral', '--timeout', '500ms', 'Find it'])
    expect([late.code, late.stdout]).toEqual([13, ''])
    const failed = await runWith([{ status: 401 }], ['--ephemeral', 'Find it'])
    expect([failed.code, failed.stdout]).toEqual([8, ''])
    const usage = await runWith([], ['--continue', 'ffffffff', 'Find it'])
    expect([usage.code, usage.stderr]).toEqual([
      5,
      expect.stringContaining('There is no conversation ffffffff'),
    ])
    expect((await runWith([], [])).stderr).toContain('There is no prompt.')
    const noSchema = await runWith([], ['--output-schema', 'none.json', 'Find it'])
    expect([noSchema.code, noSchema.stderr]).toEqual([2, 'none.json is not a file.\n'])
  })

  test('Ctrl-C stops the turn and keeps the conversation; a reader that goes away ends it quietly', async () => {
    const endAfterOutput = async (stop: (child: Program['child']) => void) => {
      await using program = startCli(machine, ['run', 'Tell me all'])
      await program.printed('It began.')
      stop(program.child)
      const { code, stderr } = await program.result
      return { code, stderr }
    }
    model.play([{ text: 'It began. ', endless: true }])
    expect(await endAfterOutput((child) => child.kill('SIGINT'))).toEqual({
      code: 130,
      stderr: expect.stringContaining('--continue') as string,
    })
    model.play([{ text: 'It began. ', endless: true }])
    expect(await endAfterOutput((child) => child.stdout.destroy())).toEqual({ code: 0, stderr: waits })
    const { requests } = await runWith([{ text: 'Yes.' }], ['--continue', 'Go on'])
    expect(requests[0]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(requests[0]?.messages[1]?.text).toMatch(/^It began\./)
  })
})
