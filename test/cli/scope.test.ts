import { describe, expect, test } from 'vitest'
import { createMachine } from '../support/programs/cli.ts'

const both = {
  '.mcp.json': { mcpServers: { docs: { command: 'theirs' }, bad: { command: 5 } } },
  '~/.config/plugboard/mcp.json': { mcpServers: { docs: { command: 'mine' }, worse: { url: 5 } } },
}

describe.concurrent('--scope', () => {
  test.each([
    ['user', 'worse', 'bad'],
    ['project', 'bad', 'worse'],
  ])('list --scope %s reports only the problems of those files', async (scope, own, other) => {
    using machine = createMachine(both)
    const { stderr } = await machine.run('list', '--scope', scope)
    expect(stderr).toContain(`"${own}"`)
    expect(stderr).not.toContain(`"${other}"`)
  })

  test('list --scope user ignores a broken file of the project', async () => {
    using machine = createMachine({ ...both, '.mcp.json': '{ broken' })
    expect((await machine.run('list', '--scope', 'user')).stderr).not.toContain('parse-error')
    expect((await machine.run('list', '--scope', 'project')).stderr).toContain('parse-error')
  })

  test('why --scope user shows the user’s declaration and mentions the one in force', async () => {
    using machine = createMachine(both)
    const { code, stdout } = await machine.run('why', 'docs', '--scope', 'user', '--trust')
    expect(code).toBe(0)
    expect(stdout).toContain('mine')
    expect(stdout).not.toContain('theirs')
    expect(stdout).toContain(
      `It is not in force: ${machine.path('.mcp.json')} (project) declares the same name.`,
    )
    expect((await machine.run('why', 'bad', '--scope', 'user')).code).toBe(5)
  })

  test('list --resolved shows resolved values below the table, with secrets hidden', async () => {
    using machine = createMachine({
      '~/.config/plugboard/mcp.json': {
        mcpServers: { docs: { command: 'run', args: ['${PLACE}'], env: { API_TOKEN: '${TOKEN}' } } },
      },
    })
    const env = { PLACE: 'here', TOKEN: 'very-secret-1' }
    const { stdout } = await machine.runWith({ env }, 'list', '--resolved')
    expect(stdout).toContain('\n\ndocs\n  becomes  ')
    expect(stdout).toContain('here')
    expect(stdout).toMatch(/becomes {2}API_TOKEN=•+/)
    expect(stdout).not.toContain('very-secret-1')
    expect((await machine.runWith({ env }, 'list')).stdout).not.toContain('becomes')
  })
})
