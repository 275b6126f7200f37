import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { completeChat } from './complete-chat.ts'
import type { ChatCompletion } from './complete-chat.ts'

const cwd = mkdtempSync(join(tmpdir(), 'plugboard-complete-'))
mkdirSync(join(cwd, 'src'))
for (const name of ['notes.txt', 'note\u001B.txt', '.hidden', 'src/a.ts']) writeFileSync(join(cwd, name), '')
afterAll(() => rmSync(cwd, { recursive: true }))

const context: ChatCompletion = {
  cwd,
  servers: () => ['files', 'my files'],
  agents: async () => ['reviewer'],
  models: async () => ['ollama/llama3.2'],
  prompts: () => ['/docs:review'],
  shell: async (line) => [[`${line}+shell`, '/mcp'], line.split(' ').at(-1) ?? ''],
}

test.each([
  ['/switc', ['/switch', '/switc+shell']],
  ['/docs', ['/docs+shell', '/docs:review']],
  ['/d', ['/d+shell', '/docs:review']],
  ['/switch ', ['files', "'my files'"]],
  ['/switch files o', ['on', 'off']],
  ['/agent r', ['reviewer ']],
  ['/model o', ['ollama/llama3.2 ']],
  ['/mcp tru', ['/mcp tru+shell', '/mcp']],
  ['/call x', ['call x+shell', '/mcp']],
  ['look at @no', ['@notes.txt ']],
  ['look at @', ['@notes.txt', '@src/']],
  ['@src/', ['@src/a.ts ']],
  ['@../', []],
  ['no command', []],
])('chat: Tab after %j offers %j', async (line, expected) => {
  const [found] = await completeChat(line, context)
  expect(found).toEqual(expected)
})
