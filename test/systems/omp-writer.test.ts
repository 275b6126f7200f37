import { existsSync, readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  addMCPServer,
  getMCPServer,
  listMCPServers,
  loadAllMCPConfigs,
  readMCPConfigFile,
  removeMCPServer,
  setServerDisabled,
  updateMCPServer,
  validateServerName,
  writeMCPConfigFile,
} from '../../src/adapters/omp.ts'
import type { MCPServerConfig } from '../../src/adapters/omp.ts'
import { outcomeOf } from '../support/outcome.ts'
import { ompMachine, userFile } from './omp-support.ts'

const commented = `{
  // of the team
  "mcpServers": {
    /* the good one */
    "kept": { "command": "kept" },
    "changed": {
      "command": "old", // why it is so
      "args": ["a"]
    }
  },
  "mine": [1, 2]
}
`

describe('omp: config writer', () => {
  test('O4 validateServerName: not empty, at most 100 characters, only letters, digits, _, . and -', async () => {
    expect(['a', 'A-b_c.9', 'x'.repeat(100)].map(validateServerName)).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect(['', 'x'.repeat(101), 'a b', 'a/b', 'ä', '__proto__'].map(validateServerName)).toEqual([
      'Server name cannot be empty',
      'Server name is longer than 100 characters',
      'Server name can only contain letters, digits, "_", "." and "-"',
      'Server name can only contain letters, digits, "_", "." and "-"',
      'Server name can only contain letters, digits, "_", "." and "-"',
      'Server name cannot be "__proto__"',
    ])
    const file = ompMachine().path(userFile)
    expect(await outcomeOf(addMCPServer(file, 'a b', { command: 'x' }))).toMatchObject({
      message: 'Invalid server config: Server name can only contain letters, digits, "_", "." and "-"',
    })
    expect(existsSync(file)).toBe(false)
  })

  test('adds, updates, lists, removes and disables servers of a file; removing an unknown one fails', async () => {
    const file = ompMachine().path(userFile)
    await addMCPServer(file, 'a', { command: 'a', args: ['1'] })
    await addMCPServer(file, 'b', { type: 'http', url: 'https://b.example.com/mcp' })
    await updateMCPServer(file, 'a', { command: 'a', enabled: false })
    await updateMCPServer(file, 'new', { type: 'sse', url: 'https://c.example.com/sse' })
    await setServerDisabled(file, 'b', true)
    await setServerDisabled(file, 'gone', true)
    await setServerDisabled(file, 'gone', false)
    expect(await readMCPConfigFile(file)).toEqual({
      mcpServers: {
        a: { command: 'a', enabled: false },
        b: { type: 'http', url: 'https://b.example.com/mcp' },
        new: { type: 'sse', url: 'https://c.example.com/sse' },
      },
      disabledServers: ['b'],
    })
    expect(await listMCPServers(file)).toEqual(['a', 'b', 'new'])
    expect(await getMCPServer(file, 'a')).toEqual({ command: 'a', enabled: false })
    expect(await getMCPServer(file, 'toString')).toBeUndefined()
    await removeMCPServer(file, 'a')
    await setServerDisabled(file, 'b', false)
    expect(await readMCPConfigFile(file)).toEqual({
      mcpServers: {
        b: { type: 'http', url: 'https://b.example.com/mcp' },
        new: { type: 'sse', url: 'https://c.example.com/sse' },
      },
    })
    expect(await outcomeOf(removeMCPServer(file, 'a'))).toMatchObject({
      host: 'server.unknown',
      message: `Server "a" not found in ${file}`,
    })
  })

  test('O20 addMCPServer: never overwrites an entry, and an invalid entry is never written', async () => {
    const machine = ompMachine({ [userFile]: commented })
    const file = machine.path(userFile)
    const remote = { url: 'https://a.example.com' } as unknown as MCPServerConfig // without "type", a common mistake
    expect(await outcomeOf(addMCPServer(file, 'kept', { command: 'x' }))).toMatchObject({
      host: 'config.exists',
      message: `Server "kept" already exists in ${file}`,
    })
    for (const write of [addMCPServer, updateMCPServer])
      expect(await outcomeOf(write(file, 'x', remote))).toMatchObject({
        host: 'config.invalid',
        message:
          'Invalid server config: Server "x": stdio requires "command"; without "type" it is stdio: set "type": "http"',
      })
    expect(machine.read(userFile)).toBe(commented)
  })

  test('O17 files are replaced atomically, keep comments and order, and no temporary file is left', async () => {
    const machine = ompMachine({ [userFile]: commented })
    const file = machine.path(userFile)
    await updateMCPServer(file, 'changed', { command: 'new', args: ['a'] })
    await addMCPServer(file, 'added', { command: 'added' })
    expect(machine.read(userFile)).toBe(
      commented
        .replace('"old"', '"new"')
        .replace('["a"]\n    }\n', '["a"]\n    },\n    "added": {\n      "command": "added"\n    }\n'),
    )
    await writeMCPConfigFile(file, { mcpServers: { kept: { command: 'kept' } } })
    expect(await readMCPConfigFile(file)).toEqual({ mcpServers: { kept: { command: 'kept' } } })
    expect(machine.read(userFile)).toContain('/* the good one */')
    expect(readdirSync(dirname(file))).toEqual(['mcp.json'])
  })

  test('O17 concurrent writers lose no entry', async () => {
    const file = ompMachine().path(userFile)
    const names = Array.from({ length: 12 }, (_, index) => `s${index}`)
    await Promise.all(names.map((name) => addMCPServer(file, name, { command: name })))
    expect((await listMCPServers(file)).sort()).toEqual([...names].sort())
  })

  test('O21 an invalid file is an error for every writer function and stays unchanged', async () => {
    const machine = ompMachine({
      [userFile]: '{ broken',
      '~/list.json': '{"mcpServers": []}',
      '~/text.json': '"x"',
    })
    const broken = machine.path(userFile)
    const works = [
      () => readMCPConfigFile(broken),
      () => addMCPServer(broken, 'a', { command: 'a' }),
      () => writeMCPConfigFile(broken, { mcpServers: {} }),
      () => setServerDisabled(broken, 'a', true),
    ]
    for (const work of works)
      expect(await outcomeOf(work())).toMatchObject({
        host: 'config.invalid',
        message: expect.stringContaining(`${broken}, line 1, column`) as string,
      })
    expect(machine.read(userFile)).toBe('{ broken')
    expect(await outcomeOf(addMCPServer(machine.path('~/list.json'), 'a', { command: 'a' }))).toMatchObject({
      message: `"mcpServers" in ${machine.path('~/list.json')} is not an object.`,
    })
    expect(await outcomeOf(listMCPServers(machine.path('~/text.json')))).toMatchObject({
      message: `${machine.path('~/text.json')} does not hold an object.`,
    })
  })

  test('setServerDisabled: loadAllMCPConfigs leaves out the disabled server', async () => {
    const machine = ompMachine()
    const file = machine.path(userFile)
    await addMCPServer(file, 'a', { command: 'a' })
    await addMCPServer(file, 'b', { command: 'b' })
    await setServerDisabled(file, 'a', true)
    const { configs } = await loadAllMCPConfigs(machine.project, { platform: machine.platform })
    expect(Object.keys(configs)).toEqual(['b'])
  })
})
