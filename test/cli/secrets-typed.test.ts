import { describe, expect, test } from 'vitest'
import { createMachine } from '../support/programs/cli.ts'

const secret = 'canary-typed-1a2b3c4d'

describe.concurrent('T35 error messages do not repeat secrets', () => {
  test.each([
    [['add', 'x', '--url', `no url?token=${secret}`]],
    [['add', 'x', '--url', 'https://x.example.com', '--header', secret]],
    [['add', 'x', '--env', secret, '--', 'x']],
    [['add', 'x', '--json', `{"env":{"API_KEY":"${secret}"}`]],
    [['add', 'x', '--entry', secret]],
    [['add', 'x', '--json', `{"url":5,"headers":{"Authorization":"Bearer ${secret}"}}`]],
    [['add', 'x', '--token', secret]],
    [['add', 'x', '--url', `https://x.example.com?token=${secret}`, '--', 'y']],
    [['add', '--from', 'snippet.json', '--input', secret]],
  ])('%j', async (words) => {
    using machine = createMachine({ 'snippet.json': { mcpServers: { a: { command: 'a' } } } })
    const { code, stdout, stderr } = await machine.run(...words)
    expect([1, 2]).toContain(code)
    expect(stderr).not.toBe('')
    expect(stdout + stderr).not.toContain(secret)
  })
})

describe.concurrent('T34 files we write with a literal secret are readable by the owner only', () => {
  const token = ['--url', 'https://x.example.com/mcp', '--token', 'literal-token-1']

  test('a new file, and an existing one that others could read', async () => {
    using machine = createMachine()
    await machine.run('add', 'first', ...token)
    expect(machine.mode('~/.config/plugboard/mcp.json')).toBe(0o600)

    machine.write('.mcp.json', { mcpServers: { orders: { command: 'orders-mcp' } } }, 0o644)
    await machine.run('add', 'second', '--scope', 'project', '--', 'plain-mcp')
    expect(machine.mode('.mcp.json')).toBe(0o644)
    const before = machine.read('.mcp.json')
    const { code, stderr } = await machine.run('add', 'third', '--scope', 'project', ...token)
    expect([code, machine.read('.mcp.json'), machine.mode('.mcp.json')]).toEqual([1, before, 0o644])
    expect(stderr).toContain('holds a literal secret')

    machine.write('~/.config/plugboard/mcp.json', { mcpServers: {} }, 0o644)
    await machine.run('add', 'fourth', ...token)
    expect(machine.mode('~/.config/plugboard/mcp.json')).toBe(0o600)
  })

  test('in another client’s file and format', async () => {
    using machine = createMachine({
      '~/.config/plugboard/mcp.json': {
        mcpServers: { local: { command: 'x', env: { API_KEY: secret } } },
      },
    })
    machine.write('~/.codex/config.toml', 'model = "o"\n', 0o644)
    machine.write('~/.config/goose/config.yaml', 'GOOSE_PROVIDER: openai\n', 0o644)
    await machine.run('export', 'codex', '--yes')
    await machine.run('export', 'goose', '--yes')
    expect(machine.read('~/.codex/config.toml')).toContain(secret)
    expect(machine.read('~/.config/goose/config.yaml')).toContain(secret)
    expect([machine.mode('~/.codex/config.toml'), machine.mode('~/.config/goose/config.yaml')]).toEqual([
      0o600, 0o600,
    ])
  })
})
