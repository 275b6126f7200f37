import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openOwnStore } from '../../src/store.ts'
import type { Conversation, Store } from '../../src/store.ts'
import { cliFile, createMachine, startCli } from '../support/programs/cli.ts'
import type { Machine } from '../support/programs/cli.ts'
import { serverWithTools } from '../support/tool-host.ts'
import { Stores } from '../support/stores.ts'
import { outputOf, succeeds } from '../support/programs/program.ts'

async function storeOf({ home, project }: Machine): Promise<Store> {
  const { store } = await openOwnStore({ platform: { home, cwd: project, env: { HOME: home } } })
  if (!store) throw new Error('no driver')
  return store
}

/** A machine with one conversation. */
async function machineWithConversation(files: Readonly<Record<string, unknown>> = {}) {
  const machine = createMachine(files)
  onTestFinished(() => machine[Symbol.dispose]())
  const store = await storeOf(machine)
  const { id } = await store.conversations.create({ cwd: machine.project, title: 'Prices \u001b[31m' })
  await store.conversations.append(id, 0, [
    { role: 'user', content: 'What does milk cost?' },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Let me look.' },
        { type: 'tool-call', toolCallId: '1', toolName: 'notes__search', input: { text: 'milk' } },
      ],
    },
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: '1',
          toolName: 'notes__search',
          output: { type: 'text', value: '```\n3\u001b[2J' },
        },
      ],
    },
  ])
  await store.close()
  return { machine, id }
}

const storePath = '~/.local/state/plugboard/store.db'

describe('plugboard conversations', () => {
  test('lists, shows, exports and deletes, by the beginning of an id', async () => {
    const { machine, id } = await machineWithConversation()
    const short = id.slice(0, 8)
    const { conversations } = await machine.json<{ conversations: Conversation[] }>('conversations', 'list')
    expect(conversations).toMatchObject([{ id, cwd: machine.project, length: 3 }])
    const listed = await machine.run('conversations')
    expect(listed.stdout).toMatch(new RegExp(`^${short}  .*  3  ~/shop  Prices \\\\x1b`, 'm'))

    const shown = await machine.run('conversations', 'show', short)
    expect(shown.stdout).toContain('## You\n\nWhat does milk cost?\n\n## Model\n\nLet me look.')
    expect(shown.stdout).toContain('Result of **notes__search**\n\n````\n```\n3\\x1b[2J\n````')
    expect(await machine.json('conversations', 'show', id)).toMatchObject({
      id,
      messages: [{ seq: 1 }, {}, {}],
    })

    const written = await machine.run('conversations', 'export', short, 'kept.md')
    expect(written).toMatchObject({ code: 0, stdout: 'Wrote kept.md.\n' })
    expect(machine.read('kept.md')).toBe(shown.stdout)
    expect(machine.mode('kept.md')).toBe(0o600)
    expect((await machine.run('conversations', 'export', short, 'kept.md')).code).toBe(2)
    expect(await machine.json('conversations', 'export', short)).toMatchObject({ id, messages: [{}, {}, {}] })

    expect(await machine.json('conversations', 'delete', short)).toMatchObject({
      deleted: [],
      error: { code: 'untrusted' },
    })
    expect(await machine.json('conversations', 'delete', short, '--yes')).toEqual({ deleted: [id] })
    const gone = await machine.run('conversations', 'show', short)
    expect(gone).toMatchObject({ code: 5, stdout: '' })
    expect(gone.stderr).toContain(`There is no conversation ${short}.`)
  })
})

