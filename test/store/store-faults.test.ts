import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { isHostError } from '../../src/model/error.ts'
import { eventsOf, openAgent, serverOf } from '../support/agent-host.ts'
import { createMachine } from '../support/programs/cli.ts'
import { followFeed } from '../support/programs/feed-events.ts'
import { scriptedModel } from '../support/scripted-model.ts'
import { startServed } from '../support/served.ts'
import { drivers, Stores } from '../support/stores.ts'
import { outputOf, succeeds } from '../support/programs/program.ts'

for (const { driver, missing } of drivers.filter((each) => each.driver !== 'postgres'))
  describe.skipIf(missing)(`a bad store file on ${driver}${missing ? ` (${missing})` : ''}`, () => {
    const stores = new Stores(driver)
    afterAll(() => stores.close())

    test('a file that is no database is refused with its name, and stays as it is', async () => {
      const at = await stores.place()
      const file = 'file' in at ? at.file : ''
      mkdirSync(dirname(file))
      const text = 'a shopping list, and not a database at all\n'.repeat(100)
      writeFileSync(file, text)
      const refused = await stores.open({ at }).catch((error: unknown) => error)
      expect(isHostError(refused, 'store.damaged') && refused.data).toEqual({ file })
      expect(isHostError(refused) && refused.hint).toContain(`Move it away (and ${file}-wal`)
      expect(readFileSync(file, 'utf8')).toBe(text)
    })

    test('a damaged page costs only what needs it, as a sentence', async () => {
      const at = await stores.place()
      const file = 'file' in at ? at.file : ''
      const store = await stores.open({ at })
      const { id } = await store.conversations.create({ cwd: '/a' })
      await store.conversations.append(
        id,
        0,
        Array.from({ length: 200 }, (_, n) => ({ role: 'user', content: `${n} ${'x'.repeat(500)}` })),
      )
      await store.close()
      const bytes = readFileSync(file)
      bytes.fill(0xff, 8192, bytes.length - 4096)
      writeFileSync(file, bytes)
      const refused = await stores
        .open({ at })
        .then((again) => again.conversations.messages(id))
        .catch((error: unknown) => error)
      expect(isHostError(refused, 'store.damaged') && refused.data).toEqual({ file })
    })

    test('a place that cannot be a file is a sentence', async () => {
      const at = await stores.place()
      const file = 'file' in at ? at.file : ''
      mkdirSync(file, { recursive: true })
      const refused = await stores.open({ at }).catch((error: unknown) => error)
      expect(isHostError(refused, 'store.unavailable') && refused.data).toEqual({ place: file })
    })

    test('on a full disk a write is refused, what was written stays, and space helps', async () => {
      const disk = smallDisk()
      if (!disk) return // mounting needs root
      try {
        const file = join(disk, 'store.db')
        const at = { file, ...(driver !== 'postgres' && { driver }) }
        const store = await stores.open({ at })
        const { id } = await store.conversations.create({ cwd: '/a' })
        await store.conversations.append(id, 0, [{ role: 'user', content: 'kept' }])
        const big = [{ role: 'user', content: 'x'.repeat(4_000_000) }]
        const refused = await store.conversations.append(id, 1, big).catch((error: unknown) => error)
        expect(isHostError(refused, 'store.unavailable') && refused.message).toContain('the disk is full')
        expect((await store.conversations.messages(id)).map(({ content }) => content)).toEqual(['kept'])
        await store.conversations.append(id, 1, [{ role: 'user', content: 'small' }])
        await store.close()
      } finally {
        outputOf('umount', ['-l', disk])
        rmSync(disk, { recursive: true, force: true })
      }
    })
  })

/** A disk of 2 MB; `undefined` where this process may not mount one. */
function smallDisk(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'plugboard-disk-'))
  return succeeds('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder]) ? folder : undefined
}

const { missing } = drivers.find((each) => each.driver === 'postgres') ?? {}

