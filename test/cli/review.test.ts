import { describe, expect, test } from 'vitest'
import {
  changedTools,
  changingShop,
  firstTools,
  offer,
  poisonedTools,
  shopTools,
} from '../support/changing-shop.ts'
import { createMachine } from '../support/programs/cli.ts'
import type { Machine } from '../support/programs/cli.ts'
import { ownFile } from '../support/servers.ts'
import { keys, openTerminal } from '../support/programs/terminal.ts'

const { enter, down, ctrlC } = keys

interface ReviewOutput {
  readonly unasked: readonly string[]
  readonly removed: readonly { readonly title: string; readonly hash: string }[]
  readonly held: readonly { readonly title: string; readonly reason: string; readonly hash: string }[]
}

/** A machine that has seen the first tools of a server, which then offers others. */
async function shopThatOffers(tools: readonly object[]): Promise<Machine> {
  const machine = createMachine()
  machine.write(ownFile, { mcpServers: { shop: changingShop(machine) } })
  offer(machine, firstTools)
  expect((await machine.run('tools')).stdout).toContain('shop__price')
  offer(machine, tools)
  return machine
}

const heldBy = async (machine: Machine) =>
  (await machine.json<ReviewOutput>('review')).held.map(({ title, reason }) => `${title} ${reason}`)