describe('plugboard store', () => {
  test('a command that only looks makes no store', async () => {
    using machine = createMachine()
    expect(await machine.json('store', 'status')).toEqual({ store: null })
    expect((await machine.run('conversations')).stderr).toContain('There are no conversations.')
    expect(machine.has('~/.local')).toBe(false)
  })

  test('status, backup, export and prune', async () => {
    const { machine, id } = await machineWithConversation()
    expect(await machine.json('store', 'status')).toMatchObject({
      store: { place: machine.path(storePath), rows: { conversations: 1, messages: 3, calls: 0 } },
    })
    expect(await machine.json('store', 'backup', 'copy.db')).toEqual({ file: machine.path('copy.db') })
    expect(machine.mode('copy.db')).toBe(0o600)
    const taken = await machine.run('store', 'backup', 'copy.db')
    expect(taken).toMatchObject({ code: 2, stdout: '' })

    const { stdout } = await machine.run('store', 'export')
    const rows = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { table: string; row: { id?: string } })
    expect(rows.map(({ table }) => table)).toEqual(['conversations', 'messages', 'messages', 'messages'])
    expect(rows[0]?.row.id).toBe(id)

    expect(await machine.json('store', 'prune', '--older', '90d')).toMatchObject({ conversations: 0 })
    const store = await storeOf(machine)
    // A clock of another day would need another process: the conversation is old enough in a moment.
    await store.prune(new Date(Date.now() + 60_000).toISOString())
    await store.close()
    expect(await machine.json('store', 'status')).toMatchObject({
      store: { rows: { conversations: 0, messages: 0 } },
    })
    expect((await machine.run('store', 'prune', '--older', '90')).code).toBe(2)
  })

  test('a damaged file is refused with its name, and stays as it is', async () => {
    using machine = createMachine()
    const text = 'a shopping list, and not a database at all\n'.repeat(100)
    mkdirSync(dirname(machine.path(storePath)), { recursive: true, mode: 0o700 })
    machine.write(storePath, text, 0o600)
    const { code, stderr } = await machine.run('conversations')
    expect(code).toBe(3)
    expect(stderr).toContain('store.db is damaged')
    expect(stderr).toContain('Move it away')
    expect(machine.read(storePath)).toBe(text)
  })

  test('a store that a newer program has changed is left alone', async () => {
    const { machine } = await machineWithConversation()
    await new Stores('libsql').addForeignStep({ file: machine.path(storePath) })
    const { code, stderr } = await machine.run('store', 'status')
    expect(code).toBe(1)
    expect(stderr).toContain('was changed by a newer Plugboard (step 9999-later).\nUpdate this Plugboard')
  })

  test('on a full disk a backup is refused with the reason, and leaves no half file', async () => {
    const { machine } = await machineWithConversation()
    const disk = machine.path('~/small')
    mkdirSync(disk)
    // Mounting needs root.
    if (!succeeds('mount', ['-t', 'tmpfs', '-o', 'size=40k', 'tmpfs', disk])) return
    try {
      const { code, stderr } = await machine.run('store', 'backup', join(disk, 'copy.db'))
      expect(code).toBe(7)
      expect(stderr).toContain('the disk is full')
      expect(machine.has('~/small/copy.db')).toBe(false)
    } finally {
      outputOf('umount', ['-l', disk])
    }
  })
})

describe('plugboard switch', () => {
  test('D6 D7 switches a server in the newest conversation of the folder, or in a named one', async () => {
    const servers = { mcpServers: { notes: { command: 'x' }, db: { command: 'x', disabled: true } } }
    const { machine, id } = await machineWithConversation({ '~/.config/plugboard/mcp.json': servers })
    expect(await machine.json('switch', 'notes', 'off')).toEqual({
      server: 'notes',
      on: false,
      conversation: id,
    })
    const elsewhere = machine.path('~/elsewhere')
    mkdirSync(elsewhere)
    const none = await machine.runWith({ cwd: elsewhere }, 'switch', 'notes', 'on')
    expect(none.code).toBe(5)
    expect(none.stderr).toContain('--conversation ID')
    const named = await machine.runWith(
      { cwd: elsewhere },
      'switch',
      'db',
      'on',
      '--conversation',
      id.slice(0, 6),
    )
    expect(named).toMatchObject({ code: 0, stdout: `"db" is on in conversation ${id.slice(0, 8)}.\n` })
    expect(named.stderr).toContain('plugboard enable db')
    expect((await machine.run('switch', 'note', 'off')).stderr).toContain('No server "note" is in force')
    expect((await machine.run('switch', 'notes', 'maybe')).code).toBe(2)
    await using store = await storeOf(machine)
    expect(store.memory.toggles.of(id)).toEqual(new Map([['notes', false], ['db', true]])) // prettier-ignore
  })

  test('in a shell it switches for that shell', async () => {
    using machine = createMachine({
      '~/.config/plugboard/mcp.json': { mcpServers: { a: serverWithTools(['read']) } },
    })
    const lines = 'tools\nswitch a off\ntools\nswitch a on\ntools\n'
    const { stdout } = await machine.runWith({ stdin: lines }, 'shell')
    const [, off = '', on] = /(is off in this shell[^]*)("a" is on in this shell[^]*)/.exec(stdout) ?? []
    expect(off).toMatch(/^is off in this shell, about \d+ tokens less in every request\.\n/)
    expect(off).not.toContain('a__read')
    expect(on).toContain('a__read')
  })
})

