import { expect, test } from 'vitest'
import { createMachine } from '../support/programs/cli.ts'
import { ownFile } from '../support/servers.ts'
import { pdf, skillServer } from '../support/skill-plans.ts'

test('skills read: a file that the skill does not have is unknown; one that is not as listed is unavailable', async () => {
  const { entry: docs, change } = skillServer({ skills: [pdf] })
  using machine = createMachine({ [ownFile]: { mcpServers: { docs } } })
  expect(await machine.run('skills', 'read', 'pdf-processing', 'nope.md')).toMatchObject({
    code: 5,
    stdout: '',
    stderr: expect.stringContaining('is not among the files of the skill'),
  })
  change({ skills: [{ ...pdf, sent: { 'references/FORMS.md': 'Something else.\n' } }] })
  expect(await machine.run('skills', 'read', 'pdf-processing', 'references/FORMS.md')).toMatchObject({
    code: 7,
  })
})

test('skills read: prints a file as it is, without a line more', async () => {
  const { entry: docs } = skillServer({ skills: [pdf] })
  using machine = createMachine({ [ownFile]: { mcpServers: { docs } } })
  const read = (...flags: readonly string[]) =>
    machine.run('skills', 'read', 'pdf-processing', 'references/FORMS.md', ...flags)
  const { text } = JSON.parse((await read('--json')).stdout) as { readonly text: string } // its documented form
  expect(text).toMatch(/[^\n]\n$/)
  expect((await read()).stdout).toBe(text)
})
