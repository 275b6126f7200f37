import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './run.mjs'

/**
 * Installs a Node version from the npm registry into a separate folder and returns its binary: a `node` package among the
 * dependencies would put its binary first on npm's PATH.
 */
export function installNode(major) {
  const folder = join(root, '.nodes', major)
  mkdirSync(folder, { recursive: true })
  const platform = `node-${process.platform}-${process.arch}`
  mustRun('npm', ['install', '--prefix', folder, '--no-save', '--no-package-lock', `${platform}@${major}`])
  const node = join(folder, 'node_modules', platform, 'bin/node')
  console.log(`\nNode ${spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim()}`)
  return node
}

/** Runs a program. If it fails, the whole script exits with its code. */
export function mustRun(command, args, options = {}) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options })
  if (status !== 0) process.exit(status ?? 1)
}