test('PLUGBOARD_DATABASE_URL that is no address is refused without showing it', async () => {
  using machine = createMachine()
  const env = { PLUGBOARD_DATABASE_URL: 'mysql://me:hunter2@127.0.0.1/db' }
  const { code, stderr } = await machine.runWith({ env }, 'conversations')
  expect(code).toBe(1)
  expect(stderr).toContain('PLUGBOARD_DATABASE_URL must be the address of a PostgreSQL database.')
  expect(stderr).not.toContain('hunter2')
})

describe.skipIf(process.getBuiltinModule('node:sqlite'))(
  'without a driver (this Node has none, and libsql is away)',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'plugboard-copy-'))
    beforeAll(() => cpSync(dirname(cliFile), folder, { recursive: true }))
    afterAll(() => rmSync(folder, { recursive: true, force: true }))
    const run = (machine: Machine, ...args: readonly string[]) =>
      startCli(machine, args, { entry: join(folder, 'plugboard.cjs') }).result

    test('a command for conversations says which command keeps them, and makes nothing', async () => {
      const { machine } = await machineWithConversation()
      const { code, stderr } = await run(machine, 'conversations')
      expect(code).toBe(7)
      expect(stderr).toContain('has no SQLite, and the package libsql is not installed.')
      expect(stderr).toContain('npm i -g libsql')
    })

    test('every command says so, also if nothing was ever kept', async () => {
      using machine = createMachine()
      const env = { PLUGBOARD_MODEL: 'ollama/x' }
      for (const args of [
        ['store', 'status'],
        ['conversations'],
        ['questions'],
        ['run', 'hi', '--continue'],
      ]) {
        const { code, stderr } = await run({ ...machine, env: { ...machine.env, ...env } }, ...args)
        expect([args[0], code]).toEqual([args[0], 7])
        expect(stderr).toContain('Conversations are not kept: this Node')
        expect(stderr).toContain('npm i -g libsql')
      }
      expect(machine.has('~/.local')).toBe(false)
    })

    test('a program that finds a store which it cannot open asks again instead of reviving an approval', async () => {
      using machine = createMachine({
        '~/.config/plugboard/mcp.json': { mcpServers: { a: serverWithTools(['write']) } },
        '~/.config/plugboard/settings.json': {
          rules: [{ effect: 'ask', tools: ['*__write'], reason: 'It writes.' }],
        },
      })
      const approvals = await approvalOf(machine)
      const memory = { version: 1, conversations: [], approvals }
      const file = '~/.local/state/plugboard/memory.json'
      machine.write(file, memory, 0o600)
      expect((await run(machine, 'call', 'a__write')).code).toBe(0)
      await (await storeOf(machine)).close()
      expect((await run(machine, 'call', 'a__write')).code).toBe(12)
      // Also if the file comes back, from a backup or an older program.
      machine.write(file, memory, 0o600)
      expect((await run(machine, 'call', 'a__write')).code).toBe(12)
    })
  },
)

/** What a person's yes to the tool would be stored as. */
async function approvalOf({ home, project }: Machine) {
  const { createHost } = await import('../../src/index.ts')
  const added: unknown[] = []
  const memory = {
    toggles: { of: () => new Map<string, boolean>(), set: async () => undefined },
    approvals: {
      of: () => [],
      add: async (approval: unknown) => void added.push(approval),
      revoke: async () => 0,
    },
  }
  const host = await createHost({
    cwd: project,
    memory,
    approve: async () => 'always',
    platform: { home, env: { HOME: home, PATH: process.env['PATH'] } },
  })
  await host.call('a__write')
  await host.close()
  return added
}
