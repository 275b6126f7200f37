import { mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { createHost } from '../../src/index.ts'
import type { Host } from '../../src/index.ts'
import type { Reply, Turn } from './model-server.ts'

export const prompt = 'Remember that milk is cold, say hello, then tell me what you know about milk.'
const milk = { name: 'milk', entityType: 'food', observations: ['is cold'] }

export const firstCalls = [
  { name: 'memory__create_entities', args: { entities: [milk] } },
  { name: 'everything__echo', args: { message: 'hello' } },
]
export const secondCalls = [{ name: 'memory__search_nodes', args: { query: 'milk' } }]

/** A scripted model: calls both servers at once, reads back the entity it created, and reports the results. */
export function model({ results }: Turn, index: number): Reply {
  if (index === 0) return { calls: firstCalls }
  if (index === 1) return { calls: secondCalls }
  return { says: conclude(results.map(({ text }) => text)) }
}

export function conclude(texts: readonly string[]): string {
  const [, echoed, found = ''] = texts
  const { entities } = JSON.parse(found) as { readonly entities: readonly unknown[] } // the format of server-memory
  return JSON.stringify({ echoed, found: entities })
}

export const conclusion = { echoed: 'Echo: hello', found: [milk] }

/** Every turn offers exactly the same tools, and those of both servers. */
export function expectOffered(turns: readonly Turn[]): void {
  const [first, ...others] = turns.map(({ tools }) => JSON.stringify(tools))
  expect(others).toEqual([first, first])
  const servers = turns[0]?.tools.map(({ name }) => name.split('__')[0])
  expect(new Set(servers)).toEqual(new Set(['everything', 'memory']))
}

export interface Mission extends AsyncDisposable {
  readonly host: Host
}

/** A host with two servers in a fresh home, so that no tools are known from disk. */
export async function mission(): Promise<Mission> {
  const home = mkdtempSync(join(tmpdir(), 'plugboard-mission-'))
  const config = join(home, 'servers.json')
  const servers = {
    everything: { command: process.execPath, args: [programOf('everything'), 'stdio'] },
    memory: {
      command: process.execPath,
      args: [programOf('memory')],
      env: { MEMORY_FILE_PATH: join(home, 'memory.jsonl') },
    },
  }
  writeFileSync(config, JSON.stringify({ mcpServers: servers }))
  const host = await createHost({
    cwd: home,
    config,
    sources: ['plugboard'],
    platform: { home, env: { HOME: home, PATH: process.env['PATH'] } },
  })
  return {
    host,
    async [Symbol.asyncDispose]() {
      await host.close()
      await rm(home, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

function programOf(server: string): string {
  return createRequire(import.meta.url).resolve(`@modelcontextprotocol/server-${server}/dist/index.js`)
}
