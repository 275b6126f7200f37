import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { bundleLibrary } from './bundle-library.mjs'
import { root, run } from './run.mjs'
import { thirdPartyNotices } from './notices.mjs'

// The library and the CLI, both as bundles whose parts load when they are needed, and the types file by file.
rmSync(join(root, 'dist'), { recursive: true, force: true })
run('tsc', ['-p', 'tsconfig.build.json'])
await bundleLibrary(root)
// A program that tests start: plain JavaScript from the beginning, beside the entry that looks for it.
cpSync(join(root, 'src/testing/faulty-server'), join(root, 'dist/faulty-server'), { recursive: true })

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const bundle = await rolldown({
  input: { plugboard: join(root, 'src/surfaces/cli/main.ts') },
  platform: 'node',
  resolve: { mainFields: ['module', 'main'] },
  transform: { define: { __VERSION__: JSON.stringify(version) } },
})
// The modules on the path of `plugboard list`.
const startModules = [
  ...['json', 'canonical', 'diagnostic', 'error', 'glob', 'near', 'preset', 'secret', 'server'].map(
    (name) => `model/${name}`,
  ),
  ...['platform', 'node/platform', 'node/files', 'node/file-error'].map((name) => `platform/${name}`),
  ...[
    'combine',
    'dialect',
    'entry',
    'load',
    'open',
    'owner-places',
    'place',
    'places',
    'pinned',
    'plugboard',
    'check-literals',
    'read-endpoint',
    'read-entry',
    'read-process',
    'read-remote',
    'read-timeout',
    'read-tools',
    'source',
    'tables',
    'template',
    'to-server',
    'write-oauth',
    'writing',
    'secret-names',
    'codex',
    'codex-layers',
    'codex-writing',
    'other-transport',
    'overrides',
    'format/doc',
    'format/toml',
    'format/toml-places',
    'format/toml-plain',
    'format/plain-json',
    'format/plain-places',
  ].map((name) => `sources/${name}`),
  ...[
    'check-env-file',
    'check-values',
    'listing',
    'mask',
    'merge',
    'others',
    'preview',
    'resolve-values',
    'settings',
    'state',
    'switch-off',
    'trust',
    'value-sites',
    'why',
    'world',
  ].map((name) => `config/${name}`),
  ...['default', 'load'].map((name) => `presets/${name}`),
  'index',
  'discover',
  ...[
    'app',
    'commands',
    'connecting-commands',
    'context',
    'draw',
    'duration',
    'errors',
    'exit-codes',
    'large-input',
    'flags',
    'help',
    'lazily',
    'scope',
    'signals',
    'commands/list',
  ].map((name) => `surfaces/cli/${name}`),
  ...['argv', 'escape', 'output', 'path', 'style', 'table', 'width'].map(
    (name) => `surfaces/terminal/${name}`,
  ),
]

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
      {
        name: 'start',
        test: (id) =>
          /@stricli|smol-toml/.test(id) || startModules.some((part) => id.endsWith(`/src/${part}.ts`)),
      },
      { name: 'jsonc', test: /node_modules[\\/]jsonc-parser/ },
      { name: 'toml-positions', test: /node_modules[\\/](toml-eslint-parser|eslint-visitor-keys)/ },
      { name: 'yaml', test: /node_modules[\\/]yaml/ },
      { name: 'prompts', test: /node_modules[\\/](@clack|sisteransi|fast-)/ },
      {
        name: 'edit',
        test: /\/src\/(edit|offers|transfer|trust|survey|config|config\/(edit-\w+|write|from-file|bundle|grant|dry-run|to-new-server|translate[\w-]*|values-in|merge-entry|check-server))\.ts$/,
      },
    ],
  },
})
await bundle.close()

const entry = join(root, 'dist/cli/plugboard.cjs')
const code = readFileSync(entry, 'utf8')
if (!code.startsWith('#!')) writeFileSync(entry, `#!/usr/bin/env node\n${code}`)
chmodSync(entry, 0o755)
const home = join(root, 'examples/home')
const warmUp = spawnSync(
  process.execPath,
  [join(root, 'scripts/compile-cache.cjs'), entry, 'list', '--source', 'plugboard', '--source', 'codex'],
  {
    cwd: join(home, 'shop'),
    env: { PATH: process.env.PATH, HOME: home, USERPROFILE: home },
    encoding: 'utf8',
  },
)
if (warmUp.status !== 0) throw new Error(`the built program failed: ${warmUp.stderr}`)
writeFileSync(join(root, 'dist/cli/THIRD-PARTY.md'), thirdPartyNotices(output))
console.log(`built plugboard ${version}`)
