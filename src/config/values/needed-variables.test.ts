import { expect, test } from 'vitest'
import { createPerson, project } from '../../../test/support/person.ts'
import { neededVariables } from './needed-variables.ts'

const own = '~/.config/plugboard/mcp.json'

async function namesFor(
  servers: Readonly<Record<string, object>>,
  env: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const { platform } = createPerson({ [own]: { mcpServers: servers } })
  return neededVariables({ cwd: project, platform, env: { HOME: platform.home, ...env } })
}

test('names the variables of entries, whether they are set or not', async () => {
  const names = await namesFor(
    {
      one: { command: 'a', args: ['${ONE}'], env: { X: '${TWO:-none}' } },
      two: { type: 'http', url: 'https://${HOST_NAME}/', headers: { Authorization: 'Bearer ${THREE}' } },
    },
    { ONE: 'set' },
  )
  expect(names).toEqual(expect.arrayContaining(['HOST_NAME', 'ONE', 'THREE', 'TWO']))
})

test('names the variables that move config files, and nothing like a variable of the session', async () => {
  const names = await namesFor({ one: { command: 'a' } })
  expect(names).toContain('PLUGBOARD_CONFIG')
  expect(names.filter((name) => /^(?:TERM|then|toJSON|constructor)$/.test(name))).toEqual([])
})

test('a command for a value gets the whole environment', async () => {
  expect(await namesFor({ one: { command: 'a', env: { X: '!pass show x' } } })).toEqual(['*'])
})