describe.skipIf(missing)(`PostgreSQL that goes away${missing ? ` (${missing})` : ''}`, () => {
  const stores = new Stores('postgres')
  afterAll(() => stores.close())

  test('serve tells its pages what another program changes there: a conversation, its messages, a question, its end', async () => {
    const at = await stores.place()
    const url = 'url' in at ? at.url : ''
    await using it = await startServed({}, { env: { PLUGBOARD_DATABASE_URL: url } })
    // From the snapshot on changes are events.
    using feed = await followFeed(it.client)
    const other = await stores.open({ at })
    const { id } = await other.conversations.create({ cwd: it.machine.project, title: 'Elsewhere' })
    const first = await feed.until('conversation.changed', ({ conversation }) => conversation.id === id)
    expect(first.conversation.title).toBe('Elsewhere')
    await other.conversations.append(id, 0, [{ role: 'user', content: 'Hello' }])
    await feed.until(
      'conversation.changed',
      ({ conversation }) => conversation.id === id && conversation.length === 1,
    )
    const asked = await other.questions.ask({
      kind: 'approval',
      server: 't',
      asked: { ref: 't/x', args: {} },
    })
    await feed.until('question.changed', ({ question }) => question.id === asked.id)
    await other.conversations.remove(id)
    await feed.until('conversation.removed', (removed) => removed.id === id)
  })

  test('work that is cut off goes on when it is back, and nothing is lost or doubled', async () => {
    const store = await stores.open()
    const { id } = await store.conversations.create({ cwd: '/a' })
    await store.conversations.append(id, 0, [{ role: 'user', content: 'before' }])
    await stores.postgres.stop()
    const during = store.conversations.append(id, 1, [{ role: 'user', content: 'during' }])
    await stores.postgres.start()
    expect(await during).toBe(2)
    expect((await store.conversations.messages(id)).map(({ content }) => content)).toEqual([
      'before',
      'during',
    ])
  })

  test('in the middle of a turn: the turn goes on and says so, and all of it is written when it is back', async () => {
    const at = await stores.place()
    const store = await stores.open({ at, retryMs: 0 })
    const server = serverOf({
      leave: async () => (await stores.postgres.stop(), 'gone'),
      answer: () => 'still here',
      come: async () => (await stores.postgres.start(), 'back'),
    })
    const call = (name: string) => ({ calls: [{ name: `x__${name}`, args: {} }] })
    const { model } = scriptedModel(call('leave'), call('answer'), call('come'), { text: 'Done.' })
    await using world = await openAgent({ x: server }, model, { store })
    expect(await world.agent.send('Go.').finished).toMatchObject({ outcome: 'done', text: 'Done.' })
    expect(eventsOf(world.events, 'call.finished').map(({ text }) => text)).toEqual([
      'gone',
      'still here',
      'back',
    ])
    expect(eventsOf(world.events, 'notice')).toMatchObject([
      { message: expect.stringMatching(/^The store postgres.* This turn is not kept yet\.$/) },
    ])
    await world.agent.close()
    const other = await stores.open({ at })
    const kept = await other.conversations.messages(world.agent.conversation.id)
    expect(kept.map(({ role }) => role).join(' ')).toBe(
      'user assistant tool assistant tool assistant tool assistant',
    )
    await store.calls.flush()
    expect((await other.calls.list()).map(({ ref }) => ref)).toContain('x/come')
  })

  test('plugboard store: with PLUGBOARD_DATABASE_URL everything is there, and no file is made', async () => {
    using machine = createMachine()
    const at = await stores.place()
    const env = { PLUGBOARD_DATABASE_URL: 'url' in at ? at.url : '' }
    const { stdout, code } = await machine.runWith({ env }, 'store', 'status', '--json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ store: { driver: 'pg', rows: { conversations: 0 } } })
    expect(machine.has('~/.local')).toBe(false)
    const backup = await machine.runWith({ env }, 'store', 'backup', 'copy.db')
    expect(backup.code).toBe(2)
    expect(backup.stderr).toContain('pg_dump --schema plugboard')
  })

  test.each(['postgres://u:12/s3cretpw@127.0.0.1:1/db', 'u:s3cretpw@127.0.0.1/db'])(
    'an address that is written wrong (%s) shows no part of its password',
    async (url) => {
      const refused = await stores.open({ at: { url }, retryMs: 0 }).catch((error: unknown) => error)
      expect(isHostError(refused, 'store.unavailable') && refused.message).toMatch(/^The store PostgreSQL /)
      expect(`${String(refused)} ${JSON.stringify(refused)}`).not.toContain('s3cret')
    },
  )

  test('one that stays away is a sentence without the password, and what is in memory still answers', async () => {
    const at = await stores.place()
    const url = 'url' in at ? at.url.replace('plugboard@', 'plugboard:hunter2@') : ''
    const store = await stores.open({ at: { url }, retryMs: 0 })
    await store.memory.toggles.set('c1', 'github', false)
    const since = '2026-01-01T00:00:00.000Z'
    await store.memory.approvals.add({ ref: 'a/b', definition: 'd', entry: 'e', asks: [], at: since })
    await stores.postgres.stop()
    try {
      const refused = await store.conversations.list().catch((error: unknown) => error)
      expect(isHostError(refused, 'store.unavailable') && refused.message).toMatch(
        /^The store postgres:\/\/127\.0\.0\.1:\d+\/test\d+ cannot be used: /,
      )
      expect(String(refused)).not.toContain('hunter2')
      // An approval that cannot be confirmed is not relied on.
      expect(store.memory.approvals.of()).toHaveLength(1)
      await store.memory.recall()
      expect(store.memory.approvals.of()).toEqual([])
      expect(store.memory.toggles.of('c1')).toEqual(new Map([['github', false]]))
      await expect(store.memory.toggles.set('c1', 'files', true)).rejects.toThrow('cannot be used')
      expect(store.memory.toggles.of('c1').get('files')).toBe(true)
    } finally {
      await stores.postgres.start()
    }
    await store.memory.recall()
    expect(store.memory.approvals.of()).toHaveLength(1)
  })
})
