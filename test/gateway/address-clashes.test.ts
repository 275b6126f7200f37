import { expect, test } from 'vitest'
import { startGateway } from '../support/gateway.ts'
import { createMachine } from '../support/programs/cli.ts'
import { ownFile } from '../support/servers.ts'
import { newHome, serverWithTools, toolHost } from '../support/tool-host.ts'

const menu = { uri: 'shop://menu', name: 'menu' }
const offers = (text: string) =>
  serverWithTools([], {
    capabilities: { tools: {}, resources: {} },
    resources: [menu],
    on: { 'resources/read': { result: { contents: [{ uri: menu.uri, text }] } } },
  })

test('T152 a server that is added later, and sorts first, does not take an address over; health, doctor and JSON name it', async () => {
  const shop = offers('the menu of the shop')
  const machine = createMachine({ [ownFile]: { mcpServers: { shop } } })
  {
    await using first = await startGateway({}, { beside: machine })
    await first.modern('resources/list')
    // A gateway tells servers other capabilities than a command does, so each has lists of its own on disk.
    await machine.json('doctor')
  }
  machine.write(ownFile, { mcpServers: { added: offers('something else'), shop } })
  await using started = await startGateway({}, { beside: machine })
  const { body } = await started.modern('resources/list')
  expect(body.result).toMatchObject({
    resources: [menu],
    _meta: { 'plugboard/health': { added: 'address-clash (shop)' } },
  })
  const read = await started.modern('resources/read', { uri: menu.uri })
  expect(read.body.result?.['contents']).toMatchObject([{ text: 'the menu of the shop' }])
  const { diagnostics } = await machine.json<{ diagnostics: readonly object[] }>('doctor')
  const message =
    '"added" lists "shop://menu", which "shop" listed first and keeps: name the server to read the other one.'
  expect(diagnostics).toMatchObject([{ code: 'address-clash', server: 'added', message }])
})

test('T152 a host that asks the servers only knows from disk who listed an address first', async () => {
  const home = newHome()
  const shop = offers('the menu of the shop')
  {
    await using first = await toolHost({ shop }, { home })
    await first.host.ready()
  }
  await using second = await toolHost({ added: offers('something else'), shop }, { home })
  await second.host.ready({ servers: ['added'], from: 'servers' })
  await second.host.ready({ servers: ['shop'], from: 'servers' })
  expect(second.host.problems()).toMatchObject([{ code: 'address-clash', server: 'added' }])
})
