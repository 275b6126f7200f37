import { describe, expect, test } from 'vitest'
import { createMachine } from '../support/programs/cli.ts'
import type { Machine } from '../support/programs/cli.ts'

const own = '~/.config/plugboard/mcp.json'

function entries(machine: Machine, file = own): unknown {
  return (JSON.parse(machine.read(file)) as { mcpServers: unknown }).mcpServers
}

describe.concurrent('O20 add: error messages of omp', () => {
  test.each([
    [
      ['docs', '--url', 'https://a.example.com', '--', 'x'],
      2,
      'Use either --url or -- <command...>, not both.',
    ],
    [['docs', '--token', 't', '--', 'x'], 2, '--token requires --url (HTTP/SSE transport).'],
    [['docs', '--token', 't'], 2, '--token requires --url (HTTP/SSE transport).'],
    [['docs', '--header', 'a=b', '--', 'x'], 2, '--header requires --url (HTTP/SSE transport).'],
    [['docs', '--env', 'a=b', '--url', 'https://a.example.com'], 2, '--env requires -- <command...>.'],
    [['docs', '--env', 'ab', '--', 'x'], 2, '--env takes NAME=VALUE.'],
    [['docs', '--header', 'ab', '--url', 'https://a.example.com'], 2, '--header takes NAME=VALUE.'],
    [
      ['--url', 'https://a.example.com'],
      2,
      'The server needs a name: plugboard add NAME https://a.example.com',
    ],
    [['docs', 'npx', '-y', 'x'], 2, 'No alias registered for -y\nSee: plugboard add --help'],
    [['docs', 'npx', 'x'], 2, 'Put the command after --: plugboard add docs -- npx x'],
    [['docs', '--'], 2, 'Put the command after --.'],
    [
      ['docs', '127.0.0.1:1/mcp'],
      2,
      '"127.0.0.1:1/mcp" is not an http address.\nWrite: plugboard add docs http://127.0.0.1:1/mcp',
    ],
    [
      ['docs', 'localhost:8080/mcp'],
      2,
      '"localhost:8080/mcp" is not an http address.\nWrite: plugboard add docs http://localhost:8080/mcp',
    ],
    [['docs', 'ftp://x'], 2, '"ftp://x" is not an http address.'],
    [['docs', 'server.js'], 2, 'Put the command after --: plugboard add docs -- server.js'],
    [
      ['registry:com.example/weather'],
      2,
      '"registry:com.example/weather" is a server of the registry.\nRun: plugboard add --from registry:com.example/weather',
    ],
    [['docs', '--url', 'nowhere'], 2, 'Invalid server config: "nowhere" is not a url.'],
    [
      ['docs', '--url', 'ftp://a.example.com'],
      2,
      'Invalid server config: "ftp://a.example.com" is neither http nor https.',
    ],
    [
      ['docs', '--url', 'https://a.example.com', '--type', 'ws'],
      2,
      'Invalid server config: --type must be http or sse, not "ws".',
    ],
    [['docs', '--type', 'sse', '--', 'node'], 2, '--type requires --url.'],
    [
      ['docs', '--json', '{"mcpServers":{"docs":{"command":"x"}}}'],
      1,
      'Invalid server config: "mcpServers" holds several servers; --json takes the entry of one.\n' +
        'Save it to a file and run: plugboard add --from FILE (- reads stdin)',
    ],
    [['docs', '--json', '[1]'], 2, 'Invalid server config: --json must be an object.'],
    [
      ['docs', '--json', '{"command":"x","url":"https://a.example.com"}'],
      1,
      'Invalid server config: The entry has both a command and a url; keep one.',
    ],
    [
      ['docs', '--json', '{"command":"x"}', '--', 'y'],
      2,
      '--json gives the whole entry; use it without --url and -- <command...>.',
    ],
  ])('add %j', async (words, code, message) => {
    using machine = createMachine()
    expect(await machine.run('add', ...words)).toEqual({ code, stdout: '', stderr: `${message}\n` })
    expect(machine.files()).toEqual({})
  })

  test.each([
    ['{}', /^Invalid server config: The entry is incomplete: neither command nor url\./],
    ['{"command":5}', /^Invalid server config: /],
    [
      '{"url":"https://a.example.com","type":"carrier-pigeon"}',
      /^Invalid server config: "carrier-pigeon" is not a transport/,
    ],
    ['{"type":"stdio","url":"https://a.example.com"}', /^Invalid server config: /],
  ])('add docs --json %s', async (json, message) => {
    using machine = createMachine()
    const { code, stdout, stderr } = await machine.run('add', 'docs', '--json', json)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(message)
    expect(machine.files()).toEqual({})
  })

  test('add docs --json with invalid JSON is a usage error', async () => {
    using machine = createMachine()
    const { code, stdout, stderr } = await machine.run('add', 'docs', '--json', '{"command":"x"')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^Invalid server config: --json is not valid JSON/)
    expect(machine.files()).toEqual({})
  })

  test('a name that is already taken', async () => {
    using machine = createMachine({ [own]: { mcpServers: { docs: { command: 'old' } } } })
    expect(await machine.run('add', 'docs', '--', 'new')).toEqual({
      code: 6,
      stdout: '',
      stderr: `Server "docs" already exists in ${own}\nReplace it with --force, or choose another name.\n`,
    })
    expect(entries(machine)).toEqual({ docs: { command: 'old' } })
  })

  test('without a terminal and arguments, add lists its forms', async () => {
    using machine = createMachine()
    expect(await machine.run('add', 'docs')).toEqual({
      code: 2,
      stdout: '',
      stderr:
        "Say what to add: --url URL, -- command args…, --json '{…}' or --from FILE.\nIn a terminal, plugboard add opens a wizard.\n",
    })
  })
})

describe.concurrent('O4 add: server names', () => {
  test.each(['a', 'A-1_b.c', 'x'.repeat(100), 'a b', 'github.com/upstash/context7-mcp', 'ü', '$a'])(
    '%s is valid',
    async (name) => {
      using machine = createMachine()
      expect((await machine.run('add', name, '--', 'x')).code).toBe(0)
      expect(entries(machine)).toEqual({ [name]: { command: 'x' } })
    },
  )

  test.each(['', ' ', 'a ', 'x'.repeat(101), 'a\nb', 'a\u202eb'])('%j is rejected', async (name) => {
    using machine = createMachine()
    const { code, stderr } = await machine.run('add', name, '--', 'x')
    expect(code).toBe(2)
    expect(stderr).toMatch(/^Invalid server config: (the name|A server name)/)
    expect(machine.files()).toEqual({})
  })

  test.each(['__proto__', 'constructor', 'toString'])('%s does not change Object.prototype', async (name) => {
    using machine = createMachine()
    await machine.run('add', name, '--', 'x')
    expect((await machine.run('list')).code).toBe(0)
  })
})
