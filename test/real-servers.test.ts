import { mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { hostWith } from './support/hosted.ts'
import { freePorts } from './support/programs/free-ports.ts'
import { startProgram } from './support/programs/program.ts'

const bin = (name: string) => fileURLToPath(new URL(`../node_modules/.bin/${name}`, import.meta.url))
const old = { era: 'legacy', version: '2025-11-25' }

describe('servers from the npm registry', () => {
  test('server-everything over stdio: connect, list, call', async () => {
    await using x = await hostWith({ command: bin('mcp-server-everything'), args: ['stdio'] })
    expect(await x.connect()).toEqual(old)
    expect(await x.tools()).toContain('echo')
    expect(await x.call('echo', { message: 'hello' })).toBe('Echo: hello')
  })

  test.each([
    ['streamableHttp', 'http', '/mcp'],
    ['sse', 'sse', '/sse'],
  ])('server-everything over %s: connect, list, call', async (mode, type, path) => {
    const served = await serveEverything(mode)
    {
      await using x = await hostWith({ type, url: `http://127.0.0.1:${served.port}${path}` })
      expect(await x.connect()).toEqual(old)
      expect(await x.tools()).toContain('echo')
      expect(await x.call('echo', { message: 'hello' })).toBe('Echo: hello')
    }
    await served.stop()
  })

  test('server-filesystem: connects, and reads a file below the root it requested', async () => {
    await using x = await hostWith({ command: bin('mcp-server-filesystem'), args: ['.'] })
    mkdirSync(join(x.home, 'shop'))
    writeFileSync(join(x.home, 'shop', 'a.txt'), 'an apple')
    expect(await x.connect()).toEqual(old)
    expect(await x.tools()).toContain('read_text_file')
    expect(await x.call('read_text_file', { path: join(x.home, 'shop', 'a.txt') })).toBe('an apple')
  })

  test('server-memory: connect, list, call', async () => {
    await using x = await hostWith({
      command: bin('mcp-server-memory'),
      env: { MEMORY_FILE_PATH: join(tmpdir(), 'plugboard-no-such-memory') },
    })
    expect(await x.connect()).toEqual(old)
    expect(await x.tools()).toContain('read_graph')
    expect(JSON.parse(await x.call('read_graph'))).toEqual({ entities: [], relations: [] })
  })
})

/** The server cannot choose a port itself, so it gets one that was free a moment ago. */
async function serveEverything(mode: string) {
  const [port = 0] = await freePorts(1)
  const server = startProgram(bin('mcp-server-everything'), [mode], {
    env: { PATH: process.env['PATH'] ?? '', PORT: String(port) },
  })
  await server.printed(`on port ${port}`)
  return { port, stop: () => server.kill('SIGKILL') }
}
