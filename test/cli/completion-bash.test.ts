import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter } from 'node:path'
import { expect, test } from 'vitest'
import { faultyServer } from '../../src/testing/faulty-server.ts'
import { cliFile } from '../support/programs/cli.ts'
import type { Machine } from '../support/programs/cli.ts'
import { waitForText } from '../support/programs/open-shell.ts'
import { machineWith } from '../support/servers.ts'
import { openProgram } from '../support/programs/terminal.ts'

const visit = {
  name: 'visit',
  description: 'Goes there.',
  inputSchema: {
    type: 'object',
    properties: {
      city: { enum: ['Chicago', 'New York', 'New Orleans', "L'Aquila", '$HOME (sweet)'] },
      again: { type: 'boolean' },
    },
  },
}
const server = faultyServer({
  tools: [visit],
  capabilities: { tools: {}, resources: {} },
  resources: [
    { uri: 'demo://static/architecture.md', name: 'architecture' },
    { uri: 'demo://static/features of it.md', name: 'features' },
  ],
})

/** Ctrl-U clears the line. */
const discard = '\u0015'

/** An interactive bash in a pseudo-terminal, with our program in its PATH and our completion script loaded. */
async function openBash(machine: Machine) {
  const folder = machine.path('~/bin')
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${folder}/plugboard`, `#!/bin/sh\nexec "${process.execPath}" "${cliFile}" "$@"\n`)
  chmodSync(`${folder}/plugboard`, 0o755)
  const opened = openProgram(machine, ['/bin/bash', '--noprofile', '--norc', '-i'], {
    columns: 200,
    env: {
      PATH: `${folder}${delimiter}${machine.env['PATH'] ?? ''}`,
      PS1: 'bash> ',
      INPUTRC: machine.write('~/.inputrc', 'set bell-style none\n'),
      HISTFILE: '/dev/null',
    },
  })
  const bash = { ...opened, see: (text: string) => waitForText(opened, text) }
  await bash.see('bash> ')
  bash.type('source <(plugboard completion bash); echo "is $((1 + 1)) there"\r')
  await bash.see('is 2 there')
  await bash.see('bash> ')
  return {
    /** Types a line with tabs and waits until the text appears. */
    async typed(line: string, becomes: string): Promise<void> {
      bash.type(line)
      await bash.see(becomes)
      bash.type(`${discard}:\r`)
      await bash.see('bash> ')
    },
    leave() {
      bash.type('exit\r')
      return bash.ended
    },
  }
}

test('completion: in an interactive bash, Tab completes values, URIs and quoted words without running anything', async () => {
  using machine = machineWith({ x: server, 'x$(touch canary)': { command: 'no-such' } })
  expect((await machine.run('tools')).code).toBe(0)
  const bash = await openBash(machine)
  await bash.typed('plugboard call x__v\t', 'plugboard call x__visit ')
  await bash.typed('plugboard call x__visit ci\t', 'plugboard call x__visit city=')
  await bash.typed('plugboard call x__visit city=C\t', 'plugboard call x__visit city=Chicago ')
  await bash.typed('plugboard call x__visit city=N\tY\t', 'plugboard call x__visit city=New\\ York ')
  await bash.typed('plugboard call x__visit city=New\\ O\t', 'plugboard call x__visit city=New\\ Orleans ')
  await bash.typed('plugboard call x__visit "city=New Y\t', 'plugboard call x__visit "city=New York" ')
  await bash.typed('plugboard call x__visit city="New Y\t', 'plugboard call x__visit city="New York" ')
  await bash.typed("plugboard call x__visit city='L\t", "plugboard call x__visit city='L'\\''Aquila' ")
  await bash.typed('plugboard call x__visit city=L\t', "plugboard call x__visit city=L\\'Aquila ")
  await bash.typed(
    'plugboard call x__visit city=\\$\t',
    'plugboard call x__visit city=\\$HOME\\ \\(sweet\\) ',
  )
  await bash.typed('plugboard call x__visit city="New York" a\t', 'city="New York" again=')
  await bash.typed('plugboard read demo://static/arch\t', 'plugboard read demo://static/architecture.md ')
  await bash.typed('plugboard read de\tf\t', 'plugboard read demo://static/features\\ of\\ it.md ')
  await bash.typed('plugboard read "demo:\tf\t', 'plugboard read "demo://static/features of it.md" ')
  await bash.typed('plugboard why x\\$\t', 'plugboard why x\\$\\(touch\\ canary\\) ')
  machine.write('arguments.json', '{}')
  await bash.typed('plugboard call x__visit - < arg\t', '- < arguments.json ')
  expect(machine.has('canary')).toBe(false)
  expect(await bash.leave()).toBe(0)
})
