import { generateHelpTextForAllCommands } from '@stricli/core'
import type { Application, CommandContext } from '@stricli/core'
import { describe, expect, test } from 'vitest'
import { createApp } from '../../src/surfaces/cli/app.ts'
import { jsonDocuments, jsonSchema } from '../../src/surfaces/cli/json/json-documents.ts'
import { faultyServer } from '../../src/testing/faulty-server.ts'
import { createMachine } from '../support/programs/cli.ts'
import type { Machine } from '../support/programs/cli.ts'
import { differences, parseChecked, publishedSchema, schemaNameOf } from '../support/json-schema.ts'
import { startModelServer } from '../support/model-server.ts'
import { listed, startRegistry } from '../support/registry.ts'
import { inShell } from '../support/programs/shell.ts'
import { trustRequest } from '../support/trusting.ts'
import { withFlags } from '../support/verbs.ts'

const own = '~/.config/plugboard/mcp.json'
const png = { type: 'image', data: 'AAAA', mimeType: 'image/png' }

/** A machine with something of everything: trusted, untrusted, hidden, broken and foreign servers, agents and rules. */
function town(): Machine {
  const x = faultyServer({
    tools: [{ name: 'find', description: 'Finds.', inputSchema: { type: 'object' } }, { name: 'bad' }],
    on: {
      'tools/call': {
        result: { content: [{ type: 'text', text: 'found' }, png], structuredContent: { a: 1 } },
      },
    },
    resources: [{ uri: 'file:///a', name: 'a' }],
    prompts: [{ name: 'greet', arguments: [{ name: 'who' }] }],
    results: {
      'resources/read': { contents: [{ uri: 'file:///a', text: 'A', mimeType: 'text/plain' }] },
      'prompts/get': { messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }] },
    },
    instructions: 'Use find.',
    capabilities: { tools: {}, resources: {}, prompts: {} },
  })
  return createMachine({
    '.mcp.json': {
      mcpServers: {
        orders: { command: 'orders-mcp', env: { KEY: '${ORDERS_KEY}' } },
        shop: { url: 'https://shop.example.com/mcp', headers: { Authorization: 'Bearer ${SHOP_KEY}' } },
        off: { command: 'hides-the-other' },
      },
    },
    [own]: {
      mcpServers: {
        x,
        off: { command: 'off', enabled: false, env: { TOKEN: 'literal-0123456789abcdef' } },
        gone: { command: 'no-such-program' },
        bad: { command: 5 },
      },
    },
    '~/.config/plugboard/settings.json': {
      rules: [{ effect: 'ask', tools: ['x__find'], when: [{ at: '/path', matches: '/etc/*' }] }],
    },
    '~/.cursor/mcp.json': { mcpServers: { notes: { command: 'notes-mcp', args: ['a'] } } },
    '~/.codex/config.toml': '[mcp_servers.tickets\n',
    'AGENTS.md': '## reader\n\ntools: [x__*, nothing_*]\n',
  })
}

