import { expect, test } from 'vitest'
import { createHost } from '../../src/index.ts'
import { createMachine, startCli } from '../support/programs/cli.ts'
import type { Machine } from '../support/programs/cli.ts'
import { echoServer } from '../support/gateway.ts'
import { startModelServer } from '../support/model-server.ts'
import { ownFile } from '../support/servers.ts'
import { keys, openTerminal } from '../support/programs/terminal.ts'

interface AuditOutput {
  readonly rows: readonly { readonly ref: string; readonly by: { readonly surface: string } }[]
}

async function callInPage(machine: Machine): Promise<void> {
  await using serve = startCli(machine, ['serve', '--json', '--port', '0'])
  const { address, token } = await serve.document<{ readonly address: string; readonly token: string }>()
  const headers = {
    authorization: `Bearer ${token}`,
    'x-plugboard-token': token,
    'content-type': 'application/json',
  }
  const call = async (path: string, init: RequestInit = {}) =>
    (await (await fetch(`${address}/api/${path}`, { headers, ...init })).json()) as {
      readonly call: { readonly id: string; readonly state: string }
    }
  const {
    call: { id },
  } = await call('calls', {
    method: 'POST',
    body: JSON.stringify({ ref: 'echo/echo', args: {} }),
  })
  const isRunning = async () => /^(?:running|waits)$/.test((await call(`calls/${id}`)).call.state)
  await expect.poll(isRunning).toBe(false)
  await serve.kill('SIGTERM')
}

async function callThroughGateway(machine: Machine): Promise<void> {
  await using gateway = startCli(machine, ['gateway', '--alone'], { stdin: 'pipe' })
  gateway.send({ id: 1, method: 'tools/call', params: { name: 'echo__echo' } })
  await gateway.nextLine()
  gateway.closeInput()
  await gateway.ended
}

test('D-20 each surface says in its audit rows which one it is', async () => {
  await using model = await startModelServer({ wire: 'openai-chat', key: 'a-key-for-the-model' })
  using machine = createMachine({
    [ownFile]: { mcpServers: { echo: echoServer() } },
    '~/.config/plugboard/settings.json': {
      model: 'scripted/one',
      endpoints: { scripted: { kind: 'openai-compatible', url: model.url, key: 'a-key-for-the-model' } },
      rules: [{ effect: 'allow', tools: ['*'] }],
    },
  })
  const turn = [{ calls: [{ name: 'echo__echo', args: {} }] }, { text: 'It is done.' }]
  await machine.run('call', 'echo/echo')
  await machine.runWith({ stdin: 'call echo/echo\n' }, 'shell')
  model.play(turn)
  await machine.run('run', 'Call it.')
  model.play(turn)
  const chat = openTerminal(machine, ['chat'])
  await chat.see('›')
  chat.type(`Call it.${keys.enter}`)
  await chat.see('It is done.')
  chat.type('/exit\r')
  await chat.ended
  await callInPage(machine)
  await callThroughGateway(machine)
  const host = await createHost({
    cwd: machine.project,
    platform: { home: machine.home, env: machine.env },
    audit: {},
  })
  await host.call('echo__echo')
  await host.close()
  const { rows } = await machine.json<AuditOutput>('audit')
  expect(rows.map(({ by, ref }) => `${by.surface} ${ref}`).sort()).toEqual(
    ['chat', 'cli', 'gateway', 'library', 'page', 'run', 'shell'].map((surface) => `${surface} echo/echo`),
  )
})
