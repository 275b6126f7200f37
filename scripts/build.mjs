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
const { output } = await bundle.write({
  dir: join(root, 'dist/cli'),
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
  minify: { compress: true, mangle: true, codegen: true },
})
await bundle.close()

const entry = join(root, 'dist/cli/plugboard.js')
const code = readFileSync(entry, 'utf8')
if (!code.startsWith('#!')) writeFileSync(entry, `#!/usr/bin/env node\n${code}`)
chmodSync(entry, 0o755)
writeFileSync(join(root, 'THIRD-PARTY.md'), thirdPartyNotices(output))
console.log(`built plugboard ${version}`)
