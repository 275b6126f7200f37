import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

export const peers = ['sdk1', 'sdk2', 'ai-sdk', 'mcporter', 'mastra', 'langchain']
const major = '24'

/**
 * The path of a newer Node, if the peers are installed. They need it: under an older Node npm silently installs old versions
 * of them. All subjects then run under that Node.
 */
export function installPeers({ root, mayInstall }) {
  const platform = `node-${process.platform}-${process.arch}`
  const folder = join(root, '.nodes', major)
  const node = join(folder, 'node_modules', platform, 'bin/node')
  const isInstalled = existsSync(node) && existsSync(join(root, 'bench/node_modules'))
  if (!mayInstall) return isInstalled ? node : undefined
  mkdirSync(folder, { recursive: true })
  const quiet = ['--no-package-lock', '--no-audit', '--no-fund', '--ignore-scripts']
  if (!existsSync(node)) {
    mustRun('npm', ['install', '--prefix', folder, '--no-save', ...quiet, `${platform}@${major}`], root)
  }
  mustRun(node, [npmFile(), 'install', ...quiet], join(root, 'bench'))
  return node
}

export function peerVersions(root) {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'bench/package.json'), 'utf8'))
  return Object.entries(dependencies)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ')
}

/** This Node's npm, to be run by the other Node. */
function npmFile() {
  const { stdout } = spawnSync('npm', ['root', '--global'], { encoding: 'utf8' })
  const own = process.env.npm_execpath ?? join(stdout.trim(), 'npm/bin/npm-cli.js')
  return realpathSync(own)
}

function mustRun(command, args, cwd) {
  const env = { ...process.env, PATH: `${dirname(command)}:${process.env.PATH}` }
  const { status } = spawnSync(command, args, { cwd, env, stdio: ['ignore', 'inherit', 'inherit'] })
  if (status !== 0) process.exit(status ?? 1)
}
