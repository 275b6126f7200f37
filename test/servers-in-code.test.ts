import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createHost, isHostError } from '../src/index.ts'
import type { Host, HostOptions, ServerEntry } from '../src/index.ts'
import { createScriptedServer, faultyServer } from '../src/testing.ts'
import type { FaultyScript } from '../src/testing.ts'
import { collectEvents } from './support/programs/host-events.ts'
import { namesOf, newHome, writeFiles } from './support/tool-host.ts'

/** A host in a blank home, whose only servers are those of the options. */
async function hostOf(
  servers: Readonly<Record<string, ServerEntry>> | undefined,
  { home = newHome(), ...options }: HostOptions & { readonly home?: string } = {},
): Promise<Host & { readonly home: string }> {
  const cwd = join(home, 'project')
  mkdirSync(cwd, { recursive: true })
  const host = await createHost({
    cwd,
    ...(servers && { servers }),
    platform: { home, env: { HOME: home, PATH: process.env['PATH'] } },
    ...options,
  })
  return Object.assign(host, { home })
}

function program(script: FaultyScript = {}): ServerEntry {
  const { command, args } = faultyServer(script)
  return { command, args }
}

const toolsNamed = (...names: readonly string[]) =>
  names.map((name) => ({ name, inputSchema: { type: 'object' } }))

function cyclic(): object {
  const env: Record<string, unknown> = {}
  return { command: 'a', env: Object.assign(env, { env }) }
}

function missing(): never {
  throw new Error('There is none.')
}

const ownFile = '.config/plugboard/mcp.json'
const declare = (servers: object) => JSON.stringify({ mcpServers: servers })

/** What a server started in this way sees. */
async function environmentOf(host: Host, server: string) {
  const result = await host.request(server, 'tools/call', { name: 'environment', arguments: {} })
  const { content } = result as { readonly content: readonly { readonly text: string }[] } // the tool answers with a text
  return JSON.parse(content[0]?.text ?? '') as {
    readonly argv: readonly string[]
    readonly cwd: string
    readonly env: Readonly<Record<string, string>>
  }
}

