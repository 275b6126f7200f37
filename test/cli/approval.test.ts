import { describe, expect, test } from 'vitest'
import type { FaultyScript } from '../../src/testing/faulty-server.ts'
import type { Machine } from '../support/cli.ts'
import { faultyMachine } from '../support/servers.ts'
import { keys, openTerminal } from '../support/terminal.ts'

const { enter, down, ctrlC, escape } = keys
const script: FaultyScript = {
  tools: [{ name: 'find', inputSchema: { type: 'object' } }],
  on: { 'tools/call': { text: 'found it' } },
}
const words = ['call', 'x__find', '--agent', 'careful'] as const

function careful(): Machine {
  const machine = faultyMachine(script)
  machine.write('.opencode/agent/careful.md', '---\npermission:\n  "*": ask\n---\nBe careful.\n')
  return machine
}

/** One call, and the keys that answer the question. */
async function answered(machine: Machine, typed: string) {
  const terminal = openTerminal(machine, words)
  await terminal.see('Call x/find?')
  await terminal.see('yes, always')
  terminal.type(typed)
  return { code: await terminal.ended, shown: terminal.shown() }
}

describe.concurrent('T10 the question whether a call may run', () => {
  test('no is what Enter alone says', async () => {
    using machine = careful()
    const { code, shown } = await answered(machine, enter)
    expect(code).toBe(12)
    expect(shown).toContain('"x__find" was not called. A person said no.')
    // A command is no conversation.
    expect(shown).not.toContain('as long as')
  })

  test('a yes for once is to one call, and always is kept', async () => {
    using machine = careful()
    const once = await answered(machine, `${down}${enter}`)
    expect([once.code, once.shown.includes('found it')]).toEqual([0, true])
    const always = await answered(machine, `${down}${down}${enter}`)
    expect([always.code, always.shown.includes('found it')]).toEqual([0, true])
    // Nobody needs to be there any more.
    expect(await machine.run(...words)).toEqual({ code: 0, stdout: 'found it\n', stderr: '' })
  })

  test.each([
    ['Ctrl-C', ctrlC],
    ['Esc', escape],
  ])('%s leaves it: nobody said no, and nothing is called', async (_key, typed) => {
    using machine = careful()
    const { code, shown } = await answered(machine, typed)
    expect([code, shown.includes('found it'), shown.includes('said no')]).toEqual([130, false, false])
    expect(shown).toContain('Cancelled.')
  })
})
