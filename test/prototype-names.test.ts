import { describe, expect, test } from 'vitest'
import { importServers } from '../src/config/edit/transfer.ts'
import { fillForm } from '../src/surfaces/shell/fill-form.ts'
import type { QuestionField } from '../src/surfaces/facts/question-form.ts'
import type { Prompts } from '../src/surfaces/terminal/terminal-prompts.ts'
import { home, memoryMachine } from './support/memory-machine.ts'

/** Names that every object has: a field or a value of others may be called one of them. */
const inherited = Object.getOwnPropertyNames(Object.prototype)

describe.each(inherited)('T155 the name %s of others', (name) => {
  test('of a field of a form: its answer is sent under that name', async () => {
    const field: QuestionField = { kind: 'text', name, title: name, isRequired: true }
    const prompts = { text: async () => ({ cancelled: false, value: 'yes' }) } as unknown as Prompts // asks for texts only
    const content = await fillForm([field], { prompts, matchesPattern: () => true })
    expect(Object.entries(content ?? {})).toEqual([[name, 'yes']])
  })

  test('as a value that could name a variable: it is none, and stays text', async () => {
    const files = { '~/.omp/agent/mcp.json': { mcpServers: { a: { command: 'x', env: { MODE: name } } } } }
    const { platform, read } = memoryMachine(files)
    await importServers('oh-my-pi', { platform })
    expect(await read(`${home}/.config/plugboard/mcp.json`)).toMatchObject({
      mcpServers: { a: { env: { MODE: name } } },
    })
  })
})