describe('createHost({ servers })', () => {
  test('D-17 a program and a channel are declared by code alone, trusted, on a blank machine', async () => {
    const scripted = createScriptedServer({ tools: toolsNamed('add') })
    await using host = await hostOf({
      files: program({ tools: toolsNamed('read') }),
      other: { channel: scripted.open, title: 'Other' },
    })
    await host.ready()
    expect(namesOf(host)).toEqual(['files__read', 'other__add'])
    expect(host.discovery.servers.map(({ name, origin }) => [name, origin.source, origin.authority])).toEqual(
      [
        ['files', 'code', 'explicit'],
        ['other', 'code', 'explicit'],
      ],
    )
    expect(host.discovery.diagnostics).toEqual([])
    expect((await host.call('other__add', { a: 1 })).text).toContain('"a":1')
  })

  test('D-17 no declaration is read from a file unless sources or config is given too', async () => {
    const home = newHome()
    writeFiles(home, {
      [ownFile]: declare({ mine: { command: 'a' } }),
      'project/.mcp.json': declare({ theirs: { command: 'b' } }),
      'named.json': declare({ named: { command: 'c' } }),
    })
    const named = join(home, 'named.json')
    const serversOf = async (options: HostOptions) => {
      await using host = await hostOf(undefined, { home, ...options })
      return host.servers().map(({ name }) => name)
    }
    const servers = { code: { command: 'x' } }
    expect(await serversOf({ servers })).toEqual(['code'])
    expect(await serversOf({ servers: {} })).toEqual([])
    expect(await serversOf({ servers, config: named })).toEqual(['code', 'named'])
    expect(await serversOf({ servers, sources: ['plugboard'] })).toEqual(['code', 'theirs', 'mine'])
    expect(await serversOf({ servers, sources: ['plugboard'], config: named })).toEqual([
      'code',
      'named',
      'theirs',
      'mine',
    ])
    expect(await serversOf({ servers, sources: [] })).toEqual(['code'])
    expect(await serversOf({ config: named, sources: [] })).toEqual(['named'])
    expect(await serversOf({ config: named })).toEqual(['named', 'theirs', 'mine'])
    expect(await serversOf({ sources: [] })).toEqual([])
    expect(await serversOf({})).toEqual(['theirs', 'mine'])
  })

  test('D-17 values are literal: a password may begin with ! or contain ${', async () => {
    const env = { PASSWORD: '!rm -rf /', OTHER: '${HOME}/{env:HOME}', TILDE: '~/x' }
    await using host = await hostOf({ x: { ...program(), env } as ServerEntry })
    const seen = await environmentOf(host, 'x')
    expect(seen.env).toMatchObject({ OTHER: env.OTHER, TILDE: env.TILDE })
    expect(host.discovery.diagnostics).toEqual([])
    // The host knows the password as a secret, so it is masked in what a server sends back.
    expect(seen.env['PASSWORD']).not.toBe(undefined)
    expect(host.redact('!rm -rf /')).not.toContain('rm -rf')
  })

  test('D-17 with expand: true placeholders are expanded, and a missing variable is reported', async () => {
    const servers = {
      x: { ...program(), env: { WHERE: '${HOME}/data', NONE: '${NOWHERE_SET}' } } as ServerEntry,
    }
    await using host = await hostOf(servers, { expand: true })
    expect(host.discovery.diagnostics.map(({ code, origin }) => [code, origin?.pointer])).toEqual([
      ['missing-env', '/servers/x/env/NONE'],
    ])
    await using whole = await hostOf(
      { x: { ...program(), env: { WHERE: '${HOME}/data' } } as ServerEntry },
      { expand: true },
    )
    expect((await environmentOf(whole, 'x')).env['WHERE']).toBe(`${whole.home}/data`)
  })

  test('D-17 paths are relative to the cwd of the host', async () => {
    const home = newHome()
    mkdirSync(join(home, 'project/inner'), { recursive: true })
    await using host = await hostOf(
      { here: program(), inner: { ...program(), cwd: 'inner' } as ServerEntry },
      { home },
    )
    expect((await environmentOf(host, 'here')).cwd).toBe(join(home, 'project'))
    expect((await environmentOf(host, 'inner')).cwd).toBe(join(home, 'project/inner'))
  })

  test('D-17 a name that a file declares too is shadowed, with a diagnostic, and reload keeps the one in code', async () => {
    const home = newHome()
    writeFiles(home, { [ownFile]: declare({ x: { command: 'from-file' } }) })
    await using host = await hostOf(
      { x: program({ tools: toolsNamed('mine') }) },
      { home, sources: ['plugboard'] },
    )
    expect(host.discovery.shadowed.map(({ server, by }) => [server.name, by.source])).toEqual([['x', 'code']])
    expect(host.discovery.diagnostics.map(({ code, message }) => [code, message])).toEqual([
      ['shadowed', '"x" is hidden by the one that the program declares.'],
    ])
    await host.ready()
    writeFiles(home, { [ownFile]: declare({ y: { command: 'other' } }) })
    await host.reload()
    expect(host.servers().map(({ name }) => name)).toEqual(['x', 'y'])
    expect(namesOf(host)).toEqual(['x__mine'])
  })

  test('D-17 the settings of a person still narrow, unless settings is false', async () => {
    const home = newHome()
    const settings = { disabledServers: ['off'], tools: ['*', '!on__hidden'] }
    writeFiles(home, { '.config/plugboard/settings.json': JSON.stringify(settings) })
    const servers = { on: program({ tools: toolsNamed('shown', 'hidden') }), off: program() }
    await using narrowed = await hostOf(servers, { home })
    await narrowed.ready()
    expect(namesOf(narrowed)).toEqual(['on__shown'])
    expect(narrowed.servers().map(({ name, status }) => [name, status.state])).toContainEqual([
      'off',
      'disabled',
    ])
    await using free = await hostOf(servers, { home, settings: false })
    await free.ready()
    expect(namesOf(free)).toContain('on__hidden')
    expect(free.servers().map(({ status }) => status.state)).not.toContain('disabled')
  })

  test('D-17 the entry forms of other clients are read by the readers of those clients', async () => {
    const { command, args = [] } = faultyServer() as {
      readonly command: string
      readonly args?: readonly string[]
    }
    const entries = {
      opencode: { type: 'local', command: [command, ...args], environment: { A: 'b' } },
      goose: { type: 'stdio', cmd: command, args, envs: { A: 'b' }, enabled: true, timeout: 20 },
      codex: { command, args, env: { A: 'b' }, startup_timeout_sec: 20 },
      zed: { source: 'custom', command: { path: command, args, env: { A: 'b' } } },
      named: {
        client: 'goose',
        entry: { cmd: command, args, envs: { A: 'b' }, type: 'stdio', enabled: true },
      },
    } as unknown as Record<string, ServerEntry> // as an untyped program passes them
    await using host = await hostOf(entries)
    expect(host.discovery.diagnostics.filter(({ severity }) => severity !== 'info')).toEqual([])
    for (const name of Object.keys(entries)) expect((await environmentOf(host, name)).env['A']).toBe('b')
    const timeouts = host.discovery.servers.map(({ name, timeouts: of }) => [name, of])
    expect(timeouts).toContainEqual(['codex', { startupMs: 20_000 }])
  })

  test('D-17 an entry is copied: a later change of the object has no effect', async () => {
    const entry = { ...program(), env: { A: 'before' } }
    await using host = await hostOf({ x: entry as ServerEntry })
    entry.env.A = 'after'
    expect((await environmentOf(host, 'x')).env['A']).toBe('before')
  })
})

