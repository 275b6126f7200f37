import { expect, test } from 'vitest'
import type { JsonObject } from '../../model/json.ts'
import { claudeCode } from '../clients/claude-code/claude-code.ts'
import { dispatch } from '../clients/dispatch/dispatch-source.ts'
import { parseText } from '../formats/parse-text.ts'
import { place } from '../place-builders.ts'
import { plugboard } from '../clients/plugboard/plugboard.ts'
import type { Source, World } from '../source.ts'

const world: World = {
  os: 'linux',
  home: '/home/dana',
  cwd: '/p',
  env: {},
  systemRoot: '/',
  dirs: ['/p'],
}

async function read(source: Source, texts: readonly { path?: string; role?: string; text: string }[]) {
  const files = await Promise.all(
    texts.map(async ({ path = '/p/.mcp.json', role = 'servers', text }) => ({
      ...place(path, { scope: 'project', authority: 'project', root: '/p' }),
      role,
      doc: await parseText(text, 'json'),
    })),
  )
  const { servers, diagnostics } = source.read(files, world)
  return {
    names: servers.map(({ name }) => name),
    problems: diagnostics.map(
      ({ code, severity, message, origin }) => `${severity} ${code} ${origin?.line}: ${message}`,
    ),
  }
}

const entry = (value: JsonObject) => [{ text: JSON.stringify({ mcpServers: { a: value } }) }]

test('usableRoot: forbidden and duplicate keys are reported with their lines', async () => {
  const text =
    '{\n"mcpServers": {\n"__proto__": { "command": "x" },\n"a": { "command": "x" },\n"a": { "command": "y" }\n}}'
  expect(await read(plugboard, [{ text }])).toEqual({
    names: ['a'],
    problems: [
      'warn duplicate-key 5: "a" is a duplicate key; the last one is used.',
      'error forbidden-key 3: "__proto__" is not allowed as a key; its value is ignored.',
    ],
  })
})

test('usableRoot: comments are an error for a client that reads strict JSON, and the message names it', async () => {
  const { problems } = await read(claudeCode, [{ text: '{"mcpServers": {}} // mine' }])
  expect(problems).toEqual([
    'error parse-error 1: Claude Code reads strict JSON: comment at 1:20. No server of this file is loaded.',
  ])
})

test.each([
  [{ command: 'x', allowedTools: 'a' }, '"allowedTools" must be a list of strings, not "a".'],
  [{ command: 'x', deniedTools: {} }, '"deniedTools" must be a list of strings, not an object.'],
  [{ command: 'x', enabled: 'false' }, '"enabled" must be true or false, not "false".'],
  [{ command: 'x', disabled: 'true' }, '"disabled" must be true or false, not "true".'],
  [{ url: 'https://a.example', headers: { A: 'b\r\nC: d' } }, '"headers.A" must be one line.'],
])('plugboard: an entry with a value of the wrong type is refused: %j', async (value, message) => {
  expect(await read(plugboard, entry(value))).toEqual({
    names: [],
    problems: [`error wrong-type 1: ${message}`],
  })
})

test('plugboard: http and unix socket urls are accepted, others are refused', async () => {
  expect(await read(plugboard, entry({ url: 'wss://a.example' }))).toEqual({
    names: [],
    problems: ['error unsupported-transport 1: A url must start with https, http or unix, not wss.'],
  })
  for (const url of [
    'https://a.example',
    'unix:///run/a.sock',
    '${A}://b',
    '{env:A}',
    'HTTP://localhost:1',
  ]) {
    expect(await read(plugboard, entry({ url }))).toEqual({ names: ['a'], problems: [] })
  }
})

test.each(['{"mcp": {"b": {}, "c": 1}}', '{"mcp": ', '{"mcp": []}'])(
  'D10 dispatch: an unused opencode.json is reported as unused only, whatever it contains: %s',
  async (text) => {
    const main = { path: '/p/.dispatch/mcp.json', text: '{"servers": {"a": {"command": "x"}}}' }
    const { names, problems } = await read(dispatch, [
      main,
      { path: '/p/opencode.json', role: 'fallback', text },
    ])
    expect(names).toEqual(['a'])
    expect(problems).toEqual([
      'warn shadowed undefined: .dispatch/mcp.json is present, so the mcp key of opencode.json is not used.',
    ])
  },
)
