import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { isHostError } from '../../src/model/error.ts'
import type { Json } from '../../src/model/json.ts'
import { nodePlatform } from '../../src/platform/node/node-platform.ts'
import { bundleScript, runScript } from '../support/programs/processes.ts'
import type { Store } from '../../src/store/store-interface.ts'
import { drivers, platformAt, Stores } from '../support/stores.ts'

for (const { driver, missing } of drivers)
  describe.skipIf(missing)(`store on ${driver}${missing ? ` (${missing})` : ''}`, () => {
    const stores = new Stores(driver)
    afterAll(() => stores.close())

    test('D-19 a conversation is found again with its messages', async () => {
      const at = await stores.place()
      const before = await stores.open({ at })
      const { id } = await before.conversations.create({ cwd: '/shop', title: 'Prices', agent: 'clerk' })
      const content: Json = [
        { type: 'text', text: 'What does it cost?' },
        { n: 1.5, ok: true, none: null },
      ]
      await before.conversations.append(id, 0, [{ role: 'user', content }])
      await before.conversations.append(id, 1, [
        { role: 'assistant', content: 'Three.' },
        { role: 'user', content: 'Thanks.' },
      ])
      await before.close()

      const after = await stores.open({ at })
      expect(await after.conversations.get(id)).toMatchObject({
        id,
        cwd: '/shop',
        title: 'Prices',
        agent: 'clerk',
        length: 3,
      })
      expect(
        (await after.conversations.messages(id)).map(({ seq, role, content: text }) => [seq, role, text]),
      ).toEqual([
        [1, 'user', content],
        [2, 'assistant', 'Three.'],
        [3, 'user', 'Thanks.'],
      ])
    })

    test('keys of the gateway come back as they were, once per name, and removing one removes only it', async () => {
      const at = await stores.place()
      const [one, other] = [await stores.open({ at }), await stores.open({ at })]
      const createdAt = '2026-11-16T10:00:00.000Z'
      const ci = { name: 'ci', id: 'aaaaaaaaaaaa', hash: '11', views: ['work', 'x'], createdAt }
      const bot = { name: 'bot', id: 'bbbbbbbbbbbb', hash: '22', createdAt, expiresAt: createdAt }
      expect([await one.keys.add(ci), await one.keys.add(bot)]).toEqual([true, true])
      expect(await other.keys.add({ ...ci, id: 'cccccccccccc' })).toBe(false)
      const rotated = { ...ci, hash: '33', previous: { hash: '11', until: createdAt } }
      expect(await other.keys.replace(rotated)).toBe(true)
      expect(await one.keys.list()).toEqual([bot, rotated])
      expect(await one.keys.replace({ ...ci, name: 'none' })).toBe(false)
      expect([await one.keys.remove('ci'), await other.keys.remove('ci')]).toEqual([true, false])
      expect(await other.keys.list()).toEqual([bot])
    })

    test('texts with NUL, lone surrogates and every script come back', async () => {
      const store = await stores.open()
      const { id } = await store.conversations.create({ cwd: '/a', title: 'a\0b' })
      const texts = ['a\0b', '\ud800', 'Ω 漢字 🚀', '', '\u2028"\\\n', 'x'.repeat(100_000)]
      await store.conversations.append(id, 0, [{ role: 'user', content: texts }])
      expect((await store.conversations.messages(id))[0]?.content).toEqual(texts)
      expect((await store.conversations.get(id))?.title).toBe('a␀b')
    })

    test('two terminals in one conversation: the second is told, and nothing is lost', async () => {
      const at = await stores.place()
      const [one, two] = [await stores.open({ at }), await stores.open({ at })]
      const { id } = await one.conversations.create({ cwd: '/a' })
      await one.conversations.append(id, 0, [{ role: 'user', content: 'first' }])
      const refused = await two.conversations
        .append(id, 0, [{ role: 'user', content: 'second' }])
        .catch((error: unknown) => error)
      expect(isHostError(refused, 'store.conflict') && refused.data).toEqual({ conversation: id, length: 1 })
      await two.conversations.append(id, 1, [{ role: 'user', content: 'second' }])
      expect((await one.conversations.messages(id)).map(({ content }) => content)).toEqual([
        'first',
        'second',
      ])
    })

    test('the same messages appended again after a lost answer are there once', async () => {
      const store = await stores.open({ platform: platformAt('2026-11-16T10:00:00.000Z') })
      const { id } = await store.conversations.create({ cwd: '/a' })
      const messages = [{ role: 'user', content: 'once' }]
      await store.conversations.append(id, 0, messages)
      await store.conversations.append(id, 0, messages)
      expect(await store.conversations.messages(id)).toHaveLength(1)
    })

    test('undo removes the last messages, and the next ones follow without a gap', async () => {
      const store = await stores.open()
      const { id } = await store.conversations.create({ cwd: '/a' })
      await store.conversations.append(
        id,
        0,
        ['a', 'b', 'c'].map((content) => ({ role: 'user', content })),
      )
      await store.conversations.truncate(id, 3, 1)
      expect(await store.conversations.append(id, 1, [{ role: 'user', content: 'd' }])).toBe(2)
      expect((await store.conversations.messages(id)).map(({ content }) => content)).toEqual(['a', 'd'])
    })

    test('undo and a message of another terminal at once: one of them is told, and the numbers have no gap', async () => {
      const at = await stores.place()
      const [one, two] = [await stores.open({ at }), await stores.open({ at })]
      for (let round = 0; round < 10; round++) {
        const { id } = await one.conversations.create({ cwd: '/a' })
        const say = (content: string) => ({ role: 'user', content })
        await one.conversations.append(id, 0, ['a', 'b', 'c'].map(say))
        const results = await Promise.allSettled([
          one.conversations.truncate(id, 3, 1),
          two.conversations.append(id, 3, ['d', 'e'].map(say)),
        ])
        expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
        const { length = 0 } = (await one.conversations.get(id)) ?? {}
        expect((await one.conversations.messages(id)).map(({ seq }) => seq)).toEqual(
          Array.from({ length }, (_, index) => index + 1),
        )
        await one.conversations.append(id, length, [say('f')])
      }
    })

    test('a conflict says how long the conversation is; an unknown one is unknown', async () => {
      const store = await stores.open()
      const { id } = await store.conversations.create({ cwd: '/a' })
      await store.conversations.append(id, 0, [{ role: 'user', content: 'x' }])
      const dataOf = (conversation: string) =>
        store.conversations
          .append(conversation, 10, [{ role: 'user', content: 'y' }])
          .catch((error: unknown) => error)
      expect(await dataOf(id)).toMatchObject({
        code: 'store.conflict',
        data: { conversation: id, length: 1 },
      })
      expect(await dataOf('none')).toMatchObject({ code: 'store.unknown', data: { conversation: 'none' } })
    })

    test('a conversation is found by the start of its id, and by nothing else', async () => {
      const store = await stores.open()
      const { id } = await store.conversations.create({ cwd: '/a' })
      const found = async (like: string) => (await store.conversations.list({ like })).map((each) => each.id)
      expect(await found(id.slice(0, 8))).toEqual([id])
      for (const like of ['%', '_', `%${id.slice(1)}`]) expect(await found(like)).toEqual([])
    })

    test('a call with figures that cannot be stored does not cost the others', async () => {
      const store = await stores.open()
      const call = { ref: 'a/b', args: {}, outcome: 'done', result: '' } as const
      store.calls.record({ ...call, id: 'one', ms: Number.NaN, bytes: 3e9 })
      store.calls.record({ ...call, id: 'two', ms: 1, bytes: 1 })
      await store.calls.flush()
      expect((await store.calls.list()).map(({ id }) => id).sort()).toEqual(['one', 'two'])
    })

    test('a removed conversation takes everything of it along, also in a process that has it open', async () => {
      const at = await stores.place()
      const gone: string[] = []
      const onRemoved = async (ids: readonly string[]) => void gone.push(...ids)
      const store = await stores.open({ at, onRemoved })
      const { id } = await store.conversations.create({ cwd: '/a' })
      await fill(store, id)
      const other = await stores.open({ at })
      expect(await store.conversations.remove(id)).toBe(true)
      expect(await store.conversations.remove(id)).toBe(false)
      expect(gone).toEqual([id])
      const { rows } = await store.status()
      expect(rows).toEqual({
        conversations: 0,
        messages: 0,
        switches: 0,
        approvals: 0,
        questions: 0,
        calls: 0,
        audit: 0,
        keys: 0,
        versions: 0,
        quotas: 0,
        acceptances: 0,
        logins: 0,
      })
      await other.memory.recall()
      expect([other.memory.toggles.of(id).size, other.memory.approvals.of(id).length]).toEqual([0, 0])
    })

    test('what was removed is not readable in the files of SQLite', async () => {
      const at = await stores.place()
      if (!('file' in at)) return
      const store = await stores.open({ at })
      const bytes = () =>
        [at.file, `${at.file}-wal`]
          .map((file) => (existsSync(file) ? readFileSync(file, 'latin1') : ''))
          .join()
      const { id } = await store.conversations.create({ cwd: '/a' })
      await fill(store, id)
      const old = await store.conversations.create({ cwd: '/a' })
      await fill(store, old.id)
      expect(bytes()).toContain('UNIQUEMARK')
      await store.conversations.remove(id)
      await store.prune('2999-01-01T00:00:00.000Z')
      expect(bytes()).not.toContain('UNIQUEMARK')
      await store.close()
      expect(bytes()).not.toContain('UNIQUEMARK')
    })

    test('an export reads more rows than are in memory at once, each one once', async () => {
      const store = await stores.open()
      const { id } = await store.conversations.create({ cwd: '/a' })
      const messages = Array.from({ length: 250 }, (_, n) => ({ role: 'user', content: n }))
      await store.conversations.append(id, 0, messages)
      for (let n = 0; n < 120; n++) await store.memory.toggles.set('c', `s${n}`, true)
      const lines: { readonly table: string; readonly row: { readonly seq?: number } }[] = []
      for await (const line of store.export()) lines.push(JSON.parse(line))
      const seqs = lines.flatMap(({ row }) => row.seq ?? [])
      expect(seqs).toEqual(messages.map((_, n) => n + 1))
      expect(new Set(lines.map((line) => JSON.stringify(line))).size).toBe(1 + 250 + 120)
    })

    test('D6 D7 switches hold for their conversation and reach the other process', async () => {
      const at = await stores.place()
      const [one, two] = [await stores.open({ at }), await stores.open({ at })]
      await one.memory.toggles.set('c1', 'github', false)
      await one.memory.toggles.set('c1', 'files', true)
      await one.memory.toggles.set('c1', 'files', undefined)
      expect(one.memory.toggles.of('c1')).toEqual(new Map([['github', false]]))
      expect(two.memory.toggles.of('c1')).toEqual(new Map())
      await two.memory.recall()
      expect(two.memory.toggles.of('c1')).toEqual(new Map([['github', false]]))
      expect(two.memory.toggles.of('c2')).toEqual(new Map())
    })

    test('approvals are kept, replaced by the same question, and revoked', async () => {
      const at = await stores.place()
      const store = await stores.open({ at })
      await store.memory.approvals.add(approval({ at: '2026-01-01T00:00:00.000Z' }))
      await store.memory.approvals.add(approval({ at: '2026-02-01T00:00:00.000Z' }))
      await store.memory.approvals.add(approval({ conversation: 'c1', asks: ['a "quoted" ask'] }))
      const again = await stores.open({ at })
      expect(again.memory.approvals.of()).toEqual([approval({ at: '2026-02-01T00:00:00.000Z' })])
      expect(again.memory.approvals.of('c1')).toHaveLength(2)
      expect(await again.memory.approvals.revoke({ conversation: 'c1' })).toBe(1)
      await store.memory.recall()
      expect(store.memory.approvals.of('c1')).toEqual([approval({ at: '2026-02-01T00:00:00.000Z' })])
      expect(await store.memory.approvals.revoke()).toBe(1)
    })

    test('a question is answered once, by any process, and the one that asked learns of it', async () => {
      const at = await stores.place()
      const [asking, answering] = [await stores.open({ at }), await stores.open({ at })]
      const { id } = await asking.questions.ask({ kind: 'approval', server: 'github', asked: { tool: 'x' } })
      const settled = asking.questions.settled(id)
      expect((await answering.questions.list({ state: 'pending' })).map((each) => each.id)).toEqual([id])
      expect(await answering.questions.answer(id, { allow: true })).toBe(true)
      expect(await answering.questions.answer(id, { allow: false })).toBe(false)
      expect(await settled).toMatchObject({ id, state: 'answered', answer: { allow: true } })
    })

    test('a question whose connection is gone has expired, with what it asked', async () => {
      const store = await stores.open()
      const { id } = await store.questions.ask({ kind: 'elicitation', server: 's', asked: 'Your name?' })
      const settled = store.questions.settled(id)
      await store.questions.expire(id)
      expect(await settled).toMatchObject({ state: 'expired', asked: 'Your name?' })
      expect(await store.questions.answer(id, 'late')).toBe(false)
    })

    test('who stops waiting for an answer is released', async () => {
      const store = await stores.open()
      const { id } = await store.questions.ask({ kind: 'sampling', asked: 1 })
      const stopped = new AbortController()
      const settled = store.questions.settled(id, stopped.signal)
      stopped.abort(new Error('enough'))
      await expect(settled).rejects.toThrow('enough')
      expect((await store.questions.get(id))?.state).toBe('pending')
    })

    test('the version of the store changes with what another program writes', async () => {
      const at = await stores.place()
      const [here, there] = [await stores.open({ at }), await stores.open({ at })]
      const { id } = await there.conversations.create({ cwd: '/w' })
      const seen = [await here.version(), await here.version()]
      for (const change of [
        () => there.conversations.change(id, { title: 'New' }),
        () => there.questions.ask({ kind: 'approval', asked: {} }),
        () => there.memory.toggles.set(id, 'github', false),
        () => there.conversations.remove(id),
      ]) {
        await change()
        seen.push(await here.version())
      }
      expect(seen[1]).toBe(seen[0])
      expect(new Set(seen).size).toBe(5)
    })

    test('calls are written behind the call, newest first', async () => {
      const store = await stores.open()
      for (const n of [1, 2, 3])
        store.calls.record({
          id: `call${n}`,
          conversation: 'c1',
          ref: 'github/create_issue',
          args: { n },
          outcome: 'done',
          result: 'r'.repeat(20_000),
          ms: 1.6,
          bytes: 20_000,
        })
      await store.calls.flush()
      const calls = await store.calls.list({ conversation: 'c1' })
      expect(calls.map(({ args, ms, result }) => [args, ms, result.length])).toContainEqual([
        { n: 2 },
        2,
        8000,
      ])
      expect(calls).toHaveLength(3)
      expect(await store.calls.list({ conversation: 'c2' })).toEqual([])
    })

    test('calls are found by server, outcome, maker and page', async () => {
      const store = await stores.open()
      const made = [
        ['a', 'git_hub/x', 'done', 'page'],
        ['b', 'git-hub/x', 'failed', 'terminal'],
        ['c', 'git_hub/y', 'failed', 'chat'],
        ['d', 'git/hub', 'denied', 'page'],
      ] as const
      for (const [at, [id, ref, outcome, by]] of made.entries())
        store.calls.record({
          id,
          ref,
          by,
          args: {},
          outcome,
          result: '',
          ms: 1,
          bytes: 1,
          at: `2026-01-01T00:00:0${Math.floor(at / 2)}.000Z`,
          ...(id === 'd' && { error: { code: 'call.denied', message: 'No.', hint: 'Ask.' } }),
        })
      await store.calls.flush()
      const idsOf = async (...[options]: Parameters<typeof store.calls.list>) =>
        (await store.calls.list(options)).map(({ id }) => id)
      expect(await idsOf()).toEqual(['d', 'c', 'b', 'a'])
      expect(await idsOf({ server: 'git_hub' })).toEqual(['c', 'a'])
      expect(await idsOf({ outcome: 'failed', by: 'chat' })).toEqual(['c'])
      expect(await idsOf({ before: 'c' })).toEqual(['b', 'a'])
      expect(await idsOf({ before: 'none' })).toEqual([])
      expect(await store.calls.newest(2)).toEqual(['d', 'c'])
      expect(await store.calls.get('d')).toEqual({
        id: 'd',
        by: 'page',
        ref: 'git/hub',
        args: {},
        outcome: 'denied',
        result: '',
        ms: 1,
        bytes: 1,
        error: { code: 'call.denied', message: 'No.', hint: 'Ask.' },
        at: '2026-01-01T00:00:01.000Z',
        startedAt: '2026-01-01T00:00:00.999Z',
      })
    })

    test('a result for an app is kept whole up to 256 kB, without secrets, and lists do not read it', async () => {
      const store = await stores.open({ redact: (text) => text.replaceAll('hunter2', '***') })
      const call = { ref: 'a/b', args: {}, outcome: 'done', result: '', ms: 1, bytes: 1 } as const
      const raw = { content: [{ type: 'text', text: 'hunter2' }], structuredContent: { items: [1, null] } }
      store.calls.record({ ...call, id: 'kept', raw })
      store.calls.record({ ...call, id: 'large', raw: { text: 'x'.repeat(262_144) } })
      await store.calls.flush()
      expect((await store.calls.get('kept'))?.raw).toEqual({
        content: [{ type: 'text', text: '***' }],
        structuredContent: { items: [1, null] },
      })
      expect((await store.calls.get('large'))?.raw).toBeUndefined()
      expect((await store.calls.list()).filter((each) => 'raw' in each)).toEqual([])
    })

    test('a call of an app says of which tool it is, and is found by that it was an app', async () => {
      const store = await stores.open()
      const call = { ref: 'a/b', args: {}, outcome: 'done', result: '', ms: 1, bytes: 1 } as const
      store.calls.record({ ...call, id: 'app', by: 'app', app: 'a/show' })
      store.calls.record({ ...call, id: 'page', by: 'page' })
      await store.calls.flush()
      const found = await store.calls.list({ by: 'app' })
      expect(found.map(({ id, by, app }) => ({ id, by, app }))).toEqual([
        { id: 'app', by: 'app', app: 'a/show' },
      ])
      expect(await store.calls.get('page')).not.toHaveProperty('app')
    })

    test('calls are ordered by their start, which is before the time that they took and waited', async () => {
      const store = await stores.open()
      const record = (id: string, at: string, times: { readonly ms: number; readonly waitedMs?: number }) =>
        store.calls.record({ id, ref: 'a/b', args: {}, outcome: 'done', result: '', bytes: 1, at, ...times })
      record('short', '2026-01-01T00:00:05.000Z', { ms: 1000 })
      record('long', '2026-01-01T00:00:06.000Z', { ms: 3000 })
      record('waited', '2026-01-01T00:00:07.000Z', { ms: 3, waitedMs: 5000 })
      await store.calls.flush()
      const calls = await store.calls.list()
      expect(calls.map(({ id }) => id)).toEqual(['short', 'long', 'waited'])
      expect(calls[2]).toMatchObject({ ms: 3, waitedMs: 5000, startedAt: '2026-01-01T00:00:01.997Z' })
      const before = { id: 'running', startedAt: '2026-01-01T00:00:03.500Z' }
      expect((await store.calls.list({ before })).map(({ id }) => id)).toEqual(['long', 'waited'])
      expect(await store.calls.newest(1)).toEqual(['waited'])
    })

    test('a store of a version that did not know who made a call, and when it began, is brought up to date with its rows', async () => {
      const at = await stores.place()
      const before = await stores.open({ at })
      before.calls.record({ id: 'old', ref: 'a/b', args: {}, outcome: 'done', result: '', ms: 1, bytes: 1 })
      await before.close()
      await stores.undoSteps(at, '0003-call-makers', '0004-call-starts')
      const after = await stores.open({ at })
      expect(await after.calls.list()).toMatchObject([{ id: 'old' }])
      after.calls.record({
        id: 'new',
        by: 'page',
        ref: 'a/b',
        args: {},
        outcome: 'done',
        result: '',
        ms: 1,
        bytes: 1,
      })
      await after.calls.flush()
      expect((await after.calls.get('new'))?.by).toBe('page')
    })

    test('secrets are taken out of every text before it is written', async () => {
      const redact = (text: string) => text.replaceAll('hunter2', '***')
      const store = await stores.open({ redact })
      const { id } = await store.conversations.create({ cwd: '/a', title: 'my hunter2' })
      await store.conversations.append(id, 0, [{ role: 'user', content: { deep: ['is hunter2'] } }])
      await store.questions.ask({ kind: 'approval', asked: { hunter2: 'hunter2' } })
      store.calls.record({
        id: 'c',
        ref: 'a/b',
        args: { key: 'hunter2' },
        outcome: 'done',
        result: `${'x'.repeat(7997)}hunter2`,
        ms: 1,
        bytes: 1,
      })
      await store.calls.flush()
      let all = ''
      for await (const line of store.export()) all += line
      expect(all).toContain('my ***')
      expect(all).not.toContain('hunter2')
      expect(all).not.toContain('xhun')
    })

    test('a question that can wait is taken over with its answer, which is used once; others expire with their process', async () => {
      const at = await stores.place()
      const processOf = (pid: number) => ({
        ...nodePlatform({}),
        processes: {
          self: async () => ({ pid, startMark: `start ${pid}`, machine: 'here' }),
          startMarkOf: async (id: number) => (id === 2 ? 'start 2' : undefined),
        },
      })
      const { questions: gone } = await stores.open({ at, platform: processOf(1) })
      const { questions } = await stores.open({ at, platform: processOf(2) })
      const { id } = await gone.ask({ kind: 'approval', asked: 1, key: 'k' })
      await gone.ask({ kind: 'elicitation', asked: 2 })
      expect((await questions.get(id))?.isWaiting).toBe(true)
      await questions.expireLeft()
      expect((await questions.get(id))?.isWaiting).toBe(false)
      expect((await questions.list()).map(({ kind, state }) => [kind, state])).toEqual([
        ['approval', 'pending'],
        ['elicitation', 'expired'],
      ])
      await questions.answer(id, { yes: 'whole' })
      expect((await questions.ask({ kind: 'approval', asked: 1, key: 'other' })).id).not.toBe(id)
      const again = await questions.ask({ kind: 'approval', asked: 1, key: 'k' })
      expect(again).toMatchObject({ id, state: 'answered', answer: { yes: 'whole' } })
      expect([await questions.take(id, 'yes'), await questions.take(id, 'yes')]).toEqual([true, false])
      expect((await questions.get(id))?.answer).toBe('yes')
      const next = await questions.ask({ kind: 'approval', asked: 1, key: 'k' })
      expect(next.state).toBe('pending')
      // This process still runs; once it has left the question, the next one takes it over.
      expect((await questions.ask({ kind: 'approval', asked: 1, key: 'k' })).id).not.toBe(next.id)
      await questions.leave(next.id)
      expect((await questions.ask({ kind: 'approval', asked: 1, key: 'k' })).id).toBe(next.id)
    })

    test('an answer that nobody has used for a week has no power any more', async () => {
      const at = await stores.place()
      const processAt = (time: string, pid: number) => ({
        ...platformAt(time),
        processes: {
          self: async () => ({ pid, startMark: `start ${pid}`, machine: 'here' }),
          startMarkOf: async () => undefined,
        },
      })
      const { questions: gone } = await stores.open({
        at,
        platform: processAt('2026-06-01T00:00:00.000Z', 1),
      })
      const asked = { kind: 'approval', asked: 1, key: 'k' } as const
      const { id } = await gone.ask(asked)
      const other = await gone.ask({ ...asked, key: 'other' })
      await gone.answer(id, 'once')
      const { questions: later } = await stores.open({
        at,
        platform: processAt('2026-06-09T00:00:00.000Z', 2),
      })
      expect((await later.ask(asked)).id).not.toBe(id)
      expect((await later.ask({ ...asked, key: 'other' })).id).not.toBe(other.id)
      await later.expireLeft()
      const { state, answer } = (await later.get(id)) ?? {}
      expect([state, answer]).toEqual(['expired', undefined])
    })

    test('T48 a question in which something was masked says so', async () => {
      const store = await stores.open({ redact: (text) => text.replaceAll('hunter2', '***') })
      const ask = (asked: Json) => store.questions.ask({ kind: 'approval', asked })
      expect((await ask({ args: 'hunter2' })).asked).toEqual({ args: '***', masked: true })
      expect((await ask({ args: 'plain' })).asked).toEqual({ args: 'plain' })
    })

    test('prune removes what was not used since a time, and leaves pending questions', async () => {
      const at = await stores.place()
      const old = await stores.open({ at, platform: platformAt('2026-01-01T00:00:00.000Z') })
      const { id } = await old.conversations.create({ cwd: '/a', title: 'old' })
      await old.conversations.append(id, 0, [{ role: 'user', content: 'x' }])
      await old.memory.toggles.set(id, 's', true)
      await old.questions.ask({ kind: 'approval', asked: 1 })
      await old.questions.ask({ kind: 'approval', asked: 1, conversation: id })
      await old.questions.expire((await old.questions.ask({ kind: 'approval', asked: 2 })).id)
      const call = { id: 'c', ref: 'a/b', args: {}, outcome: 'done', result: '', ms: 0, bytes: 0 } as const
      old.calls.record(call)
      await old.calls.flush()
      const now = await stores.open({ at, platform: platformAt('2026-06-01T00:00:00.000Z') })
      await now.conversations.create({ cwd: '/b', title: 'new' })
      now.calls.record({ ...call, id: 'late', conversation: id })
      await now.calls.flush()
      const gone = { conversations: 1, questions: 2, calls: 2 }
      expect(await now.countOld('2026-03-01T00:00:00.000Z')).toEqual(gone)
      expect(await now.prune('2026-03-01T00:00:00.000Z')).toEqual(gone)
      expect((await now.status()).rows).toEqual({
        conversations: 1,
        messages: 0,
        switches: 0,
        approvals: 0,
        questions: 1,
        calls: 0,
        audit: 0,
        keys: 0,
        versions: 0,
        quotas: 0,
        acceptances: 0,
        logins: 0,
      })
    })

    test('four programs create the store at once and lose no message', async () => {
      const at = await stores.place()
      const writer = await bundleScript('store-writer.ts')
      const programs = [1, 2, 3, 4].map((n) =>
        runScript(writer, [JSON.stringify({ at, name: `p${n}`, count: 25 })]),
      )
      const ends = await Promise.all(programs.map(({ ended }) => ended))
      expect(ends).toEqual(programs.map(() => ({ code: 0, signal: null })))
      const store = await stores.open({ at })
      const { rows } = await store.status()
      expect([rows.conversations, rows.messages, rows.switches]).toEqual([4, 100, 4])
    })

    test('a store that a newer program changed refuses this one with a sentence', async () => {
      const at = await stores.place()
      await (await stores.open({ at })).close()
      await stores.addForeignStep(at)
      const refused = await stores.open({ at }).catch((error: unknown) => error)
      expect(isHostError(refused, 'store.newer') && refused.data.step).toBe('9999-later')
      expect(isHostError(refused) && refused.hint).toContain('npm i -g plugboard@latest')
    })

    test.skipIf(driver === 'postgres')('a file that is removed while it is open is said', async () => {
      const at = await stores.place()
      const { conversations } = await stores.open({ at })
      const { id } = await conversations.create({ cwd: '/a' })
      for (const end of ['', '-wal', '-shm']) rmSync(`${'file' in at ? at.file : ''}${end}`, { force: true })
      await expect(conversations.append(id, 0, [{ role: 'user', content: 'hi' }])).rejects.toThrow(
        /is gone: another/,
      )
      await expect(conversations.get(id)).rejects.toThrow(/is gone/)
    })

    test.skipIf(driver === 'postgres')('its files are private, and so is a backup', async () => {
      const at = await stores.place()
      const store = await stores.open({ at })
      await store.conversations.create({ cwd: '/a', title: 'kept' })
      const file = 'file' in at ? at.file : ''
      const backup = `${file}.copy`
      await store.backup(backup)
      for (const path of [file, `${file}-wal`, backup]) expect(statSync(path).mode & 0o777).toBe(0o600)
      const copied = await stores.open({ at: { ...at, file: backup } })
      expect((await copied.conversations.list()).map(({ title }) => title)).toEqual(['kept'])
      await expect(store.backup(backup)).rejects.toThrow('EEXIST')
    })
  })

function approval(over: object = {}) {
  const at = '2026-01-01T00:00:00.000Z'
  return { ref: 'github/x', definition: 'd', entry: 'e', asks: ['writes'], at, ...over }
}

/** Everything that can belong to a conversation. */
async function fill(store: Store, id: string): Promise<void> {
  await store.conversations.append(id, 0, [{ role: 'user', content: `UNIQUEMARK ${'x'.repeat(9000)}` }])
  await store.memory.toggles.set(id, 'UNIQUEMARK', false)
  await store.memory.approvals.add(approval({ conversation: id, ref: 'UNIQUEMARK' }))
  await store.questions.ask({ kind: 'approval', asked: 'UNIQUEMARK', conversation: id })
  const call = { id, ref: 'a/b', args: {}, outcome: 'done', ms: 1, bytes: 1 } as const
  store.calls.record({ ...call, conversation: id, result: 'UNIQUEMARK' })
  await store.calls.flush()
}
