import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './run.mjs'

// Runs the tests on other Node versions, installed from the npm registry into a separate folder: a `node` package among
// the dependencies would put its binary first on npm's PATH.
for (const major of process.argv.length > 2 ? process.argv.slice(2) : ['22', '24']) {
  const folder = join(root, '.nodes', major)
  mkdirSync(folder, { recursive: true })
  const platform = `node-${process.platform}-${process.arch}`
  mustRun('npm', ['install', '--prefix', folder, '--no-save', '--no-package-lock', `${platform}@${major}`])
  const node = join(folder, 'node_modules', platform, 'bin/node')
  console.log(`\nNode ${spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim()}`)
  mustRun(node, [join(root, 'node_modules/vitest/vitest.mjs'), 'run'])
}

function mustRun(command, args) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
