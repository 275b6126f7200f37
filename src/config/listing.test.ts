import { describe, expect, test } from 'vitest'
import { httpOf, serverOf, stdioOf } from '../../test/support/server.ts'
import { Secret } from '../model/secret.ts'
import type { Discovery } from '../model/server.ts'
import { toListing } from './listing.ts'

const empty: Discovery = { servers: [], shadowed: [], diagnostics: [], trust: new Map(), others: [] }

describe('toListing', () => {
  test('a server has all common fields, and optional ones only if they are set', () => {
    const server = serverOf('a', {
      transport: stdioOf('npx', { args: ['-y'], env: { A: '1' }, cwd: '/x', envFile: '.env' }),
      timeouts: { callMs: 1000, startupMs: 2000 },
      tools: { allow: ['x'], deny: ['y'], autoApprove: ['x'] },
      lifecycle: 'lazy',
      title: 'A',
    })
    const trust = new Map([[server, 'pending']] as const)
    const trustKeys = new Map([[server, 'sha256:1']])
    expect(toListing({ ...empty, servers: [server], trust, trustKeys }).servers).toEqual([
      {
        name: 'a',
        transport: 'stdio',
        command: 'npx',
        args: ['-y'],
        env: { A: '1' },
        cwd: '/x',
        url: null,
        headers: {},
        enabled: true,
        timeoutMs: 1000,
        startupTimeoutMs: 2000,
        allowedTools: ['x'],
        deniedTools: ['y'],
        autoApprove: ['x'],
        envFile: '.env',
        lifecycle: { mode: 'lazy' },
        title: 'A',
        source: {
          client: 'plugboard',
          scope: 'user',
          file: '/home/dana/.config/plugboard/mcp.json',
          pointer: '/mcpServers/a',
        },
        line: 1,
        id: server.id,
        trust: 'pending',
        hash: 'sha256:1',
      },
    ])
  })

  test('a remote server has no command, and its login no credential id', () => {
    const auth = { type: 'oauth', clientId: 'c', credentialId: 'cred-1' }
    const server = serverOf('a', {
      transport: httpOf('https://a.example', { auth, fallback: 'sse' }),
      enabled: false,
    })
    expect(toListing({ ...empty, servers: [server] }).servers[0]).toMatchObject({
      command: null,
      args: [],
      url: 'https://a.example',
      fallback: 'sse',
      enabled: false,
      auth: { type: 'oauth', clientId: 'c' },
    })
    expect(JSON.stringify(toListing({ ...empty, servers: [server] }))).not.toContain('cred-1')
  })

  test('T35 D26 a resolved secret is masked in JSON', () => {
    const server = serverOf('a')
    const resolved = new Map([[server, { headers: { Authorization: new Secret('canary-secret') } }]])
    const text = JSON.stringify(toListing({ ...empty, servers: [server], resolved }))
    expect(text).toContain('"resolved":{"headers":{"Authorization":"•••"}}')
    expect(text).not.toContain('canary-secret')
  })

  test('hidden entries and diagnostics have their file and line', () => {
    const [high, low] = [
      serverOf('a'),
      serverOf('a', { origin: { scope: 'project', file: '/p.json', line: 7 } }),
    ]
    const listing = toListing({
      ...empty,
      shadowed: [{ server: low, by: high.origin }],
      diagnostics: [
        { code: 'unknown-key', severity: 'warn', message: 'm', hint: 'h', server: 'a', origin: low.origin },
        { code: 'unknown-source', severity: 'error', message: 'n' },
      ],
    })
    expect(listing.shadowed).toEqual([
      {
        name: 'a',
        scope: 'project',
        file: '/p.json',
        pointer: '/mcpServers/a',
        line: 7,
        by: { scope: 'user', file: high.origin.file },
      },
    ])
    expect(listing.diagnostics).toEqual([
      {
        code: 'unknown-key',
        severity: 'warn',
        file: '/p.json',
        message: 'm',
        hint: 'h',
        pointer: '/mcpServers/a',
        server: 'a',
        line: 7,
      },
      { code: 'unknown-source', severity: 'error', message: 'n' },
    ])
  })

  test('disabledBy, mergedFrom and lifecycle are listed', () => {
    const low = serverOf('a', { origin: { file: '/low.json' } })
    const server = serverOf('a', {
      enabled: false,
      disabledBy: '/settings.json#/disabledServers',
      mergedFrom: [low.origin],
      timeouts: { idleMs: 9 },
      lifecycle: 'eager',
      transport: stdioOf('x', { inheritEnv: true, passEnv: ['A'], unsetEnv: ['B'] }),
    })
    expect(toListing({ ...empty, servers: [server] }).servers[0]).toMatchObject({
      enabled: false,
      disabledBy: '/settings.json#/disabledServers',
      mergedFrom: ['/low.json'],
      lifecycle: { mode: 'eager', idleTimeoutMs: 9 },
      inheritEnv: true,
      passEnv: ['A'],
      unsetEnv: ['B'],
    })
  })

  test('L6 an empty discovery gives three empty lists', () => {
    expect(toListing(empty)).toEqual({ servers: [], shadowed: [], diagnostics: [] })
  })

  test('every listing is plain JSON', () => {
    const listing = toListing({
      ...empty,
      servers: [serverOf('a'), serverOf('b', { transport: httpOf('x') })],
    })
    expect(JSON.parse(JSON.stringify(listing))).toEqual(listing)
  })
})
