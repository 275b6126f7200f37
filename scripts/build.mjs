import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { rolldown } from 'rolldown'
import { bundleLibrary } from './bundle-library.mjs'
import {
  checkModules,
  editModules,
  hostModules,
  isOneOf,
  isStart,
  lateModules,
  startModules,
} from './chunks.mjs'
import { root, run } from './run.mjs'
import { thirdPartyNotices } from './notices.mjs'

// The library and the CLI, both as bundles whose parts load when they are needed, and the types file by file.
// Types come first, and elsewhere: where they are wrong, the last good build stays.
const types = mkdtempSync(join(tmpdir(), 'plugboard-types-'))
run('tsc', ['-p', 'tsconfig.build.json', '--outDir', types])
rmSync(join(root, 'dist'), { recursive: true, force: true })
cpSync(types, join(root, 'dist'), { recursive: true })
// A temporary folder is its owner's alone; what is built is for everybody.
chmodSync(join(root, 'dist'), 0o755)
rmSync(types, { recursive: true, force: true })
await bundleLibrary(root)
// A program that tests start: plain JavaScript from the beginning, beside the entry that looks for it.
cpSync(join(root, 'src/testing/faulty-server'), join(root, 'dist/faulty-server'), { recursive: true })

checkModules(root, [...startModules, ...hostModules, ...editModules, ...lateModules])
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const bundle = await rolldown({
  input: { plugboard: join(root, 'src/surfaces/cli/main.ts') },
  platform: 'node',
  // A program of the system's own kind, installed beside us where it could be.
  external: ['@napi-rs/keyring'],
  resolve: { mainFields: ['module', 'main'] },
  transform: { define: { __VERSION__: JSON.stringify(version) } },
  onLog(level, log, tell) {
    if (log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT' || !isOneOf(lateModules, log.id)) tell(level, log)
  },
})
// CommonJS, because Node 20 loads it several milliseconds faster than modules; few chunks, because each costs one more.
const { output } = await bundle.write({
  dir: join(root, 'dist/cli'),
  format: 'cjs',
  entryFileNames: '[name].cjs',
  chunkFileNames: 'chunks/[name].cjs',
  minify: { compress: true, mangle: true, codegen: true },
  codeSplitting: {
    groups: [
      // What `list` needs, in one file.
      { name: 'start', test: (id) => /@stricli|smol-toml/.test(id) || isStart(id) },
      { name: 'host', test: (id) => isOneOf(hostModules, id) },
      { name: 'jsonc', test: /node_modules[\\/]jsonc-parser/ },
      { name: 'toml-positions', test: /node_modules[\\/](toml-eslint-parser|eslint-visitor-keys)/ },
      { name: 'yaml', test: /node_modules[\\/]yaml/ },
      { name: 'prompts', test: /node_modules[\\/](@clack|sisteransi|fast-)/ },
      { name: 'edit', test: (id) => isOneOf(editModules, id) },
    ],
  },
})
await bundle.close()

const entry = join(root, 'dist/cli/plugboard.cjs')
const chunks = join(root, 'dist/cli/chunks')
const code = readFileSync(entry, 'utf8')
if (!code.startsWith('#!')) writeFileSync(entry, `#!/usr/bin/env node\n${code}`)
chmodSync(entry, 0o755)
for (const chunk of ['start', 'host']) {
  const file = join(chunks, `${chunk}.cjs`)
  writeFileSync(file, wrapped(toAscii(withRuntime(readFileSync(file, 'utf8')))))
}
compileList()
compileTools()
writeFileSync(join(root, 'dist/cli/THIRD-PARTY.md'), thirdPartyNotices(output))
console.log(`built plugboard ${version}`)

/** What a command runs is compiled ahead. */
function compileList() {
  const home = join(root, 'examples/home')
  const words = ['list', '--source', 'plugboard', '--source', 'codex']
  must([join(root, 'scripts/compile-cache.cjs'), entry, ...words], home, join(home, 'shop'))
}

/** With a server that was seen before: the first run sees it. */
function compileTools() {
  const home = mkdtempSync(join(tmpdir(), 'plugboard-build-'))
  const config = join(home, '.config/plugboard/mcp.json')
  const notes = { command: process.execPath, args: [join(root, 'examples/start/servers/notes.mjs')] }
  mkdirSync(dirname(config), { recursive: true })
  writeFileSync(config, JSON.stringify({ mcpServers: { notes } }))
  try {
    must([entry, 'tools'], home, home)
    must([join(root, 'scripts/compile-cache.cjs'), entry, 'tools'], home, home)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

/** The few lines that every chunk needs, in its own file: looking for another takes a millisecond. */
function withRuntime(text) {
  const runtime = readFileSync(join(chunks, 'rolldown-runtime.cjs'), 'utf8')
  const inlined = `((exports)=>{${runtime};return exports})({})`
  return text.replace('require("./rolldown-runtime.cjs")', () => inlined)
}

/** In strings, templates and patterns, which is where other signs are, an escape means the same; ASCII is read faster. */
function toAscii(text) {
  return text.replaceAll(/[^\0-\x7f]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/**
 * The function that Node makes of a module, made here: whoever compiles the file gets it as its value, and `require` runs
 * it. To put the text together when it is loaded copies all of it.
 */
function wrapped(text) {
  const names = 'exports,require,module,__filename,__dirname'
  return `((run)=>typeof module==='undefined'?run:run(${names}))(function(${names}){${text}\n})`
}

function must(args, home, cwd) {
  const env = { PATH: process.env.PATH, HOME: home, USERPROFILE: home }
  const { status, stderr } = spawnSync(process.execPath, args, { cwd, env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`the built program failed: ${stderr}`)
}
