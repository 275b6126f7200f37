import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isObject, valueAt } from '../../model/json.ts'
import { nodePlatform } from '../../platform/node/node-platform.ts'
import type { Platform } from '../../platform/platform.ts'
import { loadSource } from '../../sources/clients/load-source.ts'
import type { Format } from '../../sources/formats/doc.ts'
import { openFiles } from '../../sources/open-files.ts'
import { place } from '../../sources/place-builders.ts'
import { placesOf } from '../../sources/places.ts'
import type { SourceId } from '../../sources/places.ts'
import type { OpenFile } from '../../sources/source.ts'
import { memoryFiles } from '../../testing/memory-files.ts'
import { loadSamples } from '../../../test/support/samples.ts'
import type { Sample } from '../../../test/support/samples.ts'
import { discover } from '../discover.ts'
import { createWorld } from '../world.ts'
import { addedKeysFile } from './added-keys.ts'
import { addDeclaration, removeDeclaration } from './declarations.ts'
import { writeChanges } from './dry-run.ts'
import { addServer, removeServer, setEnabled } from './edit-entry.ts'
import { hasSwitch } from './edit-target.ts'
import type { EditTarget } from './edit-target.ts'

const added = { name: 'brand-new', transport: { kind: 'stdio', command: 'npx' } } as const

