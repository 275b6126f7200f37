import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHost } from '../src/index.ts'
import type { Host, HostOptions } from '../src/index.ts'
import { createMachine } from './support/programs/cli.ts'
import type { Machine } from './support/programs/cli.ts'
import { editableServer, toolNamed } from './support/editable-server.ts'

let machine: Machine
let lock = ''
beforeAll(async () => {
  machine = createMachine({
    '.mcp.json': { mcpServers: { shop: { command: 'node', args: ['server.mjs'] } } },
    'server.mjs': editableServer,
    'offers.json': { tools: [toolNamed('price'), toolNamed('stock')] },
  })
  await machine.run('lock', '--trust')
  lock = machine.read('mcp.lock.json')
})
afterAll(() => machine[Symbol.dispose]())

const state = mkdtempSync(join(tmpdir(), 'plugboard-host-lock-'))
afterAll(() => rmSync(state, { recursive: true }))

function open(options: HostOptions): Promise<Host> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: state }
  return createHost({
    cwd: machine.project,
    trust: 'project',
    platform: { env, home: state },
    ...options,
  })
}

async function toolsWith(options: HostOptions): Promise<readonly string[]> {
  const host = await open(options)
  try {
    await host.ready()
    return host.tools().map(({ tool }) => tool)
  } finally {
    await host.close()
  }
}

const withoutPrice = () => lock.replace(/ *"price": "sha256:[0-9a-f]+",\n/, '')

test('T12 createHost: a program that accepts nothing reads no lock file, unless it asks for it', async () => {
  writeFileSync(machine.path('mcp.lock.json'), withoutPrice())
  expect(await toolsWith({})).toEqual(['price', 'stock'])
  expect(await toolsWith({ lock: true })).toEqual(['stock'])
  expect(await toolsWith({ preset: 'boocode', sources: ['plugboard'], lock: true })).toEqual(['stock'])
  expect(await toolsWith({ accept: 'tofu' })).toEqual(['stock'])
  expect(await toolsWith({ accept: 'tofu', lock: false })).toEqual(['price', 'stock'])
})

test('T12 reload: a lock file that changed narrows at once, and admits again', async () => {
  writeFileSync(machine.path('mcp.lock.json'), lock)
  const host = await open({ lock: true })
  const tools = () => host.tools().map(({ tool }) => tool)
  try {
    await host.ready()
    expect(tools()).toEqual(['price', 'stock'])
    writeFileSync(machine.path('mcp.lock.json'), withoutPrice())
    await host.reload({ ifChanged: true })
    expect(tools()).toEqual(['stock'])
    expect(host.held()).toMatchObject([
      { server: 'shop', offers: [{ kind: 'tool', name: 'price', reason: 'lock' }] },
    ])
    writeFileSync(machine.path('mcp.lock.json'), lock)
    await host.reload({ ifChanged: true })
    expect(tools()).toEqual(['price', 'stock'])
    expect(readFileSync(machine.path('mcp.lock.json'), 'utf8')).toBe(lock)
  } finally {
    await host.close()
  }
})
