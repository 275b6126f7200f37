import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isHostError } from '../../src/model/error.ts'
import {
  createMemoryConversations,
  resumeConversation,
  findConversation,
  openOwnStore,
} from '../../src/store.ts'
import type { OwnStoreOptions, Store } from '../../src/store.ts'

/** A person with a home directory of their own. */
function person(env: Readonly<Record<string, string>> = {}) {
  const home = mkdtempSync(join(tmpdir(), 'plugboard-own-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const cwd = join(home, 'shop')
  const write = (path: string, value: unknown, mode = 0o600) => {
    mkdirSync(dirname(join(home, path)), { recursive: true, mode: 0o700 })
    writeFileSync(join(home, path), typeof value === 'string' ? value : JSON.stringify(value), { mode })
  }
  write('shop/.git/HEAD', '')
  const file = join(home, '.local/state/plugboard/store.db')
  const open = async (options: OwnStoreOptions = {}) => {
    const own = await openOwnStore({
      platform: { home, cwd, env: { HOME: home, ...env } },
      retryMs: 0,
      ...options,
    })
    if (own.store) onTestFinished(() => own.store?.close())
    return own
  }
  const store = async (): Promise<Store> => {
    const own = await open()
    if (!own.store) throw new Error('no driver')
    return own.store
  }
  return { home, write, file, open, store }
}

const approval = { ref: 'db/drop', definition: 'd', entry: 'e', asks: [], at: '2026-01-01T00:00:00.000Z' }
const memory = {
  version: 1,
  conversations: [{ id: 'c1', at: '2026-01-01T00:00:00.000Z', on: [], off: ['db'] }],
  approvals: [approval],
}
const memoryPath = '.local/state/plugboard/memory.json'

describe('the person’s own store', () => {
  test('D-19 is a private file in the state directory, which only some commands make', async () => {
    const x = person()
    expect((await x.open({ mayCreate: false })).store).toBeUndefined()
    expect(existsSync(x.file)).toBe(false)
    const store = await x.store()
    await store.conversations.create({ cwd: '/a' })
    expect(statSync(x.file).mode & 0o777).toBe(0o600)
    expect(statSync(dirname(x.file)).mode & 0o777).toBe(0o700)
  })

  test('T35 what has the form of a secret is masked before it is written, also without a host', async () => {
    const x = person()
    const store = await x.store()
    const { id } = await store.conversations.create({ cwd: '/a' })
    const token = `ghp_${'a1B2'.repeat(9)}`
    await store.conversations.append(id, 0, [{ role: 'user', content: `use ${token}` }])
    expect(JSON.stringify(await store.conversations.messages(id))).not.toContain(token)
  })

  test('T47 a store that others could write is not used', async () => {
    const x = person()
    await (await x.store()).close()
    chmodSync(x.file, 0o622)
    const refused = await x.open().catch((error: unknown) => error)
    expect(isHostError(refused, 'store.damaged') && refused.message).toContain('can be written by others')
  })

  test('T47 a store that others could only read is taken from them, which is said once', async () => {
    const x = person()
    const store = await x.store()
    await store.conversations.create({ cwd: '/a' })
    const wal = `${x.file}-wal`
    chmodSync(x.file, 0o644)
    chmodSync(wal, 0o640)
    const { problems, store: again } = await x.open()
    expect(problems).toMatchObject([
      {
        code: 'readable-by-others',
        message: `Other users could read the store ${x.file}. Now only you can.`,
      },
    ])
    expect([x.file, wal].map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600])
    await again?.close()
    expect((await x.open()).problems).toEqual([])
  })

  test('T47 a log of the store that others could write is not used either', async () => {
    const x = person()
    const store = await x.store()
    await store.conversations.create({ cwd: '/a' })
    chmodSync(`${x.file}-wal`, 0o666)
    await expect(x.open()).rejects.toThrow('-wal can be written by others')
    chmodSync(`${x.file}-wal`, 0o600)
  })

  test('what is not a file in its place is named, and stays', async () => {
    const x = person()
    mkdirSync(x.file, { recursive: true, mode: 0o700 })
    await expect(x.open()).rejects.toThrow(`The store ${x.file} is not used: ${x.file} is not a file.`)
  })

  test('a removed conversation takes its saved images along', async () => {
    const x = person()
    const store = await x.store()
    const [one, two] = [await store.conversations.create({ cwd: '/a' }), await store.conversations.create({ cwd: '/a' })] // prettier-ignore
    const images = '.local/state/plugboard/images'
    for (const { id } of [one, two]) x.write(`${images}/${id}/shot-1.png`, 'png')
    await store.conversations.remove(one.id)
    const has = ({ id }: { readonly id: string }) => existsSync(join(x.home, images, id))
    expect([has(one), has(two)]).toEqual([false, true])
    await store.prune('2999-01-01T00:00:00.000Z')
    expect(has(two)).toBe(false)
  })

  test('T54 a variable that leads the state directory into the project is not believed', async () => {
    const x = person()
    const inside = join(x.home, 'shop/state')
    const env = { HOME: x.home, XDG_STATE_HOME: inside }
    const { store, problems } = await x.open({ platform: { home: x.home, cwd: join(x.home, 'shop'), env } })
    await store?.conversations.create({ cwd: '/a' })
    expect(existsSync(inside)).toBe(false)
    expect(existsSync(x.file)).toBe(true)
    expect(problems.map(({ code }) => code)).toEqual(['directory-in-project'])
  })

  test('PLUGBOARD_DATABASE_URL names a database; DATABASE_URL and a project’s settings do not', async () => {
    const away = 'postgres://me:hunter2@127.0.0.1:1/kept'
    const named = await person({ PLUGBOARD_DATABASE_URL: away })
      .open()
      .catch((error: unknown) => error)
    expect(isHostError(named, 'store.unavailable') && named.data).toEqual({
      place: 'postgres://127.0.0.1:1/kept',
    })
    const x = person({ DATABASE_URL: away })
    x.write('shop/.plugboard/settings.json', { store: { url: away } })
    expect(await (await x.store()).status()).toMatchObject({ place: x.file })
  })

  test('store.url of the person’s settings names a database, with its password by reference', async () => {
    const x = person({ PG_PASSWORD: 'hunter2' })
    const settings = '.config/plugboard/settings.json'
    x.write(settings, { store: { url: 'postgres://me:${env:PG_PASSWORD}@127.0.0.1:1/kept' } })
    const refused = await x.open().catch((error: unknown) => error)
    expect(isHostError(refused, 'store.unavailable') && refused.data).toEqual({
      place: 'postgres://127.0.0.1:1/kept',
    })
    x.write(settings, { store: { url: '${env:PG_MISSING}' } })
    const unset = await x.open().catch((error: unknown) => error)
    expect(isHostError(unset, 'config.invalid') && unset.message).toBe('"store.url" needs PG_MISSING.')
    x.write(settings, { store: { url: 'hunter2@somewhere' } })
    const wrong = await x.open().catch((error: unknown) => error)
    expect(isHostError(wrong, 'config.invalid') && wrong.message).toContain(
      'must be the address of a PostgreSQL',
    )
    expect(String(wrong)).not.toContain('hunter2')
  })
})

describe('the memory file beside a store', () => {
  test('is taken over once and renamed; what was withdrawn since does not come back', async () => {
    const x = person()
    x.write(memoryPath, memory)
    const [one, two] = await Promise.all([x.store(), x.store()])
    expect(one.memory.toggles.of('c1')).toEqual(new Map([['db', false]]))
    expect(two.memory.approvals.of()).toEqual([approval])
    expect(existsSync(join(x.home, memoryPath))).toBe(false)
    expect(JSON.parse(readFileSync(join(x.home, `${memoryPath}.taken-over`), 'utf8'))).toEqual(memory)
    expect(await one.memory.approvals.revoke()).toBe(1)
    expect((await x.store()).memory.approvals.of()).toEqual([])
  })

  test('what an older program has written since is taken over too', async () => {
    const x = person()
    x.write(memoryPath, memory)
    await (await x.store()).close()
    x.write(memoryPath, { ...memory, approvals: [{ ...approval, ref: 'db/later' }] })
    const refs = (await x.store()).memory.approvals.of().map(({ ref }) => ref)
    expect(refs.sort()).toEqual(['db/drop', 'db/later'])
  })

  test('FI-74 a damaged one stays as it is, gives no approval, and its switches still restrict', async () => {
    const x = person()
    x.write(memoryPath, { ...memory, approvals: [{}] })
    const { store, problems } = await x.open()
    expect(problems.map(({ code }) => code)).toEqual(['store-damaged'])
    expect(store?.memory.approvals.of()).toEqual([])
    expect(store?.memory.toggles.of('c1')).toEqual(new Map([['db', false]]))
    expect(existsSync(join(x.home, memoryPath))).toBe(true)
  })
})

describe('conversations in memory', () => {
  test('behave as stored ones: order, conflicts, undo, change and remove', async () => {
    let now = Date.UTC(2026, 0, 1)
    const all = createMemoryConversations(() => (now += 1000))
    const { id } = await all.create({ cwd: '/a', title: 'A', agent: 'clerk' })
    const other = await all.create({ cwd: '/b' })
    expect(await all.append(id, 0, [{ role: 'user', content: 'one' }])).toBe(1)
    const refused = await all
      .append(id, 0, [{ role: 'user', content: 'two' }])
      .catch((error: unknown) => error)
    expect(isHostError(refused, 'store.conflict') && refused.data).toEqual({ conversation: id, length: 1 })
    expect((await all.list()).map((each) => each.id)).toEqual([id, other.id])
    expect((await all.list({ cwd: '/b' })).map((each) => each.id)).toEqual([other.id])
    await all.append(id, 1, [{ role: 'assistant', content: 'two' }])
    await all.truncate(id, 2, 1)
    expect((await all.messages(id)).map(({ seq, content }) => [seq, content])).toEqual([[1, 'one']])
    await all.change(id, { agent: null, model: 'demo' })
    expect(await all.get(id)).toMatchObject({ title: 'A', model: 'demo', length: 1 })
    expect(await all.get(id)).not.toHaveProperty('agent')
    expect(await all.remove(id)).toBe(true)
    await expect(all.append(id, 1, [])).rejects.toThrow('There is no conversation')
  })

  test('an id is found by its beginning, unless several begin so', async () => {
    const all = createMemoryConversations()
    const [one, two] = [await all.create({ cwd: '/a' }), await all.create({ cwd: '/a' })]
    expect(await findConversation(all, one.id.slice(0, 35).toUpperCase())).toEqual(one)
    const same = { get: async () => undefined, list: async () => [one, two] }
    await expect(findConversation(same, 'a')).rejects.toThrow('Several conversations begin with "a".')
    await expect(findConversation(all, '')).rejects.toThrow('There is no conversation')
    const newest = await all.create({ cwd: '/elsewhere' })
    const own = { store: { conversations: all }, problems: [] }
    expect(await resumeConversation(own, { id: '', cwd: '/elsewhere' })).toEqual(newest)
    await expect(resumeConversation(own, { id: '', cwd: '/none' })).rejects.toThrow('of this folder yet')
    const without = {
      problems: [{ code: 'store-without-driver', severity: 'warn', message: 'There is no driver.' } as const],
    }
    await expect(resumeConversation(without, { id: 'a', cwd: '/' })).rejects.toThrow('There is no driver.')
  })
})