describe('createHost: what is refused', () => {
  const refusals: readonly [
    string,
    unknown,
    { readonly key: string; readonly message?: string; readonly hint?: string },
  ][] = [
    ['an entry without an endpoint', { x: {} }, { key: 'servers.x' }],
    ['an entry that is no object', { x: 'run' }, { key: 'servers.x' }],
    ['arguments that are no list', { x: { command: 'a', args: '--b' } }, { key: 'servers.x.args' }],
    ['a folder that is no text', { x: { command: 'a', cwd: 5 } }, { key: 'servers.x.cwd' }],
    ['an unset variable', { x: { command: 'a', env: { TOKEN: undefined } } }, { key: 'servers.x.env.TOKEN' }],
    [
      'a misspelled key',
      { x: { command: 'a', alowedTools: [] } },
      { key: 'servers.x.alowedTools', hint: 'Did you mean "allowedTools"?' },
    ],
    ['an address that is none', { x: { url: 'nowhere' } }, { key: 'servers.x.url' }],
    ['an object without connect', { x: { server: {} } }, { key: 'servers.x.server' }],
    ['a channel that is no function', { x: { channel: {} } }, { key: 'servers.x.channel' }],
    ['two ways at once', { x: { channel: () => undefined, command: 'a' } }, { key: 'servers.x' }],
    [
      'a key that an object cannot have',
      { x: { channel: () => undefined, env: {} } },
      { key: 'servers.x.env' },
    ],
    ['a client’s entry that is none', { x: { client: 'goose', entry: 'run' } }, { key: 'servers.x.entry' }],
    ['an unknown lifecycle', { x: { command: 'a', lifecycle: 'now' } }, { key: 'servers.x.lifecycle' }],
    [
      'a variable that is a Map',
      { x: { command: 'a', env: new Map([['A', 'b']]) } },
      { key: 'servers.x.env' },
    ],
    [
      'headers of fetch',
      { x: { url: 'https://a.example', headers: new Headers() } },
      { key: 'servers.x.headers' },
    ],
    [
      'a list with a hole',
      { x: { command: 'a', args: Array.from({ length: 1 }) } },
      { key: 'servers.x.args.0' },
    ],
    ['an entry that contains itself', { x: cyclic() }, { key: 'servers.x.env' }],
    [
      'a getter that throws',
      {
        x: { command: 'a', env: Object.defineProperty({}, 'A', { get: () => missing(), enumerable: true }) },
      },
      { key: 'servers.x' },
    ],
    [
      'an unknown client',
      { x: { client: 'goos', entry: { command: 'a' } } },
      { key: 'servers.x.client', hint: 'Did you mean goose?' },
    ],
    ['a command and an address', { x: { command: 'a', url: 'https://a.example' } }, { key: 'servers.x' }],
    [
      'a misspelled command',
      { x: { comand: 'a' } },
      { key: 'servers.x.comand', hint: 'Did you mean "command"?' },
    ],
    ['a time that is no number', { x: { command: 'a', timeout: NaN } }, { key: 'servers.x.timeout' }],
    ['a time before 0', { x: { command: 'a', timeout: -5 } }, { key: 'servers.x.timeout' }],
    ['a name with a control character', { 'a\nb': { command: 'a' } }, { key: 'servers.a\nb' }],
  ]
  test.each(refusals)('D-17 %s is config.invalid and names the key', async (_, servers, { key, hint }) => {
    const error = await hostOf(servers as Record<string, ServerEntry>).catch((thrown: unknown) => thrown)
    if (!isHostError(error, 'config.invalid')) throw error
    expect(error).toMatchObject({ data: { key }, ...(hint !== undefined && { hint }) })
    expect(error.message).toContain(`"${key}"`)
    expect(error.message).not.toMatch(/ignored|converted|any ms|It is a number/)
  })

  test('D-17 a name with half of a surrogate pair is possible for an object too', async () => {
    const { open } = createScriptedServer({ tools: toolsNamed('a') })
    await using host = await hostOf({ '\ud800': { channel: open } })
    await host.ready()
    expect(namesOf(host)).toHaveLength(1)
  })

  test.each<readonly [string, object]>([
    ['limits.maxInflight', { limits: { maxInflight: 5 } }],
    ['limits.callMs', { limits: { callMs: '5' } }],
    ['lifecycle', { lifecycle: 'soon' }],
    ['trust', { trust: 'yes' }],
    ['startupMs', { startupMs: 'x' }],
    ['parallel', { parallel: 5 }],
    ['parallel.w', { parallel: { w: 'all' } }],
    ['on', { on: 5 }],
    ['signal', { signal: 5 }],
    ['servers', { servers: new Map([['a', { command: 'a' }]]) }],
  ])('an invalid value of the option %s is an error that names it', async (key, options) => {
    await expect(createHost(options)).rejects.toMatchObject({ code: 'config.invalid', data: { key } })
  })

  test('D-17 servers that is a list is refused', async () => {
    const error = await hostOf(['a'] as never).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'config.invalid', data: { key: 'servers' } })
  })

  test('an unknown option is an error that names the near one', async () => {
    const options = { server: {} } as HostOptions
    await expect(createHost(options)).rejects.toMatchObject({
      code: 'config.invalid',
      data: { key: 'server' },
      message: 'createHost has no option "server".',
      hint: 'Did you mean servers?',
    })
    await using host = await hostOf({}, { unknown: undefined } as HostOptions)
    expect(host.servers()).toEqual([])
  })

  test('a channel for a name that nothing declares is an error', async () => {
    const { open } = createScriptedServer()
    const options = { channels: { githib: open } }
    await expect(hostOf({ github: { command: 'x' } }, options)).rejects.toMatchObject({
      code: 'config.invalid',
      data: { key: 'channels.githib', server: 'githib' },
      hint: 'Did you mean github?',
    })
    await expect(hostOf({}, options)).rejects.toMatchObject({
      hint: 'Declare it with its channel: servers: { "githib": { channel } }',
    })
  })
})

