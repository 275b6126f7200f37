import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { home, memoryMachine } from '../../../test/support/memory-machine.ts'
import { loadSamples } from '../../../test/support/samples.ts'
import { isHostError } from '../../model/error.ts'
import type { Keychain } from '../../platform/login-ports.ts'
import { nodePlatform } from '../../platform/node/node-platform.ts'
import type { Platform } from '../../platform/platform.ts'
import { loadSource } from '../../sources/clients/load-source.ts'
import { namedOnly, sourceIds } from '../../sources/places.ts'
import type { SourceId } from '../../sources/places.ts'
import { memoryFiles } from '../../testing/memory-files.ts'
import { discover } from '../discover.ts'
import { addServer, removeServer } from '../edit/edit-entry.ts'
import { targetIn } from '../edit/edit-target.ts'
import { openWorkbench } from '../edit/workbench.ts'
import { applyPlan } from './apply-plan.ts'
import { planAdoption } from './plan-adoption.ts'
import { planRelease } from './plan-release.ts'

const ourFile = '~/.config/plugboard/mcp.json'
const settings = '~/.config/plugboard/settings.json'
const program = { command: '/usr/bin/node', args: ['/opt/plugboard/dist/cli/plugboard.cjs'] }

const adopt = async (client: string, platform: Platform) => {
  const plan = await planAdoption(client, { platform, program })
  await applyPlan(plan, { platform })
  return plan
}

const release = async (client: string, platform: Platform) => {
  const plan = await planRelease(client, { platform })
  await applyPlan(plan, { platform })
  return plan
}

/** The texts of a machine without our own records. */
const visible = (texts: ReadonlyMap<string, string>) =>
  Object.fromEntries([...texts].filter(([path]) => !/\/(?:adoptions|added-keys)\.json$/.test(path)))

const clients = sourceIds.filter((id) => id !== 'plugboard' && !namedOnly.has(id))
/** Clients whose files belong to a project or an operator. */
const withoutUserFile = ['boocode', 'dispatch', 'copilot-coding-agent', 'sep-2633']

const first = {
  name: 'files',
  transport: { kind: 'stdio', command: 'npx', args: ['-y', 'files@1.0.0'] },
} as const
const second = { name: 'notes', transport: { kind: 'stdio', command: 'notes-mcp', args: [] } } as const

async function userFileOf(id: SourceId, platform: Platform) {
  const bench = await openWorkbench({ platform, sources: ['plugboard'] })
  return targetIn(await loadSource(id), bench, 'user')
}

describe('adopt and release: every client', () => {
  test('every client that can be written has a user file, except these', async () => {
    const { platform } = memoryMachine({})
    const without: string[] = []
    for (const id of clients) await userFileOf(id, platform).catch(() => without.push(id))
    expect(without.sort()).toEqual([...withoutUserFile].sort())
  })

  test.each(clients.filter((id) => !withoutUserFile.includes(id)))(
    '%s: its servers move behind one entry, which no source loads, and come back',
    async (id) => {
      const { platform, texts } = memoryMachine({})
      const target = await userFileOf(id, platform)
      await addServer(target, first)
      await addServer(target, second)
      const before = visible(texts)

      const plan = await adopt(id, platform)
      expect(plan.moved.map(({ name, as }) => [name, as])).toEqual([
        ['files', 'files'],
        ['notes', 'notes'],
      ])
      expect(texts.get(`${target.place.path}.before-plugboard`)).toBe(before[target.place.path])
      const own = await discover({ platform, sources: [id] })
      expect(own.servers).toEqual([])
      expect(
        own.diagnostics.filter(({ code }) => code === 'own-gateway').map(({ message }) => message),
      ).toEqual(['"plugboard" starts Plugboard itself and is not loaded.'])
      expect((await discover({ platform })).servers.map(({ name }) => name)).toEqual(['files', 'notes'])
      expect(JSON.parse(texts.get(settings.replace('~', home)) ?? '')).toEqual({
        views: { [id]: { servers: ['files', 'notes'] } },
      })

      const back = await release(id, platform)
      expect(back.identical).toEqual([target.place.path])
      expect(visible(texts)).toEqual(before)
    },
  )

  test.each(loadSamples().map((sample) => [sample.title, sample] as const))(
    'sample %s: adopt and release is the identity on bytes',
    async (_title, sample) => {
      const files = memoryFiles(sample.files)
      const { homeDir, projectDir, env, platform: os } = sample
      const platform = nodePlatform({
        os,
        home: homeDir,
        cwd: projectDir,
        env,
        systemRoot: '/',
        files,
        lock: (_path, work) => work(),
      })
      const before = visible(files.texts)
      const outcome = await adopt(sample.client, platform).then(
        () => 'adopted',
        (error: unknown) => (isHostError(error) ? 'refused' : error),
      )
      expect(['adopted', 'refused']).toContain(outcome)
      expect(JSON.stringify(visible(files.texts)) === JSON.stringify(before)).toBe(outcome === 'refused')
      if (outcome === 'adopted') await release(sample.client, platform)
      expect(visible(files.texts)).toEqual(before)
    },
  )
})

