import { describe, expect, test } from 'vitest'
import { discover } from '../discover.ts'
import type { HostError } from '../../model/error.ts'
import type { Auth, Server } from '../../model/server.ts'
import { nodePlatform } from '../../platform/node/node-platform.ts'
import type { FileText } from '../../platform/platform.ts'
import { loadSource } from '../../sources/clients/load-source.ts'
import { parseText } from '../../sources/formats/parse-text.ts'
import { placesOf, sourceIds } from '../../sources/places.ts'
import type { SourceId } from '../../sources/places.ts'
import type { EntryRules } from '../../sources/entries/entry-rules.ts'
import type { FilePlace } from '../../sources/source.ts'
import type { NewServer } from '../../sources/entries/write-rules.ts'
import { memoryFiles } from '../../testing/memory-files.ts'
import { addServer, removeServer, setEnabled, updateServer } from './edit-entry.ts'
import type { EditTarget } from './edit-target.ts'
import { createWorld } from '../world.ts'

const home = '/home/dana'
const project = '/home/dana/shop'

const local: NewServer = {
  name: 'new-one',
  transport: { kind: 'stdio', command: 'npx', args: ['-y', 'pkg@1.0.0'], env: { MODE: 'fast' } },
}
const remote: NewServer = {
  name: 'new-two',
  transport: { kind: 'http', url: 'https://example.com/mcp', headers: { 'X-Region': 'eu' } },
}
/** All fields of a description except the endpoint. */
const everything = {
  enabled: false,
  timeouts: { callMs: 90_000, startupMs: 20_000, idleMs: 120_000 },
  tools: { allow: ['search', 'read'], deny: ['delete'], autoApprove: ['search'] },
  title: 'Docs',
  description: 'Our documents',
} as const
const fullLocal: NewServer = {
  ...local,
  ...everything,
  transport: { ...local.transport, kind: 'stdio', command: 'npx', cwd: '/srv', envFile: '/srv/.env' },
}
const fullRemote: NewServer = {
  ...remote,
  ...everything,
  auth: { type: 'oauth', clientId: 'c', clientSecret: '${SECRET}', scopes: ['read'] },
}

/** Bundles, registry files and web settings: read only. */
const readOnly: readonly SourceId[] = [
  'copilot-coding-agent',
  'registry-server-json',
  'mcpb',
  'agent-plugins',
]
const localOnly: readonly SourceId[] = ['claude-desktop']
const written = sourceIds.filter((id) => !readOnly.includes(id))

interface Case {
  readonly id: SourceId
  /** A further file of the client, with another layout than its first one. */
  readonly at?: { readonly path: string; readonly text: string }
}

const otherShapes: readonly Case[] = [
  { id: 'opencode', at: { path: `${project}/opencode.json`, text: '{ "mcp": { "servers": {} } }' } },
  { id: 'kilo-code', at: { path: `${project}/.kilocode/mcp.json`, text: '{}' } },
  { id: 'continue', at: { path: `${project}/.continue/mcpServers/team.yaml`, text: '' } },
  { id: 'continue', at: { path: `${home}/.continue/mcpServers/own.json`, text: '{ "mcpServers": {} }' } },
  { id: 'claude-code', at: { path: `${home}/.claude.json`, text: '{ "numStartups": 3 }' } },
  { id: 'cline', at: { path: `${home}/.cline/data/settings/cline_mcp_settings.json`, text: '{}' } },
  { id: 'vscode', at: { path: `${project}/.mcp.json`, text: '{}' } },
  { id: 'visual-studio', at: { path: `${project}/.cursor/mcp.json`, text: '{}' } },
  { id: 'oh-my-pi', at: { path: `${project}/.vscode/mcp.json`, text: '{}' } },
  { id: 'copilot-cli', at: { path: `${project}/.mcp.json`, text: '{ "old": { "command": "x" } }' } },
  { id: 'kiro', at: { path: `${project}/.kiro/agents/review.json`, text: '{ "name": "review" }' } },
  { id: 'warp', at: { path: `${project}/.mcp.json`, text: '{}' } },
]
const cases: readonly Case[] = [...written.map((id) => ({ id })), ...otherShapes]
const titled = (list: readonly Case[]) =>
  list.map((each) => [each.at ? `${each.id} (${each.at.path})` : each.id, each] as const)
const both = cases.filter(({ id }) => !localOnly.includes(id))

