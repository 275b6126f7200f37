import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../src/store.ts'
import { faultyServer } from '../../src/testing/faulty-server.ts'
import { createMachine, startCli } from '../support/programs/cli.ts'
import { startModelServer } from '../support/model-server.ts'
import type { Script, Wire } from '../support/model-server.ts'
import { ownFile } from '../support/servers.ts'

const key = 'model-key-of-a-person-42'
const token = 'tok-abcdefghijkl-123456'
const look = { name: 'look', annotations: { readOnlyHint: true }, inputSchema: { type: 'object' } }
const callLook = { calls: [{ name: 'x__look', args: {} }] }

const endpoints = {
  'openai-chat': { kind: 'openai-compatible' },
  'openai-responses': { kind: 'openai' },
  anthropic: { kind: 'anthropic' },
  google: { kind: 'google' },
} as const

/** A machine with one server `x` and one model endpoint, whose key is in the environment. Without a result, calls hang. */
async function machineOf(wire: Wire, script: Script, result: string | undefined) {
  const model = await startModelServer({ wire, script, key })
  const machine = createMachine({
    [ownFile]: {
      mcpServers: {
        x: {
          ...faultyServer({
            tools: [look],
            on: { 'tools/call': result === undefined ? 'hang' : { text: result } },
          }),
          env: { TOKEN: '${SECRET_TOKEN}' },
        },
      },
    },
    '~/.config/plugboard/settings.json': {
      model: 'mine/scripted',
      endpoints: { mine: { ...endpoints[wire], url: model.url, key: '${env:MODEL_KEY}' } },
    },
  })
  onTestFinished(async () => {
    machine[Symbol.dispose]()
    await model.stop()
  })
  const env = { MODEL_KEY: key, SECRET_TOKEN: token }
  const run = (...words: readonly string[]) => machine.runWith({ env }, 'run', ...words)
  return { machine, model, run, env: { ...machine.env, ...env } }
}

/** Everything below the home as bytes, without the declarations, which contain the script of the server. */
function written(home: string): string {
  return readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile() && each.name !== 'mcp.json')
    .map((each) => readFileSync(join(each.parentPath, each.name), 'latin1'))
    .join('\n')
}

describe('plugboard run against every endpoint', () => {
  test.each(['openai-responses', 'anthropic', 'google'] as const)(
    '%s: the key is sent, a tool is called, and nothing but the answer is stdout',
    async (wire) => {
      const { model, run } = await machineOf(wire, [callLook, { text: 'It is there.' }], 'found it')
      const { code, stdout, stderr } = await run('--ephemeral', 'Look.')
      expect({ code, stdout }).toEqual({ code: 0, stdout: 'It is there.\n' })
      expect(stderr).not.toContain('AI SDK')
      expect(model.requests[1]?.messages.at(-1)?.results?.[0]?.text).toContain('found it')
    },
  )

  test('T18 T35 escapes and secrets in results and answers reach neither the terminal, the events nor the store', async () => {
    const attack = `\u001b]0;owned\u0007\u001b[2J\u009b31m\u202e ${token} and ${key}`
    const script = () => [callLook, { reasoning: attack, text: `It says: ${attack} and more.` }]
    const { machine, model, run } = await machineOf('openai-chat', script(), attack)
    const plain = await run('Look.')
    model.play(script())
    const events = await run('--json', '--continue', '', 'And again?')
    expect([plain.code, events.code]).toEqual([0, 0])
    expect(plain.stdout).toContain('and more.')
    for (const text of [plain.stdout, plain.stderr, events.stdout, events.stderr]) {
      // oxlint-disable-next-line no-control-regex
      expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/)
      expect(text).not.toContain(token)
      expect(text).not.toContain(key)
    }
    const files = written(machine.home)
    expect(files).toContain('and more.')
    expect([files.includes(token), files.includes(key)]).toEqual([false, false])
  })

  test('two processes in one conversation: the later one goes on, the other ends with a sentence, no message is lost', async () => {
    const { model, run } = await machineOf('openai-chat', [{ text: 'First.' }], '')
    const first = await run('One.')
    const [, id = ''] = /--continue (\S+)/.exec(first.stderr) ?? []
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    model.play(async (_, index) => {
      if (index === 0) await held
      return { text: index === 0 ? 'Late.' : 'Third.' }
    })
    const slow = run('--continue', id, 'Two.')
    await model.arrived(2)
    expect((await run('--continue', id, 'Three.')).code).toBe(0)
    release()
    const { code, stderr } = await slow
    expect([code, stderr]).toEqual([
      expect.toSatisfy((exit) => exit !== 0),
      expect.stringMatching(/another program/i),
    ])
    await run('--continue', id, 'Four.')
    const said = model.requests.at(-1)?.messages.map(({ text }) => text) ?? []
    expect(said).toEqual(['One.', 'First.', 'Two.', 'Three.', 'Third.', 'Four.'])
  })

  test('a run that is killed in the middle of a call goes on: the call has a result that says what is not known', async () => {
    const { machine, model, run, env } = await machineOf('anthropic', [callLook], undefined)
    await using program = startCli(machine, ['run', 'Look.'], { env })
    await model.arrived(1)
    const store = await openStore({
      at: { file: machine.path('~/.local/state/plugboard/store.db') },
      redact: (text) => text,
    })
    // The message with the call is written beside the call, which does not wait for it.
    const isKept = async () => (await store?.conversations.list())?.[0]?.length === 2
    await expect.poll(isKept).toBe(true)
    await store?.close()
    await program.kill('SIGKILL')
    model.play([{ text: 'I see.' }])
    expect(await run('--continue', '', 'What came of it?')).toMatchObject({ code: 0, stdout: 'I see.\n' })
    const [prompt, call, result, last] = model.requests.at(-1)?.messages ?? []
    expect([prompt?.text, call?.calls?.[0]?.name, last?.text]).toEqual([
      'Look.',
      'x__look',
      'What came of it?',
    ])
    expect(result?.results?.[0]?.text).toContain('may have run')
  })
})