describe('adopt and release: texts', () => {
  const shape = fc.record({
    indent: fc.constantFrom('', '  ', '\t', '    '),
    eol: fc.constantFrom('\n', '\r\n'),
    comment: fc.boolean(),
    names: fc.uniqueArray(fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/), { minLength: 1, maxLength: 4 }),
    hasOthers: fc.boolean(),
    hasSettings: fc.constantFrom('', '{}', '{\n  // mine\n  "model": "a/b"\n}\n', '{"views":{"x":{}}}'),
  })
  type Shape = typeof shape extends fc.Arbitrary<infer T> ? T : never

  const json = (root: string) => (drawn: Shape) => {
    const servers = Object.fromEntries(drawn.names.map((name) => [name, { command: name, args: ['x'] }]))
    const text = JSON.stringify(
      { ...(drawn.hasOthers && { theme: 'dark' }), [root]: servers, last: [1] },
      undefined,
      drawn.indent,
    )
    return drawn.comment ? text.replace('{', '{ // a note\n') : text
  }
  const toml = ({ names, comment, hasOthers }: Shape) =>
    [
      ...(hasOthers ? ['model = "o"', ''] : []),
      ...names.flatMap((name) => [
        ...(comment ? ['# a note'] : []),
        `[mcp_servers.${name}]`,
        `command = "${name}" ${comment ? '# why' : ''}`,
        '',
      ]),
    ].join('\n')
  const yaml = ({ names, comment, hasOthers }: Shape) =>
    [
      ...(hasOthers ? ['GOOSE_MODEL: x'] : []),
      'extensions:',
      ...names.flatMap((name) => [
        ...(comment ? ['  # a note'] : []),
        `  ${name}: { type: stdio, name: ${name}, cmd: ${name}, args: [], enabled: true }`,
      ]),
      '',
    ].join('\n')

  test.each([
    ['vscode', '~/.config/Code/User/mcp.json', json('servers')],
    ['gemini-cli', '~/.gemini/settings.json', json('mcpServers')],
    ['codex', '~/.codex/config.toml', toml],
    ['goose', '~/.config/goose/config.yaml', yaml],
  ] as const)('%s: the same bytes, whatever the layout', async (id, file, write) => {
    await fc.assert(
      fc.asyncProperty(shape, async (drawn) => {
        const text = write(drawn).replaceAll('\n', drawn.eol)
        const { platform, texts } = memoryMachine({
          [file]: text,
          ...(drawn.hasSettings && { [settings]: drawn.hasSettings }),
        })
        const before = visible(texts)
        await adopt(id, platform)
        await release(id, platform)
        expect(visible(texts)).toEqual(before)
      }),
      { numRuns: 20 },
    )
  })

  test.each([
    ['vscode', '~/.config/Code/User/mcp.json', json('servers')],
    ['codex', '~/.codex/config.toml', toml],
    ['goose', '~/.config/goose/config.yaml', yaml],
  ] as const)('%s: what was added meanwhile stays, and the rest is as it was', async (id, file, write) => {
    await fc.assert(
      fc.asyncProperty(shape, async (drawn) => {
        const { platform, read, textOf } = memoryMachine({ [file]: write(drawn) })
        const before = await read(file)
        await adopt(id, platform)
        const target = await userFileOf(id, platform)
        await addServer(target, { ...second, name: 'added-since' })
        const { restored, keeps } = await release(id, platform)
        expect(restored).toEqual(drawn.names)
        expect(textOf(keeps[0] ?? '')).toBe(write(drawn))
        await removeServer(target, 'added-since')
        expect(await read(file)).toEqual(before)
      }),
      { numRuns: 10 },
    )
  })
})

