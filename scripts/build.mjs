import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { rolldown } from 'rolldown'
import { bundleLibrary } from './bundle-library.mjs'
import {
  checkModules,
  connectingModules,
  editModules,
  hostModules,
  isOneOf,
  isStart,
  lateModules,
  modulesByChunk,
  scannerModules,
  serveModules,
  shimModules,
  startModules,
} from './chunks.mjs'
import { modelGroups } from './model-packages.mjs'
import { copyReachedTypes } from './reached-types.mjs'
import { root, run } from './run.mjs'
import { thirdPartyNotices } from './notices.mjs'
import { buildPage } from '../web/build.mjs'

// Builds the library and the CLI as bundles whose chunks load on demand, and the types file by file.
// The types are built first, in a temporary folder: on a type error the last good build stays.
const types = mkdtempSync(join(tmpdir(), 'plugboard-types-'))
run('tsc', ['-p', 'tsconfig.build.json', '--outDir', types])
run('tsc', ['-p', 'web'])
const description = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
rmSync(join(root, 'dist'), { recursive: true, force: true })
copyReachedTypes(description, types, join(root, 'dist'))
rmSync(types, { recursive: true, force: true })
const library = await bundleLibrary(root)
writeFileSync(join(root, 'dist/THIRD-PARTY.md'), thirdPartyNotices(library, 'the library'))
// The half of `plugboard/apps` that runs in a page, in one file: no bundler has to leave out what needs Node.
const appsPage = await rolldown({ input: join(root, 'src/apps-page.ts'), platform: 'browser' })
await appsPage.write({ file: join(root, 'dist/apps-page.js'), format: 'esm' })
await appsPage.close()
// A program that tests start. It is plain JavaScript, and is copied beside the entry that looks for it.
cpSync(join(root, 'src/testing/faulty-server'), join(root, 'dist/faulty-server'), { recursive: true })
cpSync(join(root, 'src/testing/hostile-server'), join(root, 'dist/hostile-server'), { recursive: true })
cpSync(join(root, 'src/testing/thief-server'), join(root, 'dist/thief-server'), { recursive: true })
cpSync(join(root, 'src/testing/shifty-server'), join(root, 'dist/shifty-server'), { recursive: true })

/** `serve` speaks HTTP/1.1 only: Hono's adapter asks of each request whether it is one of HTTP/2, and loading that module takes 4 ms. */
const withoutHttp2 = {
  name: 'without-http2',
  resolveId: (id, importer = '') => (id === 'node:http2' && importer.includes('@hono') ? '\0no-http2' : null),
  load: (id) =>
    id === '\0no-http2' ? 'export class Http2ServerRequest {}\nexport const constants = {}' : null,
}

