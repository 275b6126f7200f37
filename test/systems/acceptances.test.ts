import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { shiftyServerFile } from '../../src/testing.ts'
import { startBoocode } from '../support/boocode.ts'
import { newHome } from '../support/tool-host.ts'
import { startDispatch, namesOf } from './dispatch-support.ts'
import type { TestDispatch } from './dispatch-support.ts'
import { loadTools, ompMachine, run, textOf, toolOf, userFile } from './omp-support.ts'

/** A server whose tool turns into an instruction with its second run, and the log of its calls. */
function turningServer(folder: string) {
  const log = join(folder, 'calls.log')
  const args = [shiftyServerFile, '--state', join(folder, 'shifty.state'), '--log', log]
  const calls = () => (existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n').length : 0)
  return { entry: { command: process.execPath, args }, calls }
}

const settings = '.config/plugboard/settings.json'

function write(home: string, file: string, content: object): void {
  mkdirSync(dirname(join(home, file)), { recursive: true })
  writeFileSync(join(home, file), JSON.stringify(content))
}

const review = (preset: string) => `Review it: plugboard review --preset ${preset} shop`

async function startShop(x: TestDispatch) {
  const { entry, calls } = turningServer(x.home)
  const cwd = x.project({ shop: entry })
  expect(namesOf(await x.turn(cwd))).toEqual(['shop__price'])
  await x.service.shutdownAll()
  return { cwd, calls, second: await x.turn(cwd) }
}

const warningsOf = ({ host }: TestDispatch) =>
  host.logs.filter(({ level, message }) => level === 'warn' && message.includes('is held'))

describe('Dispatch: acceptances', () => {
  test('T140 createMcpExt({ accept }) holds a changed tool, logs it once, and shows it in the status', async () => {
    await using x = await startDispatch({ accept: 'tofu' })
    const { cwd, second, calls } = await startShop(x)
    expect(namesOf(second)).toEqual([])
    await x.turn(cwd)
    expect(warningsOf(x)).toEqual([
      expect.objectContaining({ message: expect.stringContaining(review('dispatch')) as string }),
    ])
    expect(JSON.stringify(x.host.logs)).not.toContain('IGNORE')
    expect(await x.service.status(cwd)).toEqual([{ id: 'shop', state: 'connected', toolCount: 0, held: 1 }])
    expect(await x.service.getClient('shop', cwd)?.listTools()).toEqual([])
    await expect(x.service.getClient('shop', cwd)?.callTool('price', { item: 'tea' })).rejects.toMatchObject({
      code: 'tool.held',
    })
    expect(calls()).toBe(0)
  })

  test('T140 the service tells what is held, and accepts the definition that a person was shown', async () => {
    await using x = await startDispatch({ accept: 'tofu' })
    const { cwd } = await startShop(x)
    const [shop] = await x.service.held(cwd)
    expect(shop).toMatchObject({ server: 'shop', offers: [{ kind: 'tool', name: 'price' }] })
    const offer = { kind: 'tool', name: 'price' } as const
    const accept = (hash: string) =>
      x.service.accept({ cwd, serverId: 'shop', choices: [{ ...offer, hash }] })
    expect((await accept('sha256:other')).refused).toEqual([{ ...offer, why: 'changed' }])
    const { done, refused } = await accept(shop?.offers[0]?.current.hash ?? '')
    // A critical finding is not accepted by the way.
    expect([done, refused]).toEqual([[], [{ ...offer, why: 'quarantined' }]])
  })

  test('T140 the setting of the person counts without the option; without a setting everything is offered', async () => {
    await using asked = await startDispatch()
    write(asked.home, settings, { accept: 'tofu' })
    expect(namesOf((await startShop(asked)).second)).toEqual([])
    await using plain = await startDispatch()
    expect(namesOf((await startShop(plain)).second)).toEqual(['shop__price'])
    expect(existsSync(join(plain.home, '.local/state/plugboard/acceptances'))).toBe(false)
  })

  test('T140 a project is stricter than the preset, and never less strict than the person', async () => {
    await using x = await startDispatch()
    const { entry } = turningServer(x.home)
    const project = (accept: string, name: string) =>
      x.directory(name, {
        '.git/HEAD': 'ref: refs/heads/main\n',
        '.dispatch/mcp.json': { servers: { shop: entry } },
        '.plugboard/settings.json': { accept },
      })
    expect(namesOf(await x.turn(project('strict', 'one')))).toEqual([])
    write(x.home, settings, { accept: 'strict' })
    expect(namesOf(await x.turn(project('off', 'two')))).toEqual([])
  })
})

describe('BooCode and omp: acceptances', () => {
  test('T140 initialize of BooCode holds a changed tool also after a new start, and warns once', async () => {
    const folder = newHome()
    const { entry } = turningServer(folder)
    write(folder, settings, { accept: 'tofu' })
    const start = () =>
      startBoocode(
        { shop: { type: 'stdio', ...entry } },
        { cwd: folder, platform: { home: folder, env: { HOME: folder, PATH: process.env['PATH'] } } },
      )
    write(folder, 'data/mcp.json', { mcpServers: { shop: { type: 'stdio', ...entry } } })
    {
      await using first = await start()
      expect(first.ALL_TOOLS.map(({ name }) => name)).toEqual(['shop_price'])
    }
    await using second = await start()
    expect(second.ALL_TOOLS).toEqual([])
    expect(second.warnings).toEqual([expect.stringContaining(review('boocode'))])
    expect(second.host.held()).toMatchObject([{ server: 'shop', offers: [{ name: 'price' }] }])
  })

  test('T140 the manager of omp holds a changed tool, and tells it as a diagnostic', async () => {
    const machine = ompMachine()
    const { entry } = turningServer(machine.home)
    machine.write(userFile, { mcpServers: { shop: entry } })
    const first = await loadTools(machine, { accept: 'tofu' })
    expect(first.tools.map(({ tool }) => tool.name)).toHaveLength(1)
    await first.manager.disconnectAll()
    const told: unknown[] = []
    const loaded = await loadTools(machine, {
      accept: 'tofu',
      onDiagnostic: ({ code, server, message }) => told.push([code, server, message]),
    })
    const { manager } = loaded
    // Known from disk as it was accepted; the call lists what the server offers now.
    expect(textOf(await run(toolOf(loaded, 'mcp_shop_price'), { item: 'tea' }))).toContain('it is held')
    expect(manager.getTools()).toEqual([])
    expect(told).toEqual([['offer-held', 'shop', expect.stringContaining(review('omp'))]])
    expect(manager.held()).toMatchObject([{ server: 'shop', offers: [{ name: 'price' }] }])
    expect(
      await manager.accept('shop', [{ kind: 'tool', name: 'price', hash: 'sha256:other' }]),
    ).toMatchObject({
      done: [],
      refused: [{ name: 'price', why: 'changed' }],
    })
  })
})