describe('adopt: what moves, and how', () => {
  const cursor = '~/.cursor/mcp.json'
  const token = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a'
  const github = { command: 'github-mcp', args: ['stdio'], env: { GITHUB_TOKEN: token, MODE: 'fast' } }

  test('comments of the client’s file stay, and the preview writes nothing', async () => {
    const text =
      '{\n  // my servers\n  "servers": {\n    "a": { "command": "a" } // one\n  }, // end\n  "inputs": []\n}\n'
    const { platform, texts, textOf } = memoryMachine({ '~/.config/Code/User/mcp.json': text })
    const before = visible(texts)
    await planAdoption('vscode', { platform, program })
    expect(visible(texts)).toEqual(before)
    await adopt('vscode', platform)
    expect(textOf('~/.config/Code/User/mcp.json')).toMatch(
      /^\{\n {2}\/\/ my servers[^]*\/\/ end\n {2}"inputs": \[\]\n\}\n$/,
    )
  })

  test('without a keychain a literal secret goes into our file, readable by its owner only', async () => {
    const { platform, read } = memoryMachine({ [cursor]: { mcpServers: { github } } })
    const { keychain: _none, ...rest } = platform
    const plan = await adopt('cursor', rest)
    expect(plan.secretPlaces).toEqual([{ server: 'github', store: 'file' }])
    expect(plan.changes.map(({ file, mode }) => [file, mode])).toContainEqual([
      `${home}/.config/plugboard/mcp.json`,
      0o600,
    ])
    expect(await read(ourFile)).toMatchObject({ mcpServers: { github: { env: { GITHUB_TOKEN: token } } } })
  })

  test('with a keychain the file only refers to it, and releasing removes it there', async () => {
    const {
      platform: plain,
      texts,
      textOf,
    } = memoryMachine({
      [cursor]: {
        mcpServers: {
          github,
          web: { url: 'https://example.com/mcp', headers: { Authorization: `Bearer ${token}` } },
          db: { command: 'db-mcp', args: ['--api-key', token, 'postgres://me:hunter2pass@db/x'] },
        },
      },
    })
    const stored = new Map<string, string>()
    const platform = { ...plain, keychain: memoryKeychain(stored) }
    const before = visible(texts)
    const plan = await adopt('cursor', platform)
    expect(plan.secretPlaces.map(({ store }) => store)).toEqual(['keychain', 'keychain', 'keychain'])
    expect(textOf(ourFile)).not.toContain(token)
    expect(textOf(ourFile)).not.toContain('hunter2pass')
    expect([...stored.values()].sort()).toEqual([token, token, token, 'hunter2pass'].sort())
    expect(textOf(ourFile)).toContain('Bearer ${keychain:plugboard-servers/web.Authorization}')
    await release('cursor', platform)
    expect([visible(texts), stored.size]).toEqual([before, 0])
  })

  test('rules of the client about tools become rules of its view, and approvals get the new names', async () => {
    const { platform, read } = memoryMachine({
      '~/.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json': {
        mcpServers: {
          a: { command: 'a', disabledTools: ['del'], alwaysAllow: ['get', '*'], timeout: 90 },
          b: { command: 'b', alwaysAllow: [] },
        },
      },
    })
    const plan = await adopt('roo-code', platform)
    expect(await read(settings)).toEqual({
      views: { 'roo-code': { servers: ['a', 'b'], tools: ['*', '!a/del'] } },
    })
    expect(
      await read('~/.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json'),
    ).toMatchObject({ mcpServers: { plugboard: { alwaysAllow: ['a__get'], timeout: 600 } } })
    expect(plan.lost).toContainEqual({
      field: 'a.autoApprove',
      reason: 'All tools were approved in advance; the client asks now.',
    })
    expect(await read(ourFile)).toEqual({
      mcpServers: { a: { type: 'stdio', command: 'a', timeout: 90_000 }, b: { type: 'stdio', command: 'b' } },
    })
  })

  test('an entry that asks for a value stays, and what only the client knows is named', async () => {
    const { platform } = memoryMachine({
      '~/.config/Code/User/mcp.json': {
        inputs: [{ id: 'k', type: 'promptString' }],
        servers: { ask: { command: 'ask', env: { K: '${input:k}' } }, plain: { command: 'p' } },
      },
      '~/.codex/config.toml':
        '[mcp_servers.a]\ncommand = "a"\n\n[mcp_servers.a.tools.log]\napproval_mode = "approve"\n',
    })
    const plan = await adopt('vscode', platform)
    expect([plan.moved.map(({ name }) => name), plan.stays]).toMatchObject([
      ['plain'],
      [{ name: 'ask', reason: 'It asks for "k" when it starts, which the gateway cannot do.' }],
    ])
    expect((await adopt('codex', platform)).lost).toContainEqual({
      field: 'a.tools.log.approval_mode',
      reason:
        'It is "approve", and does not hold behind the gateway. Set it for "a__log" of the entry "plugboard".',
    })
  })

  test('an allow-list is a rule of the view', async () => {
    const { platform, read } = memoryMachine({
      '~/.codex/config.toml':
        '[mcp_servers.a]\ncommand = "a"\nenabled_tools = ["x", "y"]\ndisabled_tools = ["y"]\n',
    })
    await adopt('codex', platform)
    expect(await read(settings)).toEqual({
      views: { codex: { servers: ['a'], tools: ['*', '!a/*', 'a/x', 'a/y', '!a/y'] } },
    })
  })

  test('two clients share an equal server, and keep different ones of the same name apart', async () => {
    const { platform, texts, read } = memoryMachine({
      [cursor]: { mcpServers: { same: { command: 's' }, other: { command: 'mine' } } },
      '~/.codeium/windsurf/mcp_config.json': {
        mcpServers: { same: { command: 's' }, other: { command: 'yours' } },
      },
    })
    const before = visible(texts)
    await adopt('cursor', platform)
    const plan = await adopt('windsurf', platform)
    expect(plan.moved.map(({ as, isShared }) => [as, isShared])).toEqual([
      ['same', true],
      ['other-windsurf', false],
    ])
    await release('cursor', platform)
    expect(await read(ourFile)).toMatchObject({
      mcpServers: { same: { command: 's' }, 'other-windsurf': { command: 'yours' } },
    })
    await release('windsurf', platform)
    expect(visible(texts)).toEqual(before)
  })

  test('entries that are off or cannot be used stay where they are', async () => {
    const { platform, read } = memoryMachine({
      '~/.codeium/windsurf/mcp_config.json': {
        mcpServers: { on: { command: 'on' }, off: { command: 'off', disabled: true }, bad: { args: [] } },
      },
    })
    const plan = await adopt('windsurf', platform)
    expect(plan.stays.map(({ name }) => name)).toEqual(['off', 'bad'])
    expect(
      Object.keys(((await read('~/.codeium/windsurf/mcp_config.json')) as { mcpServers: object }).mcpServers),
    ).toEqual(['off', 'bad', 'plugboard'])
  })

  test('project files and local entries are not touched', async () => {
    const local = { mcpServers: { mine: { command: 'm' } } }
    const { platform, textOf, read } = memoryMachine({
      '~/.claude.json': { mcpServers: { all: { command: 'a' } }, projects: { '/home/dana/shop': local } },
      '.mcp.json': { mcpServers: { team: { command: 't' } } },
    })
    const before = textOf('.mcp.json')
    await adopt('claude-code', platform)
    expect(textOf('.mcp.json')).toBe(before)
    expect(await read('~/.claude.json')).toMatchObject({ projects: { '/home/dana/shop': local } })
  })

  test('a file that changed after the preview is an error, and nothing is written', async () => {
    const { platform, texts, files } = memoryMachine({ [cursor]: { mcpServers: { a: { command: 'a' } } } })
    const plan = await planAdoption('cursor', { platform, program })
    await files.replace(`${home}/.cursor/mcp.json`, '{ "mcpServers": {} }')
    const before = visible(texts)
    await expect(applyPlan(plan, { platform })).rejects.toMatchObject({ code: 'config.conflict' })
    expect(visible(texts)).toEqual(before)
  })

  test('of two that adopt a client at once one is refused, and the other can be released', async () => {
    const machine = memoryMachine({ [cursor]: { mcpServers: { a: { command: 'a' } } } })
    const platform = { ...machine.platform, lock: oneAtATime() }
    const before = visible(machine.texts)
    const plans = [
      await planAdoption('cursor', { platform, program }),
      await planAdoption('cursor', { platform, program }),
    ]
    const ended = await Promise.allSettled(plans.map((plan) => applyPlan(plan, { platform })))
    expect(ended).toEqual([
      { status: 'fulfilled', value: undefined },
      { status: 'rejected', reason: expect.objectContaining({ code: 'config.conflict' }) },
    ])
    const back = await release('cursor', platform)
    expect(back.restored).toEqual(['a'])
    expect(visible(machine.texts)).toEqual(before)
  })

  test('FI-73 a write that fails half way is undone', async () => {
    const { platform, texts, files } = memoryMachine({ [cursor]: { mcpServers: { a: { command: 'a' } } } })
    const plan = await planAdoption('cursor', { platform, program })
    const before = visible(texts)
    const stored = new Map<string, string>()
    const failing: Platform = {
      ...platform,
      keychain: memoryKeychain(stored),
      files: {
        ...files,
        replace: async (path, text, options) =>
          path === `${home}/.cursor/mcp.json`
            ? Promise.reject(new Error('full'))
            : files.replace(path, text, options),
      },
    }
    await expect(applyPlan(plan, { platform: failing })).rejects.toThrow('full')
    expect([visible(texts), stored.size]).toEqual([before, 0])
    expect((await adopt('cursor', platform)).moved).toHaveLength(1)
  })
})

