import { readFileSync, readdirSync, statSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const src = fileURLToPath(new URL('../src/', import.meta.url))

/** Which part of the tree may import which: the table of ARCHITECTURE.md as data. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  model: [],
  platform: ['model'],
  sources: ['model', 'platform'],
  presets: ['model'],
  'lock-file': ['model', 'platform', 'sources', 'connections'],
  config: ['model', 'platform', 'sources', 'presets', 'lock-file'],
  wire: ['model', 'platform'],
  login: ['model', 'platform'],
  connections: ['model', 'platform', 'wire', 'login'],
  catalog: ['model', 'platform'],
  policy: ['model'],
  scan: ['model'],
  acceptances: ['model', 'platform', 'scan'],
  generate: ['model'],
  audit: ['model', 'platform'],
  store: ['model', 'platform', 'audit'],
  models: ['model', 'platform', 'config', 'catalog'],
  calls: ['model', 'platform', 'audit', 'policy', 'catalog', 'connections'],
  host: [
    'model',
    'platform',
    'sources',
    'presets',
    'config',
    'wire',
    'login',
    'connections',
    'catalog',
    'policy',
    'scan',
    'lock-file',
    'acceptances',
    'audit',
    'store',
    'calls',
  ],
  'index.ts': [
    'model',
    'platform',
    'sources',
    'presets',
    'config',
    'wire',
    'login',
    'connections',
    'catalog',
    'policy',
    'acceptances',
    'audit',
    'calls',
    'host',
    'lock-file',
  ],
  apps: ['model', 'platform', 'calls'],
  'apps.ts': ['model', 'apps'],
  'apps-page.ts': ['model', 'apps'],
  agent: ['model', 'models', 'adapters', 'index.ts', 'internal.ts', 'store.ts'],
  'agent.ts': ['agent', 'models'],
  'config.ts': ['model', 'platform', 'sources', 'config'],
  'auth.ts': ['login', 'host'],
  'scan.ts': ['model', 'scan'],
  'store.ts': ['model', 'platform', 'audit', 'store', 'host'],
  'models.ts': ['models'],
  'serving.ts': ['catalog', 'wire'],
  'tokens.ts': ['login', 'host'],
  'internal.ts': [
    'model',
    'platform',
    'presets',
    'lock-file',
    'config',
    'catalog',
    'policy',
    'calls',
    'apps',
    'generate',
    'host',
  ],
  'testing.ts': ['model', 'platform', 'wire', 'testing'],
  testing: ['model', 'platform', 'wire', 'adapters'],
  adapters: ['model', 'presets', 'wire', 'calls', 'index.ts', 'config.ts'],
  surfaces: [
    'index.ts',
    'agent.ts',
    'apps.ts',
    'config.ts',
    'auth.ts',
    'scan.ts',
    'store.ts',
    'testing.ts',
    'internal.ts',
    'models.ts',
    'serving.ts',
    'tokens.ts',
    'surfaces/terminal',
    'surfaces/api',
    'surfaces/facts',
  ],
  // Types only: the client runs in browsers.
  client: ['surfaces/api'],
  'client.ts': ['client', 'surfaces/api'],
}

/**
 * The files through which a room is entered from outside, without their ending. `model` is open: it is plain data. The
 * public entries of `adapters` are doors too.
 */
const doors: Readonly<Record<string, readonly string[]>> = {
  acceptances: [
    'acceptance',
    'acceptance-store',
    'acceptance-text',
    'change-acceptance',
    'file-acceptances',
    'hold-skill',
    'hidden-names',
    'judge-offers',
    'judge-resources',
    'offered-list',
    'removed-offers',
    'storable-acceptance',
  ],
  platform: [
    'child-env',
    'give-back',
    'ip-address',
    'login-ports',
    'node/loopback-pair',
    'node/node-platform',
    'node/open-postgres',
    'node/open-sqlite',
    'node/started-as-server',
    'platform',
    'start-tag',
  ],
  sources: [
    'agents/read-agents',
    'clients/editor-inputs',
    'clients/load-source',
    'clients/mcpb/archive',
    'clients/mcpb/unpack-archive',
    'clients/other-files',
    'clients/socket-address',
    'entries/literal-secrets',
    'entries/recognize',
    'entries/secret-names',
    'entries/template',
    'entries/write-endpoint',
    'entries/write-entry',
    'entries/write-rules',
    'formats/doc',
    'formats/parse-text',
    'formats/text-editor',
    'open-files',
    'path-containment',
    'place-builders',
    'places',
    'project-folder',
    'source',
  ],
  audit: [
    'argument-shape',
    'audit-files',
    'audit-row',
    'audit-trail',
    'checkpoint',
    'read-row',
    'verify-audit',
  ],
  presets: ['dispatch-preset', 'load-preset', 'omp-words', 'overlay-preset'],
  config: [
    'adopt/adopt-plan',
    'adopt/adopted-clients',
    'adopt/apply-plan',
    'adopt/plan-adoption',
    'adopt/plan-release',
    'adopt/rehearsal',
    'believed-platform',
    'callers/caller-access',
    'callers/claim-rules',
    'callers/gateway-settings',
    'callers/key-file',
    'callers/published-config',
    'callers/stateful-views',
    'callers/team-setting',
    'callers/token-issuers',
    'discover',
    'discover-options',
    'edit/declarations',
    'edit/dry-run',
    'edit/edit-file',
    'edit/edit-settings',
    'edit/edit-target',
    'edit/offered-servers',
    'edit/rename-key',
    'edit/rewrite-json',
    'edit/server-name',
    'edit/transfer',
    'edit/unusual-start',
    'edit/workbench',
    'endpoints/built-in-endpoints',
    'endpoints/endpoint-settings',
    'explain-server',
    'file-memory',
    'gateway-views',
    'identity/identity-provider-settings',
    'in-code/read-code-entry',
    'list-agents',
    'listing',
    'own-directories',
    'private-file-checks',
    'project-lock',
    'read-tool-settings',
    'redact-text',
    'registry/registry-entry',
    'registry/search-registry',
    'server-in-force',
    'settings',
    'survey',
    'take-memory-file',
    'trust/acceptance-mode',
    'trust/request-trust',
    'trust/shown-server',
    'trust/trust-grants',
    'values/command-values',
    'values/env-file',
    'values/loader-variables',
    'values/needed-variables',
    'values/own-value',
    'values/resolve-trusted',
    'values/secrets-at-hand',
    'values/server-resolver',
    'watch-config',
    'world',
  ],
  wire: [
    'channel',
    'eras/greeting',
    'eras/modern',
    'eras/negotiate',
    'eras/peer',
    'eras/subscription',
    'frames/decode',
    'frames/frames',
    'http/endpoint',
    'http/sse',
    'http/streamable',
    'in-process',
    'inbox',
    'message',
    'pages',
    'pending',
    'rpc',
    'serving/client-requests',
    'serving/incoming-message',
    'serving/modern-client',
    'serving/request-headers',
    'serving/served-errors',
    'stdio',
    'tool-definitions',
    'wire-error',
  ],
  login: [
    'account-in-use',
    'auth-error',
    'caller-login',
    'credential',
    'identity-provider',
    'login-options',
    'login-seal',
    'login-store',
    'logins',
    'named-credential',
    'server-accounts',
    'token-headers',
    'tokens/load-issuer-keys',
    'tokens/token-judge',
  ],
  connections: [
    'connection',
    'connection-errors',
    'connection-options',
    'event-limits',
    'link',
    'open-link',
    'open-remote',
    'own-connections',
    'process/log-file',
    'process/process-stop',
    'process/started-groups',
    'process/sweep-orphans',
    'runner/box-transport',
    'runner/container-life',
    'runner/installed-package',
    'runner/strace/observed-run',
    'runner/strace/propose-box',
    'runner/strace/strace-calls',
    'send-with-retries',
    'server-lists',
    'server-requests',
    'slots',
  ],
  catalog: [
    'address-clashes',
    'catalog',
    'offered-tool',
    'provider-schema',
    'restore-hidden',
    'search',
    'server-cache',
    'signature',
    'tool-filter',
    'tool-names',
  ],
  'lock-file': [
    'installed-program',
    'lock-differences',
    'locked-offers',
    'pinned-argument',
    'print-lock-file',
    'read-lock-file',
  ],
  generate: ['generate-module', 'generate-program'],
  policy: [
    'approvals',
    'ask-writes',
    'call-rules',
    'declared-policy',
    'hidden-servers',
    'layers',
    'predicates',
    'read-only',
    'trifecta',
  ],
  scan: [
    'compare-for-drift',
    'config/config-rule',
    'config/scan-servers',
    'cross/cross-rule',
    'cross/look-alike',
    'cross/scan-together',
    'cross/tool-labels',
    'scan-result',
    'engine/scan-value',
    'ignore-findings',
    'rule-list',
    'rules-version',
    'scan-definition',
    'scan-offers',
    'scan-text',
  ],
  store: [
    'stored-audit',
    'call-journal',
    'conversation',
    'find-conversation',
    'memory-conversations',
    'memory-questions',
    'question',
    'sql-store',
    'store-interface',
    'stored-call',
    'asker',
    'team/team-parts',
  ],
  models: [
    'agent-reference',
    'conversation-model',
    'describe-model',
    'edit-endpoints',
    'endpoints',
    'list-models',
    'model-object',
    'model-price',
    'open-model',
    'tokens',
    'try-model',
  ],
  agent: ['agent-events', 'agent-options', 'create-agent', 'follow-logins', 'question-desk', 'sampling'],
  calls: [
    'audit-call',
    'audit-request',
    'call-line',
    'call-lines',
    'check/patterns',
    'describe-call',
    'held-tool',
    'judge-answer',
    'render/render',
    'render/structured-content',
    'resources/prompt-messages',
    'resources/resource-owners',
    'skills/load-skill-check',
    'skills/skill-requests',
    'spill',
    'trace-call',
    'trace-context',
    'validate',
    'view/create-view',
    'view/meta-tools',
    'view/view',
    'view/view-context',
    'tool-output',
  ],
  host: [
    'own-audit',
    'boxes/observe-server',
    'auth-api',
    'caller-accounts',
    'disk-state',
    'host',
    'host-options',
    'keys/own-keys',
    'own-store',
    'server-entry',
  ],
  testing: [
    'cassette',
    'dispatch-host',
    'fake-clock',
    'fake-platform',
    'faulty-http',
    'faulty-server',
    'hostile-server',
    'memory-channel',
    'memory-files',
    'replay',
    'scripted-server',
    'shifty-server',
    'thief-server',
  ],
  adapters: ['compiled-tools', 'dispatch/kernel-contracts', 'model-calls', 'model-output'],
}

/** Free everywhere; everything else of Node belongs to `platform/node`. */
const freeBuiltins = ['path', 'url', 'crypto', 'buffer', 'util', 'events', 'diagnostics_channel']

/** Files that may name a system in code; everywhere else a preset's values decide. */
const knowsSystems = [
  'presets',
  'adapters',
  'sources/clients',
  // The files of each client, by its name.
  'sources/places.ts',
  // The names of the presets, and of the naming schemes that an embedder can choose.
  'model/preset.ts',
  'testing',
  'testing.ts',
  // Its endpoint answers in the form of Dispatch.
  'surfaces/api/chat-routes.ts',
  'surfaces/server/talk',
  // undici's `DispatchHandler`.
  'platform/node',
]

/** A system's name as a string or a key, and in an identifier such as `isOmp`. */
const systemNames =
  /'(?:omp|boocode|dispatch)'|\b(?:omp|boocode|dispatch)(?=\??:)|\b(?:omp|boocode|dispatch)[A-Z]\w*|\b\w*(?:Omp|Boocode|Dispatch)(?![a-z])\w*/g

const files = walk(src).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
const imports = files.flatMap((file) =>
  importsOf(file).map((target) => ({ from: relative(src, file), ...target })),
)

test('the check covers all folders of src/', () => {
  expect(files.length).toBeGreaterThan(550)
  expect(imports.length).toBeGreaterThan(3000)
  const folders = new Set(files.map((file) => partOf(relative(src, file))))
  expect([...folders].sort()).toEqual(Object.keys(mayImport).sort())
})

test('imports: every import between folders is allowed by the table', () => {
  const wrong = imports.filter(
    ({ from, path, dynamic }) => path !== undefined && !isAllowed(from, path, dynamic),
  )
  expect(wrong.map(({ from, path }) => `${from} → ${path}`)).toEqual([])
})

test('imports: only platform/node imports Node modules that reach the outside world', () => {
  const wrong = imports.filter(
    ({ from, builtin }) =>
      builtin !== undefined &&
      !from.startsWith('platform/node/') &&
      !freeBuiltins.includes(builtin) &&
      !isSurface(from),
  )
  expect(wrong.map(({ from, builtin }) => `${from} → ${builtin}`)).toEqual([])
})

test('imports: surfaces import one another only dynamically, except that the chat is built on the shell', () => {
  const wrong = imports.filter(
    ({ from, path, dynamic }) =>
      isSurface(from) && path !== undefined && isSurface(path) && !dynamic && crossesSurfaces(from, path),
  )
  expect(wrong.map(({ from, path }) => `${from} → ${path}`)).toEqual([])
})

test('imports: each relative import names its file, and there is no barrel', () => {
  const vague = imports.filter(({ specifier }) => specifier.startsWith('.') && !specifier.endsWith('.ts'))
  expect(vague.map(({ from, specifier }) => `${from} → ${specifier}`)).toEqual([])
  const barrels = files.map((file) => relative(src, file)).filter((file) => /(^|\/)index\.ts$/.test(file))
  expect(barrels).toEqual(['index.ts'])
})

test('systems: only presets, adapters and clients name a system', () => {
  const named = files
    .map((file) => ({ path: relative(src, file), code: withoutComments(readFileSync(file, 'utf8')) }))
    .filter(({ path }) => !knowsSystems.some((part) => path === part || path.startsWith(`${part}/`)))
    .flatMap(({ path, code }) => [...code.matchAll(systemNames)].map(([name]) => `${path}: ${name}`))
  expect(named).toEqual([])
})

test('a room is entered through its doors, and each door is used', () => {
  const entered = imports.flatMap(({ from, path }) => {
    if (path === undefined || !path.includes('/') || partOf(from) === partOf(path)) return []
    const room = partOf(path)
    return room in doors ? [{ from, room, door: path.slice(room.length + 1).replace(/\.ts$/, '') }] : []
  })
  const beside = entered.filter(({ room, door }) => !doors[room]?.includes(door))
  expect(beside.map(({ from, room, door }) => `${from} → ${room}/${door}.ts`)).toEqual([])
  const unused = Object.entries(doors).flatMap(([room, names]) =>
    names.filter((name) => !entered.some((each) => each.room === room && each.door === name)),
  )
  expect(unused).toEqual([])
})

test('files: nine in ten have at most 250 lines, none more than 450', () => {
  const lengths = files.map((file) => readFileSync(file, 'utf8').split('\n').length).sort((a, b) => a - b)
  expect(lengths[Math.floor(lengths.length * 0.9)]).toBeLessThanOrEqual(250)
  expect(lengths.at(-1)).toBeLessThanOrEqual(450)
})

test('no folder holds more than 45 files, tests included', () => {
  const counts = new Map<string, number>()
  for (const file of walk(src)) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
  const large = [...counts].filter(([, count]) => count > 45)
  expect(large.map(([folder]) => relative(src, folder))).toEqual([])
})

test('a file’s name occurs once; only a command and a door may share theirs with another room', () => {
  const isDoor = (path: string) => !path.includes('/')
  const paths = files
    .map((file) => relative(src, file))
    .filter((path) => !path.includes('/commands/') && !isDoor(path))
  const names = paths.map((path) => path.split('/').at(-1) ?? '')
  const twins = paths.filter(
    (path) => names.filter((name) => path.endsWith(`/${name}`) || path === name).length > 1,
  )
  expect(twins).toEqual([])
})

/** Files of `test/` outside of `test/support/programs` that start processes, each with its reason. */
const startsItself: Readonly<Record<string, string>> = {
  'public-api.test.ts': 'its stdio decides which modules Node loads',
  'start.test.ts': 'its stdio decides which modules Node loads',
  'guides/serve.1.ts': 'a snippet of a guide',
  'cli/code-cache.test.ts': 'many starts of one line, one after the other',
}

test('tests: processes are started by test/support/programs', () => {
  const tests = fileURLToPath(new URL('.', import.meta.url))
  const starters = readdirSync(tests, { recursive: true, encoding: 'utf8' }).filter(
    (path) =>
      path.endsWith('.ts') &&
      !/node_modules|^fixtures|^support.programs/.test(path) &&
      /^(?:import|\}) .*'node:child_process'$/m.test(readFileSync(join(tests, path), 'utf8')),
  )
  expect(starters.sort()).toEqual(Object.keys(startsItself).sort())
})

