import * as fc from 'fast-check'
import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createPerson } from '../../test/support/person.ts'
import type { Approval } from '../model/memory.ts'
import { nodePlatform } from '../platform/node/node-platform.ts'
import { createFakePlatform } from '../testing/fake-platform.ts'
import { createVolatileMemory, memoryFile, openMemory } from './file-memory.ts'

const approval = (more: Partial<Approval> = {}): Approval => ({
  ref: 'git/push',
  definition: 'sha256:d',
  entry: 'sha256:e',
  asks: [''],
  at: '2026-01-02T03:04:05.000Z',
  ...more,
})
const switchesOf = (memory: Awaited<ReturnType<typeof openMemory>>, conversation: string) =>
  Object.fromEntries(memory.toggles.of(conversation))

describe('D6, D7 memory: switches of a conversation', () => {
  test('P9 a new memory has no switches and no approvals', async () => {
    const memory = await openMemory(createFakePlatform())
    expect([switchesOf(memory, 'c1'), memory.approvals.of('c1'), memory.damage]).toEqual([{}, [], undefined])
  })

  test('switches apply at once and after a restart', async () => {
    const platform = createFakePlatform()
    const memory = await openMemory(platform)
    const kept = [
      memory.toggles.set('c1', 'git', false),
      memory.toggles.set('c1', 'web', true),
      memory.toggles.set('c2', 'git', true),
    ]
    expect([switchesOf(memory, 'c1'), switchesOf(memory, 'c2')]).toEqual([
      { git: false, web: true },
      { git: true },
    ])
    await Promise.all(kept)
    await memory.toggles.set('c1', 'web', undefined)
    const again = await openMemory(platform)
    expect([switchesOf(again, 'c1'), switchesOf(again, 'c2')]).toEqual([{ git: false }, { git: true }])
  })

  test('any names of conversations and servers survive a restart', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom('c', '__proto__', ''), fc.string(), fc.boolean()), {
          maxLength: 8,
        }),
        async (steps) => {
          const platform = createFakePlatform()
          const memory = await openMemory(platform)
          for (const [conversation, server, on] of [...steps, ['c', '__proto__', true] as const]) {
            await memory.toggles.set(conversation, server, on)
          }
          const again = await openMemory(platform)
          for (const id of ['c', '__proto__', '']) {
            expect(Object.fromEntries(again.toggles.of(id))).toEqual(
              Object.fromEntries(memory.toggles.of(id)),
            )
          }
        },
      ),
      { numRuns: 30 },
    )
  })

  test('the oldest conversations beyond 500 are dropped with their approvals', async () => {
    const platform = createFakePlatform()
    const memory = await openMemory(platform)
    await memory.approvals.add(approval({ conversation: 'first' }))
    await memory.approvals.add(approval())
    for (let index = 0; index < 500; index++) await memory.toggles.set(`c${index}`, 'git', false)
    const again = await openMemory(platform)
    expect([again.approvals.of('first'), switchesOf(again, 'c0'), switchesOf(again, 'c499')]).toEqual([
      [approval()],
      { git: false },
      { git: false },
    ])
    await memory.toggles.set('another', 'git', false)
    expect([switchesOf(memory, 'c0'), switchesOf(memory, 'c1')]).toEqual([{}, { git: false }])
  })
})

describe('memory: approvals', () => {
  test('include those for all conversations and those of this one, also after a restart', async () => {
    const platform = createFakePlatform()
    const memory = await openMemory(platform)
    const [always, one, two] = [
      approval(),
      approval({ conversation: 'c1' }),
      approval({ conversation: 'c2' }),
    ]
    for (const each of [always, one, two]) await memory.approvals.add(each)
    const again = await openMemory(platform)
    expect([again.approvals.of(), again.approvals.of('c1')]).toEqual([[always], [always, one]])
  })

  test('a newer approval of the same question replaces the older one', async () => {
    const memory = await openMemory(createFakePlatform())
    await memory.approvals.add(approval())
    await memory.approvals.add(approval({ at: 'later' }))
    expect(memory.approvals.of()).toEqual([approval({ at: 'later' })])
  })

  test('can be revoked for one tool, one conversation, or all', async () => {
    const memory = await openMemory(createFakePlatform())
    const all = [
      approval(),
      approval({ conversation: 'c1' }),
      approval({ ref: 'git/log', conversation: 'c1' }),
    ]
    const refill = async () => {
      for (const each of all) await memory.approvals.add(each)
    }
    await refill()
    expect(await memory.approvals.revoke({ ref: 'git/push' })).toBe(2)
    expect(memory.approvals.of('c1')).toEqual([all[2]])
    await refill()
    expect(await memory.approvals.revoke({ conversation: 'c1' })).toBe(2)
    expect(await memory.approvals.revoke()).toBe(1)
    expect(await memory.approvals.revoke()).toBe(0)
  })
})

describe('memory: several programs', () => {
  test('concurrent changes are all kept, and reload reads them', async () => {
    const platform = createFakePlatform()
    const [one, two] = [await openMemory(platform), await openMemory(platform)]
    await Promise.all([
      one.toggles.set('c', 'a', false),
      two.toggles.set('c', 'b', false),
      two.approvals.add(approval()),
    ])
    await one.reload()
    expect([switchesOf(one, 'c'), one.approvals.of()]).toEqual([{ a: false, b: false }, [approval()]])
    await two.approvals.revoke()
    await one.reload()
    expect(one.approvals.of()).toEqual([])
  })
})

