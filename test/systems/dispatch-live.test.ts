import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import OpenAI from 'openai'
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions'
import { describe, expect, test } from 'vitest'
import type { ToolContract } from '../../src/adapters/dispatch.ts'
import type { DispatchTurn } from '../../src/testing.ts'
import { startModel } from '../adapters/model-server.ts'
import { startDispatch, namesOf } from './dispatch-support.ts'

const oneTool = fileURLToPath(new URL('dispatch-one-tool.mjs', import.meta.url))
const real = fileURLToPath(new URL('../real/node_modules', import.meta.url))
const chrome = join(real, 'chrome-devtools-mcp', 'build/src/bin/chrome-devtools-mcp.js')

describe('L12 live check of the plan', () => {
  test('L12 a model sees the tool, calls it and gets the result', async () => {
    await using model = await startModel(({ results }, index) =>
      index === 0
        ? { calls: [{ name: 'one__greet', args: { name: 'Dana' } }] }
        : { says: results.map(({ text }) => text).join() },
    )
    await using x = await startDispatch()
    const turn = await x.turn(x.project({ one: { command: process.execPath, args: [oneTool] } }))
    expect(await converse(model.url, turn)).toBe('Hello, Dana!')
    expect(model.turns[0]?.tools).toEqual([
      {
        name: 'one__greet',
        description: '[one] Greets somebody.',
        schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      },
    ])
  })

  // Needs test/real/node_modules, which only `npm run test:real` installs.
  test.skipIf(!existsSync(chrome))('L12 chrome-devtools-mcp offers its tools', async () => {
    await using x = await startDispatch({ waitMs: 60_000 })
    const args = [chrome, '--headless', '--no-usage-statistics']
    const env = { CHROME_DEVTOOLS_MCP_NO_UPDATE_CHECKS: '1' }
    const cwd = x.project({ 'chrome-devtools': { command: process.execPath, args, env } })
    const turn = await x.turn(cwd)
    expect(namesOf(turn)).toEqual(
      expect.arrayContaining(['chrome-devtools__navigate_page', 'chrome-devtools__take_screenshot']),
    )
    const [status] = await x.service.status(cwd)
    expect(status).toMatchObject({ state: 'connected', toolCount: turn.assembly.tools.length })
  })
})

/** An agent's loop: runs the model's calls until it answers with text. */
async function converse(url: string, { assembly, call }: DispatchTurn): Promise<string> {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0 })
  const tools = assembly.tools.map(toFunction)
  const messages: ChatCompletionMessageParam[] = [{ role: 'user', content: 'Greet Dana.' }]
  for (;;) {
    const { choices } = await client.chat.completions.create({ model: 'scripted', messages, tools })
    const { message } = choices[0]!
    const calls = message.tool_calls?.filter((each) => each.type === 'function') ?? []
    if (calls.length === 0) return message.content ?? ''
    messages.push(message)
    for (const { id, function: asked } of calls) {
      const { content } = await call(asked.name, JSON.parse(asked.arguments))
      messages.push({ role: 'tool', tool_call_id: id, content })
    }
  }
}

function toFunction({ name, description, parameters }: ToolContract) {
  return { type: 'function' as const, function: { name, description, parameters: { ...parameters } } }
}