interface Import {
  readonly specifier: string
  readonly dynamic: boolean
  readonly path?: string
  readonly builtin?: string
}

function importsOf(file: string): readonly Import[] {
  const text = readFileSync(file, 'utf8')
  const found = text.matchAll(
    /(?:^|\n)(?:import|export)\s[^'";]*?from\s+'([^']+)'|import\('([^']+)'\)|(?:^|\n)import\s+'([^']+)'/g,
  )
  return [...found].map(([, fixed, dynamic, bare]) => {
    const specifier = fixed ?? dynamic ?? bare ?? ''
    const base = { specifier, dynamic: dynamic !== undefined }
    if (specifier.startsWith('.')) return { ...base, path: relative(src, resolve(dirname(file), specifier)) }
    const name = specifier.replace(/^node:/, '').split('/')[0] ?? ''
    return builtinModules.includes(name) ? { ...base, builtin: name } : base
  })
}

function isAllowed(from: string, to: string, dynamic: boolean): boolean {
  const [part, target] = [partOf(from), partOf(to)]
  if (part === target && part !== 'surfaces') return true
  if (part === 'surfaces' && isSurface(to)) return dynamic || !crossesSurfaces(from, to)
  return (mayImport[part] ?? []).some((allowed) => target === allowed || to.startsWith(`${allowed}/`))
}

function crossesSurfaces(from: string, to: string): boolean {
  const [mine, theirs] = [from.split('/')[1], to.split('/')[1]]
  const isBuiltOn = mine === 'chat' && theirs === 'shell'
  const isShared = theirs === 'terminal' || theirs === 'api' || theirs === 'facts'
  return !isSurface(to) || (mine !== theirs && !isShared && !isBuiltOn)
}

function isSurface(path: string): boolean {
  return path.startsWith('surfaces/')
}

/** A `//` inside a string, as in an address, is not one. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[^]*?\*\/|(?<![:'"`])\/\/.*/g, '')
}

/** The stage a file belongs to: its folder, or itself at the top. */
function partOf(path: string): string {
  return path.includes('/') ? (path.split('/')[0] ?? '') : path
}

function walk(folder: string): readonly string[] {
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .flatMap((path) => (statSync(path).isDirectory() ? walk(path) : [path]))
}
