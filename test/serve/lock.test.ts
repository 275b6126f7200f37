import { expect, test } from 'vitest'
import type { HeldFacts } from '../../src/client.ts'
import { changedTools, changingShop, firstTools, offer, poisonedTools } from '../support/changing-shop.ts'
import { startServed } from '../support/served.ts'
import type { ServedMachine } from '../support/served.ts'
import { ownFile } from '../support/servers.ts'

/** A page whose server offers other tools than those that were accepted at first sight. */
async function servedShop(tools: readonly object[], options = {}): Promise<ServedMachine> {
  const it = await startServed({}, options)
  it.machine.write(ownFile, { mcpServers: { shop: changingShop(it.machine) } })
  offer(it.machine, firstTools)
  await it.client.send('POST /api/reload')
  await list(it)
  offer(it.machine, tools)
  await list(it)
  return it
}

/** Asks the server what it offers now. */
async function list({ client, served }: ServedMachine): Promise<void> {
  await client.send('POST /api/servers/:server/restart', { params: { server: 'shop' } })
  await served.host.ready({ servers: ['shop'], from: 'servers' })
}

const heldIn = async ({ client }: ServedMachine) => (await client.send('GET /api/lock')).held
const inShort = ({ title, reason, canAccept }: HeldFacts) => `${title} ${reason} ${canAccept}`
const shown = ({ printed }: ServedMachine) =>
  /Code for the page: (\w{6})/.exec(printed.at(-1) ?? '')?.[1] ?? ''

test('T12 GET /api/lock has what is held with its difference; the tool, its server and the numbers say so too', async () => {
  await using it = await servedShop(changedTools)
  const held = await heldIn(it)
  expect(held.map(inShort)).toEqual(['shop/price loosened true', 'shop/stock changed true'])
  expect(held[0]?.difference.changes.map(({ path, isLoosened }) => [path, isLoosened])).toEqual([
    ['readOnlyHint', true],
    ['description', undefined],
  ])
  const { tools, held: heldTools } = await it.client.send('GET /api/tools')
  expect(tools).toEqual([])
  expect(heldTools.map(({ ref, reason }) => [ref, reason.length > 0])).toEqual([
    ['shop/price', true],
    ['shop/stock', true],
  ])
  const { servers } = await it.client.send('GET /api/servers')
  expect(servers[0]).toMatchObject({
    held: 2,
  })
  expect(servers[0]?.next[0]).toEqual({
    action: 'review',
    label: 'Review',
    command: 'plugboard review shop',
    to: '/lock?server=shop',
  })
  expect((await it.client.send('GET /api/snapshot')).counts.held).toBe(2)
})

test('T141 GET /api/lock says how definitions are accepted, and where acceptance is off how to turn it on', async () => {
  await using it = await startServed({})
  expect((await it.client.send('GET /api/lock')).acceptance).toEqual({ mode: 'tofu', by: 'preset' })
  it.machine.write('~/.config/plugboard/settings.json', { accept: 'off' })
  expect((await it.client.send('GET /api/lock')).acceptance).toEqual({
    mode: 'off',
    by: 'user',
    sentence: expect.stringMatching(
      /^Acceptance is off in your settings: .* Turn it on with "accept": "tofu" in /,
    ) as string,
  })
})

test('T37 accepting needs the code of the terminal, which shows the whole difference, for exactly this definition', async () => {
  await using it = await servedShop(changedTools)
  const [price, stock] = await heldIn(it)
  const { server, kind, hash } = price!
  const accept = (body: object) =>
    it.client.send('POST /api/lock/accept', { body: { server, kind, hash, request: '', code: '', ...body } })
  await expect(accept({})).rejects.toMatchObject({ fault: { code: 'code.wrong' } })
  expect((await heldIn(it)).length).toBe(2)

  const about = { kind, hash }
  const { request } = await it.client.send('POST /api/codes', {
    body: { for: 'accept', subject: server, about },
  })
  expect(it.printed.at(-1)).toContain('~ readOnlyHint  true → false')
  expect(it.printed.at(-1)).toContain('[-item.-]{+item in euros.+}')
  expect(it.printed.at(-1)).toContain(
    'This code allows: to accept shop/price, so that models get it as shown.',
  )
  const code = shown(it)
  // Another definition: the code is used up.
  await expect(accept({ hash: stock!.hash, request, code })).rejects.toMatchObject({
    fault: { code: 'code.wrong' },
  })
  const again = await it.client.send('POST /api/codes', { body: { for: 'accept', subject: server, about } })
  const { held } = await accept({ request: again.request, code: shown(it) })
  expect(held.map(inShort)).toEqual(['shop/stock changed true'])
  const { tools } = await it.client.send('GET /api/tools')
  expect(tools.map(({ tool }) => tool)).toEqual(['price'])
})

