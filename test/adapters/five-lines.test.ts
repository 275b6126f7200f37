import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startModel } from './model-server.ts'

const example = fileURLToPath(new URL('../../examples/five-lines.mjs', import.meta.url))
const everything = fileURLToPath(new URL('../../node_modules/.bin/mcp-server-everything', import.meta.url))

test('D-4 examples/five-lines.mjs: a model calls a tool of the user’s server in a fresh home', async () => {
  const home = mkdtempSync(join(tmpdir(), 'plugboard-five-lines-'))
  mkdirSync(join(home, '.config/plugboard'), { recursive: true })
  const servers = { everything: { command: everything, args: ['stdio'] } }
  writeFileSync(join(home, '.config/plugboard/mcp.json'), JSON.stringify({ mcpServers: servers }))
  await using served = await startModel(({ results }) => {
    const [result] = results
    if (result) return { says: `It said: ${result.text}` }
    return { calls: [{ name: 'everything__echo', args: { message: 'hello' } }] }
  })
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [example, 'Say hello.'], {
    cwd: home,
    env: {
      HOME: home,
      USERPROFILE: home,
      PATH: process.env['PATH'],
      OPENAI_BASE_URL: `${served.url}/v1`,
      OPENAI_API_KEY: 'none',
    },
  })
  expect({ stdout, stderr }).toEqual({ stdout: 'It said: Echo: hello\n', stderr: '' })
  await rm(home, { recursive: true, force: true, maxRetries: 5 })
})

test('README: shows the five lines of the example unchanged', () => {
  const lines = readFileSync(example, 'utf8').split('\n\n').at(-1) ?? ''
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  expect(readme).toContain(lines.trim())
})