describe('O16 round trip: a written server is read back unchanged', () => {
  test.each(titled(both))('%s: after add, update and remove', async (_title, each) => {
    const target = await targetOf(each)
    const before = (await read(each, target)).length
    const added = [await addServer(target, local), await addServer(target, remote)]
    expect(added.map(({ changed, lost }) => ({ changed, lost }))).toEqual([
      { changed: true, lost: [] },
      { changed: true, lost: [] },
    ])
    expect(endpoints(await read(each, target)).slice(before)).toMatchObject([
      ['new-one', local.transport],
      ['new-two', remote.transport],
    ])

    const other = { kind: 'stdio', command: 'uvx', args: ['b'], env: { A: '1' } } as const
    await updateServer(target, { name: 'new-one', transport: other })
    await removeServer(target, 'new-two')
    expect(endpoints(await read(each, target)).slice(before)).toMatchObject([['new-one', other]])

    await updateServer(target, { ...remote, name: 'new-one' })
    expect(endpoints(await read(each, target)).slice(before)).toMatchObject([['new-one', remote.transport]])
  })

  test.each(titled(cases))(
    '%s: names with "/", "." and spaces are kept or adapted, and removed without a trace',
    async (_title, each) => {
      const target = await targetOf(each)
      await addServer(target, local)
      const before = await textOf(target)
      for (const name of ['microsoft/playwright-mcp', 'github.com/up/c7.mcp', 'My Server', "it's: #1"]) {
        const { renamed = name } = await addServer(target, { ...local, name }, 'adapt')
        expect((await read(each, target)).map((server) => server.name)).toContain(renamed)
        await removeServer(target, renamed)
        expect(await textOf(target)).toEqual(before)
      }
    },
  )

  test.each(titled(cases))(
    '%s: a local server, except for the fields reported as lost',
    async (_title, each) => {
      const target = await targetOf(each)
      const { lost } = await addServer(target, fullLocal)
      const server = (await read(each, target)).find(({ name }) => name === 'new-one')
      expect(differences(fullLocal, server)).toEqual(lost.map(({ field }) => field).sort())
    },
  )

  test.each(titled(both))(
    '%s: a remote server, except for the fields reported as lost',
    async (_title, each) => {
      const target = await targetOf(each)
      const { lost } = await addServer(target, fullRemote)
      const server = (await read(each, target)).find(({ name }) => name === 'new-two')
      expect(differences(fullRemote, server)).toEqual(lost.map(({ field }) => field).sort())
    },
  )

  test.each(titled(both))('%s: a changed address drops the login', async (_title, each) => {
    const target = await targetOf(each)
    await addServer(target, fullRemote)
    const moved = { kind: 'http', url: 'https://elsewhere.example/mcp' } as const
    await updateServer(target, { name: 'new-two', transport: moved })
    const server = (await read(each, target)).find(({ name }) => name === 'new-two')
    expect(server?.transport).toMatchObject({ ...moved, headers: {} })
    expect(server?.transport.auth).toBeUndefined()
    await updateServer(target, { name: 'new-two', transport: { kind: 'stdio', command: 'x' } })
    expect((await read(each, target)).find(({ name }) => name === 'new-two')?.transport.kind).toBe('stdio')
  })

  test('an SSE server is written as SSE, as HTTP with fallback, or refused, by client', async () => {
    const outcomes = await Promise.all(written.map(async (id) => [id, await outcomeOfSse({ id })] as const))
    const having = (outcome: string) => outcomes.filter(([, each]) => each === outcome).map(([id]) => id)
    expect(having('refused')).toEqual(['boocode', 'dispatch', 'claude-desktop', 'codex', 'zed', 'goose'])
    const falling = [
      'windsurf',
      'opencode',
      'kilo-code',
      'amp',
      'lm-studio',
      'kiro',
      'junie',
      'warp',
      'mcporter',
    ]
    expect(having('http, falling back to sse')).toEqual(falling)
    expect(having('sse').length).toBe(written.length - 6 - falling.length)
  })

  test.each(titled(cases))(
    '%s: off and on again restores the text, or is refused without an on/off key',
    async (_title, each) => {
      const target = await targetOf(each)
      await addServer(target, local)
      const before = await textOf(target)
      const off = await setEnabled(target, 'new-one', false).then(
        () => 'written',
        (error: HostError) => error.code,
      )
      const whileOff = await enabled(each, target)
      const hasSwitch = await rulesOf(target).then(({ flag }) => flag !== undefined)
      expect([off, whileOff]).toEqual(hasSwitch ? ['written', false] : ['config.unwritable', true])
      if (hasSwitch) await setEnabled(target, 'new-one', true)
      expect(await enabled(each, target)).toBe(true)
      expect(await textOf(target), 'T02 the text is the trusted one').toEqual(before)
    },
  )

  test.each(localOnly)('%s refuses a remote server', async (id) => {
    const target = await targetOf({ id })
    await expect(addServer(target, remote)).rejects.toMatchObject({
      code: 'config.invalid',
      message: 'Invalid server config: this file cannot hold a server over http.',
    })
  })

  test.each(readOnly)('%s is read-only', async (id) => {
    expect((await loadSource(id)).writing).toBeUndefined()
  })
})

function textOf({ platform, place }: EditTarget): Promise<FileText> {
  return platform.files.readText(place.path)
}