describe('adopt: a program that is killed', () => {
  const cursor = '~/.cursor/mcp.json'
  const claude = '~/.claude.json'
  const token = 'ghp_1234567890abcdefghijklmnopqrstuvwxyz12'
  const start = {
    [cursor]: { mcpServers: { a: { command: 'a', env: { GITHUB_TOKEN: token } }, b: { command: 'b' } } },
    [claude]: { mcpServers: { c: { command: 'c' } } },
  }

  /** A machine on which nothing is written or removed after so many times. */
  function mortal(lives: number) {
    const machine = memoryMachine(start)
    const stored = new Map<string, string>()
    const keychain = memoryKeychain(stored)
    let left = lives
    const live = async () => {
      if (--left < 0) throw new Error('killed')
    }
    const { files } = machine
    const dying: Platform = {
      ...machine.platform,
      keychain: {
        ...keychain,
        async store(...what) {
          await live()
          await keychain.store?.(...what)
        },
      },
      files: {
        ...files,
        replace: (path, text, options) => live().then(() => files.replace(path, text, options)),
        remove: (path) => live().then(() => files.remove(path)),
      },
    }
    return {
      ...machine,
      platform: { ...machine.platform, keychain },
      dying,
      stored,
      survived: () => left >= 0,
    }
  }

  test('after each write and each secret, releasing the client leaves nothing of it', async () => {
    const outcomes: string[] = []
    for (let lives = 0; outcomes.at(-1) !== 'adopted'; lives++) {
      const { platform, dying, stored, texts, survived } = mortal(lives)
      const before = visible(texts)
      const plan = await planAdoption('cursor', { platform, program })
      const outcome = await applyPlan(plan, { platform: dying }).then(
        () => 'adopted',
        () => 'killed',
      )
      expect(survived()).toBe(outcome === 'adopted')
      const isRecorded = [...texts.keys()].some((path) => path.endsWith('/adoptions.json'))
      expect(isRecorded).toBe(lives > 0)
      if (isRecorded) await release('cursor', platform)
      expect([visible(texts), stored.size]).toEqual([before, 0])
      outcomes.push(outcome)
    }
    expect(outcomes.length).toBeGreaterThan(5)
  })
})

