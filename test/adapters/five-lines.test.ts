import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { startModel } from './model-server.ts'
import { runProgram } from '../support/programs/program.ts'

const example = fileURLToPath(new URL('../../examples/five-lines.mjs', import.meta.url))
const modules = fileURLToPath(new URL('../../node_modules', import.meta.url))

test('D-17 examples/five-lines.mjs: a model calls a tool on a machine without any configuration', async () => {
  const home = mkdtempSync(join(tmpdir(), 'plugboard-five-lines-'))
  const folder = join(home, 'work')
  mkdirSync(folder)
  writeFileSync(join(folder, 'note.txt'), 'hello')
  // npx uses an installed package of that version, so nothing is downloaded.
  symlinkSync(modules, join(folder, 'node_modules'))
  await using served = await startModel(({ results }) => {
    const [result] = results
    if (result) return { says: `It said: ${result.text}` }
    return { calls: [{ name: 'files__read_text_file', args: { path: join(folder, 'note.txt') } }] }
  })
  const { code, stdout, stderr } = await runProgram(process.execPath, [example, 'Say hello.'], {
    cwd: folder,
    env: {
      HOME: home,
      USERPROFILE: home,
      PATH: process.env['PATH'],
      OPENAI_BASE_URL: `${served.url}/v1`,
      OPENAI_API_KEY: 'none',
    },
  })
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'It said: hello\n', stderr: '' })
  await rm(home, { recursive: true, force: true, maxRetries: 5 })
})

test('README: shows the five lines of the example unchanged', () => {
  const lines = readFileSync(example, 'utf8').split('\n\n').at(-1) ?? ''
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  expect(readme).toContain(lines.trim())
})
