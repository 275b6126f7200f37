import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { faultyServer } from '../../src/testing/faulty-server.ts'
import type { Machine } from '../support/programs/cli.ts'
import { faultyMachine, machineWith } from '../support/servers.ts'

const tools = [{ name: 'draw', inputSchema: { type: 'object' } }] as const
const image = { type: 'image', mimeType: 'image/png', data: 'AAAA' }

/** A server with an image tool and a text resource, which records its requests. */
function painter(): Machine & { asked(): readonly string[] } {
  const machine = machineWith({})
  const journal = machine.path('~/journal')
  const x = faultyServer({
    capabilities: { tools: {}, resources: {} },
    tools: [...tools],
    resources: [{ uri: 'note:///one', name: 'one' }],
    on: { 'tools/call': { result: { content: [image] } } },
    journal,
  })
  machine.write('~/.config/plugboard/mcp.json', { mcpServers: { x } })
  const lines = () => (machine.has('~/journal') ? readFileSync(journal, 'utf8') : '')
  return Object.assign(machine, { asked: () => lines().match(/tools\/call|resources\/read/g) ?? [] })
}

describe.concurrent('call --output', () => {
  test.each([
    ['a file', 'taken.txt', /^taken\.txt cannot be written: .*taken\.txt is not a folder\.\n/],
    [
      'a folder below a file',
      'taken.txt/sub',
      /^taken\.txt\/sub cannot be written: .*taken\.txt is not a folder\.\n/,
    ],
    // A recursive mkdir would never return here.
    ['a folder that cannot be created', '/proc/x/y', /^\/proc\/x\/y cannot be written: .*'\/proc\/x'\n/],
  ])('%s is rejected with the next step, and nothing is called', async (_what, folder, said) => {
    using machine = painter()
    machine.write('taken.txt', 'mine')
    const { code, stdout, stderr } = await machine.run('call', 'x/draw', '--output', folder)
    expect([code, stdout, stderr]).toEqual([
      2,
      '',
      expect.stringMatching(new RegExp(`${said.source}Choose a folder that you can write to\\.\\n$`)),
    ])
    expect([machine.read('taken.txt'), machine.asked()]).toEqual(['mine', []])
  })

  test('creates the folder with its parents and keeps existing files', async () => {
    using machine = painter()
    machine.write('a/b/draw-1.png', 'mine')
    expect((await machine.run('call', 'x/draw', '--output', 'a/b')).stdout).toContain(
      'saved as a/b/draw-2.png',
    )
    expect((await machine.run('call', 'x/draw', '--output', 'a/c/d')).code).toBe(0)
    expect([machine.read('a/b/draw-1.png'), machine.has('a/c/d/draw-1.png')]).toEqual(['mine', true])
  })
})

describe.concurrent('read --output', () => {
  test('an existing file is rejected and not changed, and nothing is read', async () => {
    using machine = painter()
    machine.write('note.txt', 'mine')
    expect(await machine.run('read', 'note:///one', '--output', 'note.txt')).toEqual({
      code: 2,
      stdout: '',
      stderr: 'note.txt already exists; it was not changed.\nChoose another file.\n',
    })
    expect([machine.read('note.txt'), machine.asked()]).toEqual(['mine', []])
  })

  test('creates a new file with its parents; a device is written to', async () => {
    using machine = painter()
    expect(await machine.run('read', 'note:///one', '--output', 'notes/one.txt')).toEqual({
      code: 0,
      stdout: 'Saved 11 bytes to notes/one.txt.\n',
      stderr: '',
    })
    expect(machine.read('notes/one.txt')).toBe('note:///one')
    expect((await machine.run('read', 'note:///one', '--output', '/dev/null')).code).toBe(0)
  })

  test('a resource that is too large is not saved as a placeholder text', async () => {
    // The server pads the answer to this many bytes.
    const contents = [{ uri: 'note:///one', text: '@@HOLE@@' }]
    using machine = faultyMachine({
      capabilities: { resources: {} },
      resources: [{ uri: 'note:///one', name: 'one' }],
      on: { 'resources/read': { answer: { result: { contents }, bytes: 11 * 1024 * 1024 } } },
    })
    expect(await machine.run('read', 'note:///one', '--output', 'note.txt')).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^note:\/\/\/one was not saved: 115\d{5} bytes is too large\.\n$/,
      ) as string,
    })
    expect(machine.has('note.txt')).toBe(false)
  })
})