/** Command lines that print a result, in this order on one machine. */
const results: readonly (readonly string[])[] = [
  ['list'],
  ['list', '--resolved', '--trust'],
  ['ls', '--scope', 'project'],
  ['list', 'x'],
  ['list', 'orders'],
  ['tools'],
  ['tools', '--agent', 'reader'],
  ['tools', '--no-start', 'nothing-like-this'],
  ['skills'],
  ['tasks', 'list'],
  ['tool', 'x/find'],
  ['search', 'find'],
  ['call', 'x/find'],
  ['call', 'x/find', '--output', 'saved'],
  ['resources'],
  ['resources', 'x'],
  ['read', 'file:///a', '--server', 'x'],
  ['read', 'file:///a', '--server', 'x', '--output', 'a.txt'],
  ['prompts'],
  ['prompt', 'x/greet', 'who=you'],
  ['generate', 'x'],
  ['generate', 'x', '--cli', '--out', 'x.mjs'],
  ['agents'],
  ['presets'],
  ['presets', 'omp'],
  ['why', 'off'],
  ['why', 'bad'],
  ['why', 'x/find'],
  ['why', 'x__find', '--agent', 'reader'],
  ['test', 'x'],
  ['test', 'x', 'gone'],
  ['test', '--all'],
  ['doctor'],
  ['scan'],
  ['scan', '--no-start'],
  ['review'],
  ['lock', '--no-start'],
  ['sandbox', 'x'],
  ['doctor', 'x'],
  ['doctor', '--no-start'],
  ['doctor', '--no-start', '--bundle', 'report.json'],
  ['request', 'x', 'tools/list'],
  ['logs', 'x'],
  ['logs', 'gone', '--lines', '1'],
  ['status'],
  ['questions'],
  ['whoami'],
  ['whoami', 'shop'],
  ['logout', 'shop'],
  ['sources'],
  ['sources', 'list', '--all'],
  ['sources', 'enable', 'zed'],
  ['sources', 'disable', 'zed'],
  ['trust', 'orders'],
  ['trust', 'orders', 'shop'],
  ['trust', '--all'],
  ['add', 'new', '--dry-run', '--', 'new-mcp'],
  ['add', 'new', '--', 'new-mcp'],
  ['disable', 'new'],
  ['enable', 'new', '--dry-run'],
  ['enable', 'new'],
  ['remove', 'new', '--dry-run'],
  ['rm', 'new'],
  ['import', 'cursor'],
  ['import', 'cursor', '--dry-run'],
  ['import', 'cursor', '--yes'],
  ['export', 'zed'],
  ['export', 'zed', '--yes'],
  ['adopt', 'cursor'],
  ['adopt', '--all', '--dry-run'],
  ['adopt', 'cursor', '--yes'],
  ['release', 'cursor'],
  ['release', 'cursor', '--yes'],
  ['audit'],
  ['audit', '--verify'],
  ['audit', '--prune', '90d'],
  ['cache', 'clear', 'x'],
  ['cache', 'clear'],
  ['completion', 'bash'],
  ['help'],
  ['help', 'sources', 'enable'],
  ['version'],
]

/** Command lines that find nothing on an empty machine. */
const empty: readonly (readonly string[])[] = [
  ['list'],
  ['sources'],
  ['tools'],
  ['search', 'x'],
  ['resources'],
  ['prompts'],
  ['agents'],
  ['trust', '--all'],
  ['test', '--all'],
  ['doctor'],
  ['status'],
  ['questions'],
  ['whoami'],
  ['cache', 'clear'],
]

const seen = new Map<string, object>()

async function documentOf(machine: Machine, words: readonly string[]): Promise<object> {
  const { stdout } = await machine.run(...withFlags(words, '--json'))
  const document = parseChecked(words, stdout)
  if (!('error' in document)) seen.set(schemaNameOf(words), document)
  return document
}