test('T12 T37 what is gone is in GET /api/lock, and forgotten with the code of the terminal', async () => {
  await using it = await servedShop(firstTools.slice(0, 1))
  const { held, removed } = await it.client.send('GET /api/lock')
  expect([held, removed.map(({ title }) => title)]).toEqual([[], ['shop/stock']])
  const { server, kind, hash } = removed[0]!
  const forget = (given: { readonly request: string; readonly code: string }) =>
    it.client.send('POST /api/lock/accept', { body: { server, kind, hash, ...given } })
  await expect(forget({ request: '', code: '' })).rejects.toMatchObject({ fault: { code: 'code.wrong' } })
  const body = { for: 'accept', subject: server, about: { kind, hash } } as const
  const { request } = await it.client.send('POST /api/codes', { body })
  expect(it.printed.at(-1)).toContain('This code allows: to forget shop/stock')
  expect((await forget({ request, code: shown(it) })).removed).toEqual([])
})

test('T48 without a terminal of a person nothing is accepted, and the answer names the command', async () => {
  await using it = await servedShop(changedTools, { notShown: 'There is no terminal to ask in.' })
  const [price] = await heldIn(it)
  const body = { for: 'accept', subject: 'shop', about: { kind: 'tool', hash: price!.hash } } as const
  await expect(it.client.send('POST /api/codes', { body })).rejects.toMatchObject({
    fault: { code: 'code.needed', hint: `In a terminal: ${price!.commands.accept}` },
  })
})

test('rejecting needs no code; a definition that is not held any more is refused', async () => {
  await using it = await servedShop(changedTools)
  const [price] = await heldIn(it)
  const body = { server: 'shop', kind: 'tool', hash: price!.hash } as const
  const { held } = await it.client.send('POST /api/lock/reject', { body })
  expect(held.map(inShort)).toEqual(['shop/price rejected true', 'shop/stock changed true'])
  expect((await it.client.send('GET /api/snapshot')).counts.held).toBe(1)
  offer(it.machine, firstTools)
  await list(it)
  await expect(it.client.send('POST /api/lock/reject', { body })).rejects.toMatchObject({
    fault: { code: 'trust.refused', message: 'This definition is not held, or it has changed since.' },
  })
})

test('T11 for a poisoned definition no code is shown, and it is not accepted', async () => {
  await using it = await servedShop(poisonedTools)
  const [price] = await heldIn(it)
  expect(price).toMatchObject({ canAccept: false })
  expect(price?.findings[0]).toMatchObject({ severity: 'critical' })
  const body = { server: 'shop', kind: 'tool', hash: price!.hash, request: '', code: '' } as const
  const about = { kind: 'tool', hash: price!.hash }
  const refused = { fault: { code: 'trust.refused' } }
  await expect(
    it.client.send('POST /api/codes', { body: { for: 'accept', subject: 'shop', about } }),
  ).rejects.toMatchObject(refused)
  await expect(it.client.send('POST /api/lock/accept', { body })).rejects.toMatchObject(refused)
  expect(it.printed.join('\n')).not.toContain('Code for the page')
})

test('GET /api/lock says what the lock file of a project means for its servers', async () => {
  await using it = await startServed(
    {},
    {
      files: {
        '.mcp.json': { mcpServers: { deploy: { command: 'node', args: ['deploy.mjs'] } } },
        'mcp.lock.json': '{ this is no lock file',
      },
    },
  )
  const { locks } = await it.client.send('GET /api/lock')
  expect(locks).toEqual([
    {
      file: it.machine.path('mcp.lock.json'),
      shown: 'mcp.lock.json',
      servers: [{ name: 'deploy', isAsLocked: false, sentence: expect.stringMatching(/\S/) }],
      command: 'plugboard lock --check',
    },
  ])
})