describe('release: what changed since', () => {
  const cursor = '~/.cursor/mcp.json'
  const start = { [cursor]: { mcpServers: { a: { command: 'a', extra: 1 }, b: { command: 'b' } } } }

  test('an entry changed in our file comes back as it is now, a removed one does not', async () => {
    const { platform, files, read, textOf } = memoryMachine(start)
    await adopt('cursor', platform)
    const ours = ourFile.replace('~', home)
    await files.replace(ours, JSON.stringify({ mcpServers: { a: { command: 'a', args: ['--new'] } } }))
    const plan = await release('cursor', platform)
    expect(plan.left).toEqual([{ name: 'b', reason: 'It was removed from your own file since.' }])
    expect(await read(cursor)).toEqual({
      mcpServers: { a: { type: 'stdio', command: 'a', args: ['--new'] } },
    })
    expect(textOf(`${cursor}.before-plugboard`)).toBe(JSON.stringify(start[cursor]))
  })

  test('an entry of the same name that the client has again is kept', async () => {
    const { platform, files, read } = memoryMachine(start)
    await adopt('cursor', platform)
    const now = { mcpServers: { a: { command: 'newer' }, plugboard: program } }
    await files.replace(`${home}/.cursor/mcp.json`, JSON.stringify(now))
    const plan = await release('cursor', platform)
    expect(plan.left.map(({ name }) => name)).toEqual(['a'])
    expect(await read(cursor)).toEqual({ mcpServers: { a: { command: 'newer' }, b: { command: 'b' } } })
  })

  test('without the copy of the original the entries are written from our file', async () => {
    const { platform, files, read } = memoryMachine(start)
    await adopt('cursor', platform)
    await files.remove(`${home}/.cursor/mcp.json.before-plugboard`)
    await release('cursor', platform)
    expect(await read(cursor)).toMatchObject({ mcpServers: { a: { command: 'a' }, b: { command: 'b' } } })
  })

  test('a view that the person changed stays', async () => {
    const { platform, files, read } = memoryMachine(start)
    await adopt('cursor', platform)
    const mine = { views: { cursor: { servers: ['*'] } } }
    await files.replace(settings.replace('~', home), JSON.stringify(mine))
    await release('cursor', platform)
    expect(await read(settings)).toEqual(mine)
  })

  test('a client that is not adopted, or is adopted already, is a typed error', async () => {
    const { platform } = memoryMachine(start)
    await expect(planRelease('cursor', { platform })).rejects.toMatchObject({ code: 'server.unknown' })
    await adopt('cursor', platform)
    await expect(planAdoption('cursor', { platform, program })).rejects.toMatchObject({
      code: 'config.exists',
    })
    await expect(planAdoption('plugboard', { platform, program })).rejects.toMatchObject({ code: 'usage' })
  })
})

/** Locks of one process, each by its path. */
function oneAtATime(): Platform['lock'] {
  const last = new Map<string, Promise<unknown>>()
  return (path, work) => {
    const next = (last.get(path) ?? Promise.resolve()).then(work, work)
    last.set(path, next)
    return next
  }
}

function memoryKeychain(stored: Map<string, string>): Keychain {
  return {
    read: async () => undefined,
    write: async () => undefined,
    remove: async () => undefined,
    find: async (service, account) => stored.get(`${service}/${account}`),
    store: async (service, account, secret) => {
      if (secret === undefined) stored.delete(`${service}/${account}`)
      else stored.set(`${service}/${account}`, secret)
    },
  }
}
