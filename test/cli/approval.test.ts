import { describe, expect, test } from 'vitest'
import type { FaultyScript } from '../../src/testing/faulty-server.ts'
import type { Machine } from '../support/programs/cli.ts'
import { faultyMachine } from '../support/servers.ts'
import { keys, openTerminal } from '../support/programs/terminal.ts'

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

/** Runs one call and types the answer to its question. */
async function answered(machine: Machine, typed: string) {
  const terminal = openTerminal(machine, words)
  await terminal.see('Call x/find?')
  await terminal.see('yes, always')
  terminal.type(typed)
  return { code: await terminal.ended, shown: terminal.shown() }
}

describe.concurrent('T10 call: the approval question', () => {
  test('Enter alone means no', async () => {
    using machine = careful()
    const { code, shown } = await answered(machine, enter)
    expect(code).toBe(12)
    expect(shown).toContain('"x__find" was not called. A person said no.')
    // A single command has no conversation to approve for.
    expect(shown).not.toContain('as long as')
  })

  test('once approves one call; always is remembered', async () => {
    using machine = careful()
    const once = await answered(machine, `${down}${enter}`)
    expect([once.code, once.shown.includes('found it')]).toEqual([0, true])
    const always = await answered(machine, `${down}${down}${enter}`)
    expect([always.code, always.shown.includes('found it')]).toEqual([0, true])
    // From now on no terminal is needed.
    expect(await machine.run(...words)).toEqual({ code: 0, stdout: 'found it\n', stderr: '' })
  })

  test.each([
    ['Ctrl-C', ctrlC],
    ['Esc', escape],
  ])('%s cancels: exit 130, not denied, and nothing is called', async (_key, typed) => {
    using machine = careful()
    const { code, shown } = await answered(machine, typed)
    expect([code, shown.includes('found it'), shown.includes('said no')]).toEqual([130, false, false])
    expect(shown).toContain('Cancelled.')
  })
})