describe('memory: changes of another program', () => {
  test('recall reads the file only if it has changed', async () => {
    const platform = createFakePlatform()
    let reads = 0
    const readText = platform.files.readText.bind(platform.files)
    platform.files.readText = (...asked) => {
      reads++
      return readText(...asked)
    }
    await (await openMemory(platform)).approvals.add(approval())
    const [one, two] = [await openMemory(platform), await openMemory(platform)]
    const before = reads
    await one.recall()
    expect([reads - before, one.approvals.of()]).toEqual([0, [approval()]])
    await two.approvals.revoke()
    await one.recall()
    expect(one.approvals.of()).toEqual([])
    platform.files.texts.delete(one.file)
    await two.toggles.set('c', 'a', false)
    await one.recall()
    expect(switchesOf(one, 'c')).toEqual({ a: false })
  })

  test('recall drops everything if the file was deleted', async () => {
    const platform = createFakePlatform()
    const memory = await openMemory(platform)
    await memory.approvals.add(approval())
    platform.files.texts.delete(memory.file)
    await memory.recall()
    expect(memory.approvals.of()).toEqual([])
  })

  test('reload keeps a change that was made while it was reading', async () => {
    const platform = createFakePlatform()
    const memory = await openMemory(platform)
    const readText = platform.files.readText.bind(platform.files)
    // A slow disk for one read: work that does not wait for it finishes first.
    platform.files.readText = async (...asked) => {
      platform.files.readText = readText
      const found = await readText(...asked)
      for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
      return found
    }
    const reading = memory.reload()
    await memory.toggles.set('c', 'git', false)
    await reading
    expect(switchesOf(memory, 'c')).toEqual({ git: false })
  })
})

describe('FI-74 memory: damaged file', () => {
  const switched = { id: 'c', at: '2026', on: [], off: ['git'] }
  const text = (more: object) =>
    JSON.stringify({ version: 1, conversations: [switched], approvals: [approval()], ...more })

  const open = async (content: string, env: Record<string, string> = {}) => {
    const person = createPerson({}, { env })
    person.files.texts.set(memoryFile(person.platform), content)
    return { person, memory: await openMemory(person.platform) }
  }

  test.each([
    ['invalid JSON', '{', {}],
    ['a list', '[]', {}],
    ['another version', text({ version: 2 }), { git: false }],
    ['no approvals', text({ approvals: undefined }), { git: false }],
    ['an incomplete approval', text({ approvals: [approval(), { ref: 'x' }] }), { git: false }],
    [
      'an incomplete conversation',
      text({ conversations: [switched, { id: 1 }], approvals: 1 }),
      { git: false },
    ],
  ])(
    '%s: no approval is used, readable switches are, and the file is not overwritten',
    async (_what, content, left) => {
      const { person, memory } = await open(content)
      expect([memory.approvals.of('c'), switchesOf(memory, 'c'), memory.damage?.code]).toEqual([
        [],
        left,
        'store-damaged',
      ])
      await expect(memory.approvals.add(approval())).rejects.toMatchObject({ code: 'store.damaged' })
      expect(person.files.texts.get(memory.file)).toBe(content)
      // The approval was just given, so it stays in force in this process.
      expect(memory.approvals.of('c')).toEqual([approval()])
    },
  )

  test('a repaired file is used again after reload', async () => {
    const { person, memory } = await open('{')
    person.files.texts.set(memory.file, text({}))
    await memory.reload()
    expect([memory.damage, memory.approvals.of()]).toEqual([undefined, [approval()]])
  })
})

describe.skipIf(process.platform === 'win32')('memory: permissions', () => {
  let home = ''
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'memory-'))
  })
  afterEach(() => rmSync(home, { recursive: true, force: true }))
  const machine = () => nodePlatform({ home, cwd: home, env: {} })

  test('D-12 the file and its folder are accessible to their owner only', async () => {
    const memory = await openMemory(machine())
    await memory.toggles.set('c', 'git', false)
    const modes = [memory.file, join(memory.file, '..')].map((path) => statSync(path).mode & 0o777)
    expect(modes).toEqual([0o600, 0o700])
    expect(switchesOf(await openMemory(machine()), 'c')).toEqual({ git: false })
  })

  test('T47 approvals in a file that other users can write are not used', async () => {
    const memory = await openMemory(machine())
    await memory.approvals.add(approval())
    chmodSync(memory.file, 0o666)
    const again = await openMemory(machine())
    expect([again.approvals.of(), again.damage?.code]).toEqual([[], 'store-damaged'])
  })
})

test('C33 createVolatileMemory: keeps switches and approvals in the process only', async () => {
  const memory = createVolatileMemory(() => 0)
  await memory.toggles.set('c', 'git', false)
  await memory.approvals.add(approval())
  expect([...memory.toggles.of('c'), ...memory.approvals.of()]).toEqual([['git', false], approval()])
  expect(await memory.approvals.revoke()).toBe(1)
})