checkModules(root, [
  ...startModules,
  ...hostModules,
  ...connectingModules,
  ...scannerModules,
  ...serveModules,
  ...shimModules,
  ...editModules,
  ...lateModules,
])
const { version } = description
// As in src/surfaces/cli/code-cache.ts, and without flags that this process may have.
const builtFor = `${process.versions.v8}-${process.platform}-${process.arch}`
const engine = mustRun(
  ['-p', `new vm.Script('0').createCachedData().toString('hex', 0, 24)`],
  root,
  root,
).trim()
const bundle = await rolldown({
  input: {
    plugboard: join(root, 'src/surfaces/cli/main.ts'),
    // For the programs of `plugboard generate --cli`.
    program: join(root, 'src/surfaces/cli/program/run-program.ts'),
  },
  platform: 'node',
  // Native modules, an optional dependency and an optional peer, and a dependency that few people need.
  external: ['@napi-rs/keyring', 'libsql', 'pg'],
  resolve: { mainFields: ['module', 'main'] },
  plugins: [withoutHttp2],
  transform: {
    // Lowers `using`, which Node 20 does not know.
    target: 'node20',
    define: {
      __VERSION__: JSON.stringify(version),
      __BUILT_FOR__: JSON.stringify(builtFor),
      __BUILT_ENGINE__: JSON.stringify(engine),
    },
  },
  onLog(level, log, defaultHandler) {
    if (log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT' || !isOneOf(lateModules, log.id)) defaultHandler(level, log)
  },
})
// CommonJS, because Node 20 loads it several milliseconds faster than ES modules; few chunks, because each costs about 1 ms.
const { output } = await bundle.write({
  dir: join(root, 'dist/cli'),
  format: 'cjs',
  entryFileNames: '[name].cjs',
  chunkFileNames: 'chunks/[name].cjs',
  minify: { compress: true, mangle: true, codegen: true },
  codeSplitting: {
    groups: [
      // Everything `list` needs, in one file.
      { name: 'start', test: (id) => /@stricli|smol-toml/.test(id) || isStart(id) },
      // All that a client of the gateway loads.
      { name: 'shim', test: (id) => isOneOf(shimModules, id) },
      { name: 'host', test: (id) => isOneOf(hostModules, id) },
      { name: 'connecting', test: (id) => isOneOf(connectingModules, id) },
      { name: 'scanner', test: (id) => isOneOf(scannerModules, id) },
      // Apart from `serve`, because commands that ask a person need it too.
      { name: 'agent-environment', test: (id) => isOneOf(['surfaces/cli/agent-environment'], id) },
      { name: 'serve', test: (id) => isOneOf(serveModules, id) },
      { name: 'jsonc', test: /node_modules[\\/]jsonc-parser/ },
      { name: 'toml-positions', test: /node_modules[\\/](toml-eslint-parser|eslint-visitor-keys)/ },
      { name: 'yaml', test: /node_modules[\\/]yaml/ },
      { name: 'prompts', test: /node_modules[\\/](@clack|sisteransi|fast-)/ },
      ...modelGroups,
      // The page's server; loaded by `serve` alone.
      { name: 'hono', test: /node_modules[\\/](?:hono|@hono)[\\/]/ },
      { name: 'edit', test: (id) => isOneOf(editModules, id) },
      // Apart from `store`, because conversations in memory need no query builder.
      {
        name: 'conversations',
        test: (id) => isOneOf(['store/memory-conversations', 'store/find-conversation'], id),
      },
      { name: 'store', test: (id) => isOneOf(['store/sql-store'], id) },
    ],
  },
})
await bundle.close()
// Which modules each chunk holds, for test/chunks.test.ts; not part of the package.
writeFileSync(
  join(root, 'dist/cli/chunk-modules.json'),
  JSON.stringify(modulesByChunk(root, output), null, 2),
)

// The server of --demo is a program of its own, found beside the chunk that starts it.
cpSync(join(root, 'src/surfaces/demo/demo-server.mjs'), join(root, 'dist/cli/chunks/demo-server.mjs'))
const entry = join(root, 'dist/cli/plugboard.cjs')
const chunks = join(root, 'dist/cli/chunks')
const hashes = {}
for (const name of readdirSync(chunks).filter((each) => each.endsWith('.cjs'))) {
  const file = join(chunks, name)
  writeFileSync(file, toAscii(readFileSync(file, 'utf8')))
}
for (const chunk of ['start', 'host', 'connecting', 'scanner', 'shim']) {
  const file = join(chunks, `${chunk}.cjs`)
  const text = wrapModule(inlineRuntime(readFileSync(file, 'utf8')))
  hashes[chunk] = createHash('sha256').update(text).digest('hex')
  writeFileSync(file, text)
}
// `module.require` finds preloaded chunks; `require` would resolve their files first.
const code = readFileSync(entry, 'utf8')
  .replaceAll('require("./chunks/', 'module.require("./chunks/')
  .replace('__CHUNK_HASHES__', JSON.stringify(hashes))
writeFileSync(entry, code.startsWith('#!') ? code : `#!/usr/bin/env node\n${code}`)
chmodSync(entry, 0o755)
compileList()
compileOffers()
mustRun([join(root, 'scripts/compile-whole.cjs'), join(chunks, 'shim.cjs')], root, root)
writeFileSync(join(root, 'dist/cli/THIRD-PARTY.md'), thirdPartyNotices(output, 'the command line'))
await buildPage()
console.log(`built plugboard ${version}`)

/** Writes the V8 code cache for the functions that `list` runs. */
function compileList() {
  // A copy: a home directory inside a repository is not believed, and the builder's own would be read instead.
  const home = mkdtempSync(join(tmpdir(), 'plugboard-build-'))
  cpSync(join(root, 'examples/home'), home, { recursive: true })
  const args = ['list', '--source', 'plugboard', '--source', 'codex']
  try {
    mustRun([join(root, 'scripts/compile-cache.cjs'), entry, ...args], home, join(home, 'shop'))
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

/** The same for `tools` and `call` of a known server: the first run stores its list, the others are compiled. */
function compileOffers() {
  const home = mkdtempSync(join(tmpdir(), 'plugboard-build-'))
  const config = join(home, '.config/plugboard/mcp.json')
  const notes = { command: process.execPath, args: [join(root, 'examples/start/servers/notes.mjs')] }
  const compiler = join(root, 'scripts/compile-cache.cjs')
  mkdirSync(dirname(config), { recursive: true })
  writeFileSync(config, JSON.stringify({ mcpServers: { notes } }))
  try {
    mustRun([entry, 'tools'], home, home)
    mustRun([compiler, entry, 'tools'], home, home)
    mustRun([compiler, entry, 'call', 'notes__search', 'text=milk'], home, home)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

/** Inlines the small runtime that every chunk needs: loading it as a file of its own takes a millisecond. */
function inlineRuntime(text) {
  const runtime = readFileSync(join(chunks, 'rolldown-runtime.cjs'), 'utf8')
  const inlined = `((exports)=>{${runtime};return exports})({})`
  return text.replace('require("./rolldown-runtime.cjs")', () => inlined)
}

/**
 * Escapes all other characters: ASCII is read faster, and V8 keeps a text with one character beyond Latin-1 in twice the
 * memory. They occur only in strings, templates and patterns.
 */
function toAscii(text) {
  return text.replaceAll(
    /[^\0-\x7f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/**
 * Wraps a module in the function that Node would create for it: compiled as a script, the file evaluates to that function;
 * `require` runs it. Wrapping at load time would copy the whole text.
 */
function wrapModule(text) {
  const names = 'exports,require,module,__filename,__dirname'
  return `((run)=>typeof module==='undefined'?run:run(${names}))(function(${names}){${text}\n})`
}

function mustRun(args, home, cwd) {
  const env = { PATH: process.env.PATH, HOME: home, USERPROFILE: home }
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`the built program failed: ${stderr}`)
  return stdout
}
