import { expect, test } from 'vitest'
import { serverWithTools } from '../support/tool-host.ts'
import { startGateway, textOf } from '../support/gateway.ts'

const secret = 'k9ZqTt7w0042Xy'
const choice = {
  name: 'pick',
  inputSchema: { type: 'object', properties: { kind: { enum: [secret, 'tea'] } } },
}
const plain = { name: 'price', inputSchema: { type: 'object' } }
const shop = {
  ...serverWithTools([choice, plain], {
    capabilities: { tools: {}, resources: {}, prompts: {} },
    resources: [
      { uri: `shop://${secret}/menu`, name: 'menu' },
      { uri: 'shop://hours', name: 'hours' },
    ],
    templates: [{ uriTemplate: `shop://${secret}/{item}`, name: 'item' }],
    prompts: [{ name: 'sum', arguments: [{ name: secret }] }, { name: 'list' }],
  }),
}
const servers = { shop: { ...shop, env: { SHOP_API_KEY: secret } } }
const views = { found: { mode: 'search' } }

test('T153 an offer with a secret of its server in a value or an address is in no list; the others are, and health says why', async () => {
  await using started = await startGateway(servers, { views })
  const names = async (method: string, list: string, key: string) => {
    const { body } = await started.modern(method)
    expect(JSON.stringify(body)).not.toContain(secret)
    expect(body.result?.['_meta']).toEqual({
      'plugboard/health': { shop: 'held (a secret in a definition)' },
    })
    return ((body.result?.[list] ?? []) as readonly Record<string, unknown>[]).map((each) => each[key])
  }
  expect(await names('tools/list', 'tools', 'name')).toEqual(['shop__price'])
  expect(await names('resources/list', 'resources', 'uri')).toEqual(['shop://hours'])
  expect(await names('resources/templates/list', 'resourceTemplates', 'uriTemplate')).toEqual([])
  expect(await names('prompts/list', 'prompts', 'name')).toEqual(['shop__list'])
})

test('T153 a call of such a tool says that it is held, and is not sent', async () => {
  await using started = await startGateway(servers, { views })
  await started.modern('tools/list')
  const message = /^"shop__pick" was not called: it is held\. Its definition has a secret/
  const call = { name: 'shop__pick', arguments: {} }
  expect(textOf(await started.modern('tools/call', call))).toMatch(message)
  const searched = { name: 'call_tool', arguments: call }
  const options = { path: '/found' }
  await started.modern('tools/list', {}, options)
  expect(textOf(await started.modern('tools/call', searched, options))).toMatch(message)
  expect(textOf(await started.modern('tools/call', { name: 'shop__price', arguments: {} }))).toContain(
    'price',
  )
})