describe('--json: every document follows the published schema', () => {
  test('every command with --json has a schema', () => {
    const app = createApp('0.0.0') as unknown as Application<CommandContext> // help needs no context of ours
    const helps = generateHelpTextForAllCommands(app)
    const commands = helps
      .filter(([, help]) => help.includes('[--json]'))
      .map(([route]) => route.replace(/^plugboard /, ''))
    expect(Object.keys(jsonDocuments)).toEqual(commands)
    expect(publishedSchema).toEqual(jsonSchema())
  })

  test('results', async () => {
    using machine = town()
    for (const words of results) {
      const document = await documentOf(machine, words)
      // A plan that was not confirmed has both.
      expect([words, 'error' in document]).toEqual([
        words,
        'dryRun' in document && !words.includes('--dry-run'),
      ])
    }
    const { hash } = await trustRequest(machine, 'orders')
    await documentOf(machine, ['trust', 'orders', '--hash', hash])
    await documentOf(machine, ['untrust', 'orders'])
  }, 240_000)

  test('find, with a registry of ours', async () => {
    const { address } = await startRegistry([
      listed('com.example/x', { title: 'X', repository: { url: 'https://x' } }),
    ])
    using machine = createMachine({ '~/.config/plugboard/settings.json': { registry: address } })
    for (const word of ['x', 'nothing'])
      expect(await documentOf(machine, ['find', word])).not.toHaveProperty('error')
  })

  test('models, with an endpoint of ours', async () => {
    await using model = await startModelServer({
      wire: 'openai-chat',
      script: [{ calls: [{ name: 'report', args: { word: 'ready' } }] }],
    })
    using machine = createMachine()
    for (const words of [
      ['add', 'mine', '--kind', 'openai-compatible', '--url', model.url],
      ['use', 'mine/scripted'],
      ['list', 'mine'],
      ['test'],
      ['remove', 'mine'],
    ])
      expect(await documentOf(machine, ['models', ...words])).not.toHaveProperty('error')
  })

  test('empty results', async () => {
    using machine = createMachine()
    for (const words of empty) expect(await documentOf(machine, words)).not.toHaveProperty('error')
  })

  test.each(Object.keys(jsonDocuments))('%s: a failure', async (command) => {
    using machine = createMachine()
    const words = [...command.split(' '), '--no-such-flag']
    const { stdout, code } = await machine.run(...words, '--json')
    const document = parseChecked(words, stdout)
    expect({ code, document }).toMatchObject({ code: 2, document: { version: 1, error: { code: 'usage' } } })
  })

  test('an unknown command, and a file that does not parse', async () => {
    using machine = createMachine({ [own]: '{"mcpServers": {' })
    for (const words of [
      ['lits'],
      ['list'],
      ['why', 'x'],
      ['tools'],
      ['tool', 'x/y'],
      ['test', 'x'],
      ['doctor'],
    ])
      expect(await documentOf(machine, words)).toMatchObject({ version: 1 })
  })

  test('logs --follow: one object per line, the first with the version', async () => {
    using machine = createMachine({
      [own]: { mcpServers: { x: faultyServer({ on: { start: [{ stderr: 'one' }, { stderr: 'two' }] } }) } },
    })
    await machine.run('test', 'x')
    const { stdout } = await machine.run('logs', 'x', '--follow', '--timeout', '1s', '--json')
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object)
    expect(lines.flatMap((line) => differences('logs-line', line))).toEqual([])
    expect(lines.map((line) => 'version' in line)).toEqual([true, false])
    const failed = await machine.run('logs', 'y', '--follow', '--json')
    expect(differences('logs-line', JSON.parse(failed.stdout))).toEqual([])
  })

  test('the shell: a line with --json prints the document of its command', () => {
    using machine = town()
    for (const line of ['list --json', 'status --json', 'sources --json', 'tools --no-start --json'])
      parseChecked(line.split(' '), inShell(machine, `echo '${line}' | plugboard shell`).stdout)
    const { status, stdout } = inShell(machine, 'plugboard shell --json')
    expect({ status, ...parseChecked(['shell'], stdout) }).toMatchObject({
      status: 2,
      error: { code: 'usage' },
    })
  })
})

describe('--json: the schema is strict', () => {
  test('every object lists its fields, or is declared open', () => {
    const open: string[] = []
    const visit = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return
      if ('properties' in value && !('additionalProperties' in value)) open.push(path)
      for (const [key, each] of Object.entries(value)) visit(each, `${path}/${key}`)
    }
    visit(publishedSchema, '')
    expect(open).toEqual(['/$defs/run-line/anyOf/0', '/$defs/Offer'])
  })

  test('a document without one of its fields, or with another name for it, is refused', () => {
    const optional = [
      'title',
      'instructions',
      'diagnostics',
      'structuredContent',
      'saved',
      'default',
      'inputTokens',
      'outputTokens',
    ]
    const changes = [...seen].flatMap(([name, document]) =>
      Object.entries(document).flatMap(([field, value]) => {
        const { [field]: _removed, ...rest } = document as Readonly<Record<string, unknown>>
        const renamed = { name, field, changed: { ...rest, [`${field}s`]: value } }
        return optional.includes(field) ? [renamed] : [renamed, { name, field, changed: rest }]
      }),
    )
    expect(changes.length).toBeGreaterThan(200)
    expect(changes.filter(({ name, changed }) => differences(name, changed).length === 0)).toEqual([])
  })

  test('every command printed a result, but the shell, and those that other tests check', () => {
    // A login needs an authorization server (test/auth/cli.test.ts), conversations a store (test/cli/store.test.ts), a key is new each time (test/cli/keys.test.ts), an answer
    // a terminal (test/cli/questions.test.ts), a skill, a task and a view a server that has them (test/cli/commands.test.ts names their exit codes).
    const elsewhere =
      /^(?:answer|login|shell|chat|run|serve|open|gateway-.*|skills-show|skills-read|tasks-wait|tasks-cancel|switch|keys-.*|conversations-.*|store-.*)$/
    const commands = Object.keys(jsonDocuments).map((command) => command.replaceAll(' ', '-'))
    expect(commands.filter((name) => !seen.has(name) && !elsewhere.test(name))).toEqual([])
  })
})
