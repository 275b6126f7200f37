import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { root, run } from './run.mjs'
import { thirdPartyNotices } from './notices.mjs'

// The library file by file, the CLI as bundles whose parts load when they are needed.
rmSync(join(root, 'dist'), { recursive: true, force: true })
run('tsc', ['-p', 'tsconfig.build.json'])

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
    'places',
    'plugboard',
    'read-entry',
    'source',
    'tables',
    'template',
    'to-server',
    'secret-names',
    'format/doc',
    'format/jsonc',
    'format/plain-json',
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
  ...['app', 'commands', 'context', 'draw', 'errors', 'exit-codes', 'flags', 'commands/list'].map(
    (name) => `surfaces/cli/${name}`,
  ),
  ...['escape', 'output', 'style', 'table', 'width'].map((name) => `surfaces/terminal/${name}`),
]

// CommonJS, because Node 20 loads it several milliseconds faster than modules; few chunks, because each costs one more.
const { output } = await bundle.write({
  dir: join(root, 'dist/cli'),
  format: 'cjs',
  entryFileNames: '[name].cjs',
  chunkFileNames: 'chunks/[name]-[hash].cjs',
  minify: { compress: true, mangle: true, codegen: true },
  codeSplitting: {
    groups: [
      // What `list` needs, in one file.
      {
        name: 'start',
        test: (id) => id.includes('@stricli') || startModules.some((part) => id.endsWith(`/src/${part}.ts`)),
      },
      { name: 'jsonc', test: /node_modules[\\/]jsonc-parser/ },
      { name: 'toml', test: /node_modules[\\/]smol-toml/ },
      { name: 'toml-positions', test: /node_modules[\\/](toml-eslint-parser|eslint-visitor-keys)/ },
      { name: 'yaml', test: /node_modules[\\/]yaml/ },
      { name: 'prompts', test: /node_modules[\\/](@clack|sisteransi|fast-)/ },
      {
        name: 'edit',
        test: /\/src\/(edit|transfer|trust|survey|config|config\/(edit-server|write|from-file|grant|dry-run|to-new-server|translate|merge-entry|check-server))\.ts$/,
      },
    ],
  },
})
await bundle.close()

const entry = join(root, 'dist/cli/plugboard.cjs')
const code = readFileSync(entry, 'utf8')
if (!code.startsWith('#!')) writeFileSync(entry, `#!/usr/bin/env node\n${code}`)
chmodSync(entry, 0o755)
writeFileSync(join(root, 'THIRD-PARTY.md'), thirdPartyNotices(output))
console.log(`built plugboard ${version}`)
