import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createMachine } from '../support/programs/cli.ts'
import { echoServer } from '../support/gateway.ts'
import { ownFile } from '../support/servers.ts'

test('D-20 a call whose audit row cannot be written succeeds, and says so', async () => {
  using machine = createMachine({ [ownFile]: { mcpServers: { echo: echoServer() } } })
  const audit = join(machine.home, '.local/state/plugboard/audit')
  mkdirSync(join(audit, 'open.jsonl'), { recursive: true })
  const { code, stdout, stderr } = await machine.run('call', 'echo__echo')
  expect([code, stdout !== '']).toEqual([0, true])
  expect(stderr).toContain('1 row of the audit trail cannot be written: ')
  expect(stderr).toContain(`It is lost if the program ends before ${audit} can be written.`)
})
