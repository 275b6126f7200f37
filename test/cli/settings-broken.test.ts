import { expect, test } from 'vitest'
import { faultyServer } from '../../src/testing/faulty-server.ts'
import { createMachine } from '../support/programs/cli.ts'
import { ownFile } from '../support/servers.ts'

const broken =
  "error: .plugboard/settings.json:1: The project's settings cannot be read; no tool is offered until this is fixed: line 1, column 2: this is not JSON [settings-invalid]\n"

test.concurrent('unreadable project settings are reported by every command whose tools they hide', async () => {
  const server = faultyServer({
    tools: [{ name: 'read', inputSchema: { type: 'object' } }],
    prompts: [{ name: 'p' }],
  })
  using here = createMachine({ '.plugboard/settings.json': '{bad', [ownFile]: { mcpServers: { x: server } } })
  for (const args of [
    ['list'],
    ['tools'],
    ['prompts'],
    ['resources'],
    ['call', 'x__read'],
    ['tool', 'x__read'],
  ]) {
    const { stderr } = await here.run(...args)
    expect([args[0], stderr]).toEqual([args[0], expect.stringContaining(broken)])
  }
})