describe('O16 two opposite edits give back the same bytes', () => {
  test.each(loadSamples().map((sample) => [sample.title, sample] as const))(
    '%s: off and on, on and off, add and remove',
    async (_title, sample) => {
      for (const { target, file } of await filesOf(sample)) {
        const before = sample.files[file.path]
        const now = async () => textIn(target)
        for (const { name, isOn } of await switchesOf(target, file)) {
          await setEnabled(target, name, !isOn)
          expect(await now(), `${file.path} ${name} is switched`).not.toBe(before)
          await setEnabled(target, name, isOn)
          expect(await now(), `${file.path} ${name} is switched back`).toBe(before)
        }
        if (file.doc.errors.length > 0 || !(await canAdd(target))) continue
        await removeServer(target, added.name)
        expect(await now(), `${file.path} after add and remove`).toBe(before)
      }
    },
  )

  /** A name, its entry's keys in some order with the switch among them, and what stands around. */
  const shape = fc.record({
    keys: fc.shuffledSubarray(['command', 'args', 'env', 'timeout'], { minLength: 1 }),
    at: fc.nat(4),
    isOn: fc.boolean(),
    isWritten: fc.boolean(),
    hasNext: fc.boolean(),
    comment: fc.boolean(),
    eol: fc.constantFrom('\n', '\r\n'),
  })
  type Shape = typeof shape extends fc.Arbitrary<infer T> ? T : never

  test.each([
    ['JSON on lines', 'plugboard', 'json', '  ', jsonText],
    ['JSON with tabs', 'cline', 'json', '\t', jsonText],
    ['JSON on one line', 'roo-code', 'json', '', jsonText],
    ['JSONC', 'opencode', 'json', '    ', jsonText],
    ['TOML', 'codex', 'toml', '', tomlText],
    ['YAML', 'goose', 'yaml', '  ', yamlText],
  ] as const)('%s of %s: the switch flips where it stands', async (_title, id, format, indent, write) => {
    await fc.assert(
      fc.asyncProperty(shape, async (drawn) => {
        const text = write(id, indent, drawn)
        const target = await targetFor(id, format, text)
        const isOn = drawn.isOn || !mustBeWritten(id, drawn)
        await setEnabled(target, 'one', !isOn)
        const between = await textIn(target)
        expect(between).not.toBe(text)
        const elsewhere = mustBeWritten(id, drawn) ? withoutSwitches(between) : withoutSwitches(text)
        expect(elsewhere).toBe(withoutSwitches(text))
        await setEnabled(target, 'one', isOn)
        expect(await textIn(target)).toBe(text)
      }),
      { numRuns: 40 },
    )
  })

  /** Goose requires its switch. */
  function mustBeWritten(id: SourceId, { isWritten }: Shape): boolean {
    return isWritten || id === 'goose'
  }

  function membersOf(id: SourceId, drawn: Shape): readonly (readonly [string, unknown])[] {
    const values: Record<string, unknown> = {
      command: id === 'opencode' ? ['npx', 'x'] : 'npx',
      args: ['-y', 'x'],
      env: { MODE: 'fast' },
      timeout: 30,
    }
    const words: Record<string, string> = id === 'goose' ? { command: 'cmd', env: 'envs' } : {}
    const flag = ['cline', 'roo-code'].includes(id) ? 'disabled' : 'enabled'
    const members = drawn.keys.map((key) => [words[key] ?? key, values[key]] as const)
    const at = Math.min(drawn.at, members.length)
    const own = mustBeWritten(id, drawn)
      ? [[flag, flag === 'enabled' ? drawn.isOn : !drawn.isOn] as const]
      : []
    return [...members.slice(0, at), ...own, ...members.slice(at)]
  }

  function jsonText(id: SourceId, indent: string, drawn: Shape): string {
    const one = Object.fromEntries(membersOf(id, drawn))
    const root = id === 'opencode' ? 'mcp' : 'mcpServers'
    const value = { first: 1, [root]: { one, ...(drawn.hasNext && { two: { enabled: true } }) } }
    const text = JSON.stringify(value, undefined, indent)
    const noted = id === 'opencode' && drawn.comment ? text.replace(/,$/gm, ', // a note') : text
    return `${noted}\n`.replaceAll('\n', drawn.eol)
  }

  function tomlText(id: SourceId, _indent: string, drawn: Shape): string {
    const note = drawn.comment ? ' # a note' : ''
    const lines = membersOf(id, drawn).map(
      ([key, value]) => `${key} = ${JSON.stringify(value).replace(/^\{"MODE":/, '{ MODE = ')}${note}`,
    )
    const next = drawn.hasNext ? ['', '[mcp_servers.two]', 'command = "x"'] : []
    return ['model = "m"', '', '[mcp_servers.one]', ...lines, ...next, ''].join(drawn.eol)
  }

  function yamlText(id: SourceId, indent: string, drawn: Shape): string {
    const note = drawn.comment ? ' # a note' : ''
    const lines = membersOf(id, drawn).map(
      ([key, value]) => `${indent}${indent}${key}: ${JSON.stringify(value).replace('":', '": ')}${note}`,
    )
    const next = drawn.hasNext ? [`${indent}two:`, `${indent}${indent}enabled: True # stays`] : []
    return ['extensions:', `${indent}one:`, ...lines, ...next, ''].join(drawn.eol)
  }

  function withoutSwitches(text: string): string {
    return text.replace(/((?:en|dis)abled"?\s*[:=]\s*)(?:true|false)/, '$1')
  }
})

describe('O16 add and remove', () => {
  test.each([
    ['plugboard', 'json', '{', '{\n  // KEEP: "old": {}\n', '// KEEP: "old": {}'],
    ['cursor', 'json', '"mcpServers": {', '"mcpServers": {\n    /* KEEP */\n', '/* KEEP */'],
    ['plugboard', 'json', '"mcpServers": {', '"mcpServers": { // KEEP\n', '// KEEP'],
    ['goose', 'yaml', 'extensions:', 'extensions: # KEEP', '# KEEP'],
    ['goose', 'yaml', 'extensions:\n', 'extensions:\n  # KEEP old:\n', '# KEEP old:'],
  ] as const)('%s %s: what a person wrote into a new map stays (%#)', async (id, format, at, by, kept) => {
    const target = await targetFor(id, format, '')
    await addServer(target, added)
    const { files } = target.platform
    const text = (await textIn(target)) ?? ''
    expect(text).toContain(at)
    await files.replace(target.place.path, text.replace(at, by), {
      mode: 0o600,
      over: await files.readText(target.place.path),
    })
    await removeServer(target, added.name)
    expect(await textIn(target)).toContain(kept)
  })

  const lock: Platform['lock'] = (_path, work) => work()
  const dana = { os: 'linux', home: '/home/dana', cwd: '/p', env: {}, systemRoot: '/', lock } as const

  test.each([
    ['no root key', '{\n  "theme": "dark"\n}\n'],
    ['an empty root key', '{\n  "theme": "dark",\n  "mcpServers": {}\n}\n'],
    ['an empty object', '{}\n'],
    ['an object of comments', '{\n  // nothing yet\n}\n'],
  ])('%s is the same afterwards', async (_what, text) => {
    const target = await targetFor('gemini-cli', 'json', text)
    await addServer(target, added)
    await addServer(target, { ...added, name: 'another' })
    await removeServer(target, added.name)
    await removeServer(target, 'another')
    expect(await textIn(target)).toBe(text)
  })

  test.each([
    ['goose', 'yaml', '# my notes\n# more\n'],
    ['goose', 'yaml', '# my notes'],
    ['goose', 'yaml', '# my notes\r\n\r\n'],
    ['goose', 'yaml', ''],
    ['continue', 'yaml', '# my notes\n# more\n'],
    ['gemini-cli', 'json', '// my notes\n/* more */\n'],
    ['gemini-cli', 'json', '// my notes'],
    ['gemini-cli', 'json', '// my notes\r\n\r\n'],
    ['gemini-cli', 'json', ''],
    ['gemini-cli', 'json', '\n\n'],
    ['gemini-cli', 'json', '  '],
    ['codex', 'toml', 'model = "m"\n\n\n'],
    ['codex', 'toml', 'model = "m"\r\n\r\n'],
    ['codex', 'toml', '[mcp_servers.one]\ncommand = "x"\n\n\n'],
    ['codex', 'toml', '# my notes'],
    ['codex', 'toml', '\n'],
    ['codex', 'toml', ''],
  ] as const)('%s, %s without servers, or with blank lines at the end: %j', async (id, format, text) => {
    const target = await targetFor(id, format, text)
    for (const env of [{}, { A: '1' }]) {
      await addServer(target, { ...added, transport: { ...added.transport, env } })
      await removeServer(target, added.name)
      expect(await textIn(target)).toBe(text)
    }
  })

  test('a new file keeps its root, since an empty text is not JSON', async () => {
    const target = await targetFor('gemini-cli', 'json', '')
    await target.platform.files.remove(target.place.path)
    await addServer(target, added)
    await removeServer(target, added.name)
    expect(await textIn(target)).toBe('{}\n')
  })

  test('a file of comments alone is an empty file for reading as for adding', async () => {
    const files = memoryFiles({ '/p/.gemini/settings.json': '// later\n', '/p/.git/HEAD': '' })
    const platform = nodePlatform({ ...dana, files })
    const options = { platform, sources: ['gemini-cli'] } as const
    const { servers, diagnostics } = await discover(options)
    expect({ servers, diagnostics }).toEqual({ servers: [], diagnostics: [] })
    await addDeclaration(added, { ...options, scope: 'project' })
    expect((await discover(options)).servers.map(({ name }) => name)).toEqual([added.name])
  })

  test('a dry run and its writing record the same as an edit', async () => {
    const text = '{ "theme": "dark" }'
    const files = memoryFiles({ '/home/dana/.gemini/settings.json': text })
    const platform = nodePlatform({ ...dana, files })
    const options = { platform, sources: ['gemini-cli'] } as const
    const { changes } = await addDeclaration(added, { ...options, dryRun: true })
    expect(changes.map(({ file }) => file)).toEqual(['/home/dana/.gemini/settings.json'])
    expect([...files.texts.keys()]).toEqual(['/home/dana/.gemini/settings.json'])
    await writeChanges(changes, options)
    await removeDeclaration(added.name, options)
    expect(files.texts.get('/home/dana/.gemini/settings.json')).toBe(text)
  })

  test.each([
    ['codex', 'toml', 'mcp_servers.one.command = "x"'],
    ['codex', 'toml', '[mcp_servers.one]\r\ncommand = "x"'],
    ['codex', 'toml', '[mcp_servers.one]\ncommand = "x"\n\n[mcp_servers.one.env]\nA = "1"'],
    ['codex', 'toml', '[mcp_servers]\none = { command = "x" } # c'],
    ['goose', 'yaml', 'extensions:\n  one:\n    type: stdio\n    cmd: x\n    args: []\n    enabled: true'],
    ['cline', 'json', '{"mcpServers":{"one":{"command":"x"}}}'],
    ['opencode', 'json', '{"mcp":{"one":{"command":["x"],}}}'],
    ['opencode', 'json', '{ "mcp": { "one": { "command": ["x"], }, }, }'],
    ['opencode', 'json', '{\n  "mcp": { "one": {\n    "command": ["x"],}}}'],
    [
      'cline',
      'json',
      '{\n  "mcpServers": {\n    "one": {\n      "command": "x",\n      "args": [\n        "y"\n      ]}}}',
    ],
    [
      'cline',
      'json',
      '{\n  "mcpServers": {\n    "one": {\n      "command": "x"\n    , "args": []\n    }\n  }\n}',
    ],
  ] as const)('%s, %s, an unusual end or layout: %j', async (id, format, text) => {
    const target = await targetFor(id, format, text)
    await setEnabled(target, 'one', false)
    await setEnabled(target, 'one', true)
    expect(await textIn(target)).toBe(text)
    await addServer(target, added)
    await removeServer(target, added.name)
    expect(await textIn(target)).toBe(text)
  })

  test.each(['True', 'FALSE', 'true'])('a YAML switch keeps its spelling: %s', async (word) => {
    const text = `extensions:\n  one: { type: stdio, cmd: x, args: [], enabled: ${word} }\n`
    const target = await targetFor('goose', 'yaml', text)
    const isOn = /true/i.test(word)
    await setEnabled(target, 'one', !isOn)
    await setEnabled(target, 'one', isOn)
    expect(await textIn(target)).toBe(text)
  })

  test('nested root keys that were not there are removed, the others stay', async () => {
    const text = '{ "numStartups": 3, "projects": { "/x": {} } }'
    const target = await targetFor('opencode', 'json', text)
    await addServer(target, added)
    await removeServer(target, added.name)
    expect(await textIn(target)).toBe(text)
  })

  test('a damaged or unwritable record does not stop an edit', async () => {
    const text = '{ "theme": "dark" }'
    const target = await targetFor('gemini-cli', 'json', text)
    const record = addedKeysFile(target.platform)
    await target.platform.files.replace(record, '{"files": [')
    await addServer(target, added)
    await removeServer(target, added.name)
    expect(await textIn(target)).toBe(text)
    const { files } = target.platform
    const refusing = {
      ...files,
      replace: async (path: string, ...rest: never) =>
        path === record ? Promise.reject(new Error('no')) : files.replace(path, ...(rest as [string])),
    }
    const stubborn = { ...target, platform: { ...target.platform, files: refusing } }
    await addServer(stubborn, added)
    await removeServer(stubborn, added.name)
    expect(await textIn(target)).toBe('{ "theme": "dark", "mcpServers": {} }')
  })
})

async function filesOf(sample: Sample): Promise<readonly { target: EditTarget; file: OpenFile }[]> {
  const platform = platformFor(sample.files, sample)
  const world = await createWorld(platform, sample.config === undefined ? {} : { config: sample.config })
  const source = await loadSource(sample.client as SourceId)
  const { files } = await openFiles(placesOf(source.id, world), platform.files)
  return files
    .filter(
      ({ role, format, path }) =>
        !/plugin|extension/.test(role) && format !== 'markdown' && path in sample.files,
    )
    .map((file) => ({ target: { platform, world, source, place: file }, file }))
}

async function switchesOf(target: EditTarget, file: OpenFile) {
  const writing = target.source.writing?.(file, target.world)
  if (!writing || file.doc.errors.length > 0 || !(await hasSwitch(target))) return []
  return writing.entries.flatMap(({ name, path }) => {
    const entry = valueAt(file.doc.value, path)
    if (!isObject(entry) || (entry['enabled'] !== undefined && entry['disabled'] !== undefined)) return []
    const flag = entry['enabled'] ?? (typeof entry['disabled'] === 'boolean' ? !entry['disabled'] : true)
    return typeof flag === 'boolean' ? [{ name, isOn: flag }] : []
  })
}

async function canAdd(target: EditTarget): Promise<boolean> {
  return addServer(target, added).then(
    () => true,
    () => false,
  )
}

async function targetFor(id: SourceId, format: Format, text: string) {
  const path = `/p/config.${format}`
  const platform = platformFor({ [path]: text }, { homeDir: '/home/dana', projectDir: '/p', env: {} })
  const at = { ...place(path, { scope: 'user', authority: 'user', root: '/p' }), format, role: 'servers' }
  return { platform, world: await createWorld(platform), source: await loadSource(id), place: at }
}

async function textIn({ platform, place: at }: Pick<EditTarget, 'platform' | 'place'>): Promise<string> {
  const found = await platform.files.readText(at.path)
  return found.kind === 'text' ? found.text : ''
}

function platformFor(
  texts: Readonly<Record<string, string>>,
  { homeDir, projectDir, env, platform: os }: Partial<Sample>,
) {
  const world = {
    os: os ?? 'linux',
    home: homeDir ?? '/',
    cwd: projectDir ?? '/',
    env: env ?? {},
    systemRoot: '/',
  }
  return nodePlatform({ ...world, files: memoryFiles(texts), lock: (_path, work) => work() })
}