describe.concurrent('review', () => {
  test('T12 without a terminal it shows what changed and the form for scripts, decides nothing, and exits with 4', async () => {
    using machine = await shopThatOffers(changedTools)
    const { code, stdout, stderr } = await machine.run('review')
    expect(code).toBe(4)
    expect(stdout).toContain('shop/price  loosened')
    expect(stdout).toContain('~ readOnlyHint  true → false')
    expect(stdout).toContain('│ Shows the price of an [-item.-]{+item in euros.+}')
    expect(stderr).toMatch(/There is no terminal to ask in\..*plugboard review --accept=price --hash sha256:/)
    expect((await machine.run('tools')).stdout).not.toContain('price')
    expect(await heldBy(machine)).toEqual(['shop/price loosened', 'shop/stock changed'])
  })

  test('T12 accept, reject: what a person chose counts at once, and models get the accepted text', async () => {
    using machine = await shopThatOffers(changedTools)
    const terminal = openTerminal(machine, ['review'])
    await terminal.see('Shows the price of an')
    await terminal.see('shop/price (1 of 2)')
    terminal.type(`${down}${enter}`)
    await terminal.see('stock of all shops.')
    await terminal.see('shop/stock (2 of 2)')
    terminal.type(`${down}${down}${enter}`)
    await terminal.see('Accepted shop/price.')
    await terminal.see('Rejected shop/stock.')
    expect(await terminal.ended).toBe(0)
    const { stdout } = await machine.run('tools')
    expect(stdout).toContain('Shows the price of an item in euros.')
    expect(stdout).not.toContain('stock')
    expect(await heldBy(machine)).toEqual(['shop/stock rejected'])
    expect((await machine.run('review')).code).toBe(0)
  })

  test('a server that could not be asked is named, and the exit code is that of its fault', async () => {
    using machine = createMachine()
    const broken = { command: process.execPath, args: ['-e', 'process.exit(3)'] }
    machine.write(ownFile, { mcpServers: { shop: changingShop(machine), broken } })
    offer(machine, firstTools)
    const { code, stdout, stderr } = await machine.run('review')
    expect([code, stdout]).toEqual([7, 'Nothing that is known is held. Not asked: broken.\n'])
    expect(stderr).toContain('broken was not asked what it offers')
    const { unasked, held } = await machine.json<ReviewOutput>('review')
    expect([unasked, held]).toEqual([['broken'], []])
    const known = await machine.run('review', '--no-start')
    expect([known.code, known.stdout]).toEqual([0, 'Nothing that is known is held. Not asked: broken.\n'])
    expect((await machine.run('review', 'shop')).stdout).toBe(
      'Nothing is held: every definition is the accepted one.\n',
    )
  })

  test('T12 a server that starts and does not list its tools counts as not asked', async () => {
    using machine = createMachine()
    machine.write(ownFile, { mcpServers: { shop: changingShop(machine) } })
    machine.write(shopTools, 'no JSON')
    const { code, stdout, stderr } = await machine.run('review')
    expect([code, stdout]).toEqual([7, 'Nothing that is known is held. Not asked: shop.\n'])
    expect(stderr).toContain('shop was not asked what it offers')
  })

  test('Ctrl-C keeps what was decided before it, and exits with 130', async () => {
    using machine = await shopThatOffers(changedTools)
    const terminal = openTerminal(machine, ['review', 'shop'])
    await terminal.see('shop/price (1 of 2)')
    terminal.type(`${down}${enter}`)
    await terminal.see('shop/stock (2 of 2)')
    terminal.type(ctrlC)
    expect(await terminal.ended).toBe(130)
    expect(await heldBy(machine)).toEqual(['shop/stock changed'])
  })

  test('all of a server are accepted at once only after each was shown', async () => {
    using machine = await shopThatOffers(changedTools)
    const terminal = openTerminal(machine, ['review'])
    await terminal.see('shop/price (1 of 2)')
    terminal.type(enter)
    await terminal.see('shop/stock (2 of 2)')
    expect(terminal.shown()).not.toContain('that you skipped')
    terminal.type(enter)
    await terminal.see('Accept the 2 of shop that you skipped?')
    terminal.type(`y${enter}`)
    await terminal.see('Accepted shop/stock.')
    expect(await terminal.ended).toBe(0)
    expect(await heldBy(machine)).toEqual([])
  })

  test('Enter alone skips: everything stays held, exit 4', async () => {
    using machine = await shopThatOffers([...changedTools.slice(0, 1), ...firstTools.slice(1)])
    const terminal = openTerminal(machine, ['review'])
    await terminal.see('Skip')
    terminal.type(enter)
    await terminal.see('1 definition still held')
    expect(await terminal.ended).toBe(4)
  })

  test('T12 what was accepted and is gone is shown as removed; if it comes back changed, it is held', async () => {
    const [price, stock] = firstTools
    using machine = await shopThatOffers([price!])
    const { code, stdout } = await machine.run('review')
    expect(code).toBe(0)
    expect(stdout).toContain('shop/stock  removed')
    const { held, removed } = await machine.json<ReviewOutput>('review')
    expect([held, removed.map(({ title }) => title)]).toEqual([[], ['shop/stock']])
    offer(machine, [price!, { ...stock, description: 'Sells the stock.' }])
    expect(await heldBy(machine)).toEqual(['shop/stock changed'])
    expect((await machine.json<ReviewOutput>('review')).removed).toEqual([])
  })

  test('T12 accept by the hash of what is gone forgets it: if it comes back, it is new', async () => {
    const [price, stock] = firstTools
    using machine = await shopThatOffers([price!])
    const [gone] = (await machine.json<ReviewOutput>('review')).removed
    const wrong = await machine.run('review', 'shop', '--accept', 'stock', '--hash', 'sha256:00')
    expect(wrong.code).toBe(5)
    const { code, stdout } = await machine.run('review', 'shop', '--accept', 'stock', '--hash', gone!.hash)
    expect([code, stdout]).toEqual([0, 'Forgotten shop/stock.\n'])
    expect((await machine.json<ReviewOutput>('review')).removed).toEqual([])
    offer(machine, [price!, { ...stock, description: 'Shows the stock of a shop.' }])
    expect(await heldBy(machine)).toEqual([])
    expect((await machine.run('tools')).stdout).toContain('shop__stock')
  })

  test('T12 in a terminal, what is gone is forgotten with a yes, and stays accepted with Enter', async () => {
    using machine = await shopThatOffers(firstTools.slice(0, 1))
    const asked = async (answer: string) => {
      const terminal = openTerminal(machine, ['review'])
      await terminal.see('Forget the 1 that shop no longer offers?')
      terminal.type(answer)
      expect(await terminal.ended).toBe(0)
      return (await machine.json<ReviewOutput>('review')).removed.map(({ title }) => title)
    }
    expect(await asked(enter)).toEqual(['shop/stock'])
    expect(await asked(`y${enter}`)).toEqual([])
  })

  test('T11 what the scanner calls critical can be rejected, not accepted', async () => {
    using machine = await shopThatOffers(poisonedTools)
    const terminal = openTerminal(machine, ['review'])
    await terminal.see('A critical finding cannot be accepted')
    await terminal.see('critical')
    await terminal.see('Reject')
    expect(terminal.shown()).not.toContain('Accept')
    terminal.type(ctrlC)
    expect(await terminal.ended).toBe(130)
    const { held } = await machine.json<ReviewOutput>('review')
    const [price] = held
    const accepted = await machine.run('review', 'shop', '--accept', 'price', '--hash', price!.hash)
    expect(accepted.code).toBe(1)
    expect(accepted.stderr).toContain('it has a critical finding')
  })

  test('T12 a script names the exact definition; another one is a conflict', async () => {
    using machine = await shopThatOffers(changedTools)
    const { held } = await machine.json<ReviewOutput>('review')
    const hash = held[0]!.hash
    offer(machine, [{ ...changedTools[0], description: 'Shows the price of an item in dollars.' }])
    const late = await machine.run('review', 'shop', '--accept', 'price', '--hash', hash)
    expect(late.code).toBe(6)
    expect(late.stderr).toContain('has changed since it was shown')
    offer(machine, changedTools)
    const accepted = await machine.run('review', 'shop', '--accept', 'price', '--hash', hash)
    expect([accepted.code, accepted.stdout]).toEqual([
      4,
      'Accepted shop/price.\n1 definition still held: plugboard review\n',
    ])
    const rejected = await machine.run('review', 'shop', '--reject', 'stock', '--hash', held[1]!.hash)
    expect([rejected.code, rejected.stdout]).toEqual([0, 'Rejected shop/stock.\n'])
    const unknown = await machine.run('review', 'shop', '--accept', 'nope', '--hash', hash)
    expect(unknown.code).toBe(5)
  })

  test('T48 an agent accepts nothing, not even by the hash; it may reject', async () => {
    using machine = await shopThatOffers(changedTools)
    const { held } = await machine.json<ReviewOutput>('review')
    const env = { CLAUDECODE: '1' }
    const by = (flag: string) =>
      machine.runWith({ env }, 'review', 'shop', flag, 'price', '--hash', held[0]!.hash)
    const accepted = await by('--accept')
    expect(accepted.code).toBe(4)
    expect(accepted.stderr).toContain('an agent runs this command (CLAUDECODE is set)')
    const terminal = openTerminal(machine, ['review'], { env })
    expect(await terminal.ended).toBe(4)
    expect(terminal.shown()).toContain('belongs to an agent')
    expect(terminal.shown()).not.toContain('Skip')
    expect((await by('--reject')).stdout).toContain('Rejected shop/price.')
  })

  test.each([
    [['--accept', 'price', 'shop'], '--accept and --reject need --hash'],
    [['--hash', 'sha256:0', 'shop'], '--hash needs --accept or --reject'],
    [['--accept', 'a', '--reject', 'b', '--hash', 'c', 'shop'], 'either --accept or --reject'],
    [['--accept', 'a', '--hash', 'c'], 'exactly one server'],
  ])('usage: %s', async (words, message) => {
    using machine = createMachine()
    const { code, stderr } = await machine.run('review', ...words)
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })

  test('L14 what differs from the lock file can be accepted, stays held, and is offered once the lock file has it', async () => {
    using machine = createMachine()
    machine.write('.mcp.json', { mcpServers: { shop: changingShop(machine) } })
    offer(machine, firstTools)
    const { servers } = await machine.json<{ servers: { hash: string }[] }>('trust', 'shop')
    await machine.run('trust', 'shop', '--hash', servers[0]!.hash)
    expect((await machine.run('lock')).code).toBe(0)
    offer(machine, changedTools)
    expect(await heldBy(machine)).toEqual(['shop/price lock', 'shop/stock lock'])
    expect((await machine.run('lock')).code).toBe(12)
    const { held } = await machine.json<ReviewOutput>('review')
    for (const [index, name] of ['price', 'stock'].entries())
      await machine.run('review', 'shop', '--accept', name, '--hash', held[index]!.hash)
    const decided = await machine.run('review')
    expect(decided.code).toBe(0)
    expect(decided.stdout.replaceAll(/\s+/g, ' ')).toContain(
      'You have accepted it; models get it when the lock file has it too: plugboard lock',
    )
    expect((await machine.run('tools')).stdout).not.toContain('price')
    expect((await machine.run('lock')).code).toBe(0)
    expect((await machine.run('tools')).stdout).toContain('Shows the price of an item in euros.')
    expect(await heldBy(machine)).toEqual([])
  })

  test('in the shell: /mcp review asks in the same terminal', async () => {
    using machine = await shopThatOffers(changedTools)
    const terminal = openTerminal(machine, ['shell'])
    await terminal.see('>')
    terminal.type(`/mcp review shop${enter}`)
    await terminal.see('shop/price (1 of 2)')
    terminal.type(`${down}${enter}`)
    await terminal.see('shop/stock (2 of 2)')
    terminal.type(`${down}${enter}`)
    await terminal.see('Accepted shop/stock.')
    terminal.type(`exit${enter}`)
    await terminal.ended
    expect(await heldBy(machine)).toEqual([])
  })
})