async function outcomeOfSse(each: Case): Promise<string> {
  const target = await targetOf(each)
  const sse = { name: 'stream', transport: { kind: 'sse', url: 'https://example.com/sse' } } as const
  const added = await addServer(target, sse).catch((error: HostError) => error.message)
  if (typeof added === 'string') return added.endsWith('cannot hold a server over sse.') ? 'refused' : added
  const found = (await read(each, target, ['inferred-transport', 'unsupported-in-client']))[0]?.transport
  const fallback = found && 'fallback' in found ? `, falling back to ${found.fallback}` : ''
  return `${found?.kind}${fallback}${added.lost.length > 0 === (fallback === '') ? ', not as said' : ''}`
}

async function targetOf({
  id,
  at,
}: Case): Promise<EditTarget & { readonly platform: ReturnType<typeof createPlatform> }> {
  const platform = createPlatform(at ? { [at.path]: at.text } : {})
  const world = await createWorld(platform)
  const roles = ['servers', 'native', 'main']
  const places = placesOf(id, world)
  const place = at
    ? places.find((candidate) => isPlaceOf(candidate, at.path))
    : places.find(({ role, path }) => roles.includes(role) && !path.includes('*'))
  if (!place) throw new Error(`${id} has no such file for servers`)
  return { platform, world, source: await loadSource(id), place: at ? { ...place, path: at.path } : place }
}

function isPlaceOf({ path }: FilePlace, file: string): boolean {
  const [before = '', after] = path.split('*')
  return after === undefined ? path === file : file.startsWith(before) && file.endsWith(after)
}

function createPlatform(texts: Readonly<Record<string, string>>) {
  const files = memoryFiles({ [`${project}/.git/HEAD`]: '', ...texts })
  const env = { SECRET: 'x' }
  const world = { os: 'linux', home, cwd: project, env, systemRoot: '/' } as const
  return nodePlatform({ ...world, files, lock: (_path, work) => work() })
}

/** Diagnostics that a client may report for an entry it did not write itself. */
const complaints = [
  'unknown-key',
  'missing-key',
  'missing-type',
  'url-missing-type',
  'inferred-transport',
  'deprecated-key',
  'wrong-type',
  'out-of-range',
  'key-dropped-by-owner',
  'unsupported-in-client',
]

async function read(
  { id }: Case,
  { platform }: EditTarget,
  allowed: readonly string[] = [],
): Promise<readonly Server[]> {
  const { servers, diagnostics } = await discover({ platform, sources: [id] })
  const wrong = diagnostics.filter(
    ({ code, severity, server }) =>
      server !== 'old' && (severity === 'error' || (complaints.includes(code) && !allowed.includes(code))),
  )
  expect(wrong.map(({ code, message }) => `${code}: ${message}`)).toEqual([])
  return servers
}

function endpoints(servers: readonly Server[]) {
  return servers.map(({ name, transport }) => [name, transport])
}

async function rulesOf({ source, place, world }: EditTarget): Promise<EntryRules> {
  const doc = await parseText(place.format === 'json' ? '{}' : '', place.format)
  const writing = source.writing?.({ ...place, doc }, world)
  if (!writing) throw new Error(`${source.id} does not write`)
  return writing.rules
}

async function enabled({ id }: Case, { platform }: EditTarget) {
  const { servers } = await discover({ platform, sources: [id] })
  return servers.find(({ name }) => name === 'new-one')?.enabled
}

/** The fields in which a server differs from its description, named as in `lost`. */
function differences(described: NewServer, server: Server | undefined): readonly string[] {
  if (!server) return ['server']
  const { transport, timeouts = {}, tools = {}, auth } = described
  const pairs: readonly (readonly [string, unknown, unknown])[] = [
    ...Object.entries(transport).map(
      ([key, value]) => [key, value, (server.transport as unknown as Record<string, unknown>)[key]] as const, // any field of it
    ),
    ['enabled', described.enabled, server.enabled],
    ['timeout', timeouts.callMs, server.timeouts.callMs],
    ['startupTimeout', timeouts.startupMs, server.timeouts.startupMs],
    ['idleStopMs', timeouts.idleMs, server.timeouts.idleMs],
    ['allowedTools', tools.allow, server.tools.allow],
    ['deniedTools', tools.deny, server.tools.deny],
    ['autoApprove', tools.autoApprove, server.tools.autoApprove],
    ['title', described.title, server.title],
    ['description', described.description, server.description],
    ...loginPairs(auth, server.transport.auth),
  ]
  const differ = pairs.filter(([, wanted, found]) => JSON.stringify(wanted) !== JSON.stringify(found))
  return differ.map(([field]) => field).sort()
}

function loginPairs(wanted: Auth | undefined, found: Auth | undefined) {
  if (!wanted || !found) return [['auth', wanted, found] as const]
  return Object.keys(wanted).map((key) => [`auth.${key}`, wanted[key], found[key]] as const)
}
