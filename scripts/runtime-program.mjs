// Run by scripts/test-runtimes.mjs on each runtime: a program of an embedder with a server over a pipe and one over HTTP.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHost } from 'plugboard'
import { toOpenAi } from 'plugboard/openai'
import { faultyServer, startFaultyHttp } from 'plugboard/testing'

const home = mkdtempSync(join(tmpdir(), 'plugboard-runtime-'))
const script = {
  tools: [{ name: 'add', inputSchema: { type: 'object' } }],
  on: { 'tools/call:add': { text: 'added' } },
}
const [program] = faultyServer(script).args
const [node = process.execPath] = process.argv.slice(2)
const remote = await startFaultyHttp(script)
const host = await createHost({
  cwd: home,
  servers: {
    piped: { command: node, args: [program, '--script', JSON.stringify(script)] },
    remote: { url: remote.url },
  },
  platform: { home, env: { HOME: home, PATH: process.env.PATH } },
})
const { chat } = await toOpenAi(host)
assert.deepEqual(
  chat.tools.map((tool) => tool.function.name),
  ['piped__add', 'remote__add'],
)
for (const name of ['piped__add', 'remote__add']) assert.equal((await host.call(name)).text, 'added')
await host.close()
await remote.close()
rmSync(home, { recursive: true, force: true })
console.log('ok')