describe('host.add and host.remove', () => {
  test('D-17 tools appear and disappear with events, and other servers stay', async () => {
    const { onEvent, until, events } = collectEvents()
    await using host = await hostOf({ first: program({ tools: toolsNamed('a') }) }, { on: onEvent })
    await host.ready()
    await host.connect('first')
    await host.add('second', program({ tools: toolsNamed('b') }))
    expect(namesOf(host)).toEqual(['first__a', 'second__b'])
    await host.add('third', { channel: createScriptedServer({ tools: toolsNamed('c') }).open })
    expect(namesOf(host)).toEqual(['first__a', 'second__b', 'third__c'])
    await host.remove('second')
    expect(namesOf(host)).toEqual(['first__a', 'third__c'])
    await until('catalog.changed', (event) => event.server === 'second' && event.removed.length > 0)
    expect(events.filter(({ type }) => type === 'config.changed')).toHaveLength(3)
    expect(host.servers().find(({ name }) => name === 'first')?.status.state).toBe('ready')
    await expect(host.call('second__b')).rejects.toMatchObject({ code: 'tool.unknown' })
  })

  test('D-17 a removed server finishes its running call, then it is stopped', async () => {
    const { onEvent, until } = collectEvents()
    const script: FaultyScript = {
      tools: toolsNamed('slow'),
      on: { 'tools/call:slow': [{ notify: 'started' }, { wait: 300 }, { text: 'done' }] },
    }
    await using host = await hostOf({ x: program(script) }, { on: onEvent })
    await host.ready()
    const call = host.call('x__slow')
    await until('server.notified', (event) => event.method === 'started')
    const order: string[] = []
    await Promise.all([
      call.then(({ text }) => order.push(text)),
      host.remove('x').then(() => order.push('removed')),
    ])
    expect(order).toEqual(['done', 'removed'])
    expect(host.servers()).toEqual([])
    await until('server.changed', (event) => event.status.reason === 'stopped')
  })

  test('D-17 closing the host does not wait for the call of a removed server', async () => {
    const { onEvent, until } = collectEvents()
    const script: FaultyScript = {
      tools: toolsNamed('stuck'),
      on: { 'tools/call:stuck': [{ notify: 'started' }, 'hang'] },
    }
    const host = await hostOf({ x: program(script) }, { on: onEvent })
    await host.ready()
    const call = host.call('x__stuck').catch((error: unknown) => error)
    await until('server.notified', (event) => event.method === 'started')
    const removed = host.remove('x')
    await until('config.changed')
    await host.close()
    await removed
    expect(await call).toMatchObject({ code: 'call.cancelled' })
  })

  test('D-17 a server of a file comes into force when the one in code is removed', async () => {
    const home = newHome()
    writeFiles(home, { [ownFile]: declare({ x: faultyServer({ tools: toolsNamed('of-file') }) }) })
    await using host = await hostOf(undefined, { home })
    await host.ready()
    expect(namesOf(host)).toEqual(['x__of-file'])
    await host.add('x', program({ tools: toolsNamed('of-code') }))
    expect(namesOf(host)).toEqual(['x__of-code'])
    await host.remove('x')
    expect(namesOf(host)).toEqual(['x__of-file'])
    await expect(host.remove('x')).rejects.toMatchObject({ code: 'config.invalid' })
    await expect(host.remove('y')).rejects.toMatchObject({ code: 'server.unknown' })
  })

  test('D-17 a server that is being removed is unknown to a second remove', async () => {
    await using host = await hostOf({ x: { command: 'a' } })
    const [first, second] = await Promise.allSettled([host.remove('x'), host.remove('x')])
    expect([first.status, second]).toMatchObject(['fulfilled', { reason: { code: 'server.unknown' } }])
  })

  test('D-17 startupTimeout 0 gives a server as long as it takes', async () => {
    await using host = await hostOf({ x: { ...program({ tools: toolsNamed('a') }), startupTimeout: 0 } })
    expect(await host.connect('x')).toMatchObject({ era: 'legacy' })
  })

  test('D-17 a bad entry, a taken name and a closed host change nothing', async () => {
    const host = await hostOf({ x: { command: 'a' } })
    await expect(host.add('y', {} as ServerEntry)).rejects.toMatchObject({ data: { key: 'servers.y' } })
    await expect(host.add('x', { command: 'b' })).rejects.toMatchObject({
      code: 'config.invalid',
      hint: 'Remove it first: await host.remove("x")',
    })
    expect(host.servers().map(({ name }) => name)).toEqual(['x'])
    await host.close()
    await expect(host.add('z', { command: 'c' })).rejects.toMatchObject({ code: 'host.closed' })
  })
})

describe('next steps for servers in code', () => {
  test.each<readonly [string, ServerEntry, string]>([
    [
      'a missing program',
      { command: 'not-installed-here' },
      'Install it, or put its full path into the entry.',
    ],
    [
      'a program that ends',
      { command: process.execPath, args: ['-e', 'process.exit(3)'] },
      'See its output: events "server.said"',
    ],
  ])('D-17 %s: the hint names no command that would not find it', async (_, entry, hint) => {
    await using host = await hostOf({ x: entry })
    await expect(host.connect('x')).rejects.toMatchObject({ hint })
  })
})

describe('what is stored of servers in code', () => {
  test('D-17 a program’s tools are known from disk to the next host in the same folder, not in another', async () => {
    const home = newHome()
    const servers = { x: program({ tools: toolsNamed('a') }) }
    {
      await using first = await hostOf(servers, { home })
      await first.ready()
    }
    await using second = await hostOf(servers, { home })
    await second.ready({ from: 'disk' })
    expect(namesOf(second)).toEqual(['x__a'])
    const cwd = join(home, 'elsewhere')
    mkdirSync(cwd)
    await using elsewhere = await hostOf(servers, { home, cwd })
    await elsewhere.ready({ from: 'disk' })
    expect(namesOf(elsewhere)).toEqual([])
  })

  test('D-17 what is behind a channel is never stored, also not under the entry that it replaces', async () => {
    const home = newHome()
    const { open } = createScriptedServer({ tools: toolsNamed('recorded') })
    const servers = { x: program({ tools: toolsNamed('real') }), y: { channel: open } }
    {
      await using first = await hostOf(servers, { home, channels: { x: open } })
      await first.ready()
      expect(namesOf(first)).toEqual(['x__recorded', 'y__recorded'])
    }
    await using second = await hostOf(servers, { home })
    await second.ready({ from: 'disk' })
    expect(namesOf(second)).toEqual([])
  })

  test('D-17 another channel under the same name is another server', async () => {
    const channelWith = (tool: string) => ({
      channel: createScriptedServer({ tools: toolsNamed(tool) }).open,
    })
    await using host = await hostOf({ x: channelWith('one') })
    await host.ready()
    expect(namesOf(host)).toEqual(['x__one'])
    await host.remove('x')
    await host.add('x', channelWith('two'))
    expect(namesOf(host)).toEqual(['x__two'])
  })
})
