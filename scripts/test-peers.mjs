import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installNode, mustRun } from './node-versions.mjs'
import { root } from './run.mjs'

// Installs the packed package beside each set of libraries that it has adapters for (test/peers/sets.json), each set into
// a project outside node_modules. In there it compiles and runs the adapters' tests and a program of an embedder, on
// Node 22, which the newest libraries need. What a project lacks is found in node_modules above it.

const sets = JSON.parse(readFileSync(join(root, 'test/peers/sets.json'), 'utf8'))
const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const folder = join(root, '.peers')
const tests = [
  'ai-sdk',
  'anthropic',
  'call-target',
  'google',
  'langchain',
  'mission',
  'openai',
  'run-input',
  'serial-calls',
]
const compiler = join(root, 'node_modules/typescript/bin/tsc')
const runner = join(root, 'node_modules/vitest/vitest.mjs')

const node = installNode('22')
if (!existsSync(join(root, 'dist/index.js'))) mustRun(process.execPath, [join(root, 'scripts/build.mjs')])
mkdirSync(folder, { recursive: true })
const tarball = join(folder, pack())
checkAlone()
for (const name of process.argv.length > 2 ? process.argv.slice(2) : Object.keys(sets))
  testSet(name, sets[name])

function pack() {
  const { stdout, status } = spawnSync('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: root,
    encoding: 'utf8',
  })
  if (status !== 0) process.exit(status ?? 1)
  return JSON.parse(stdout)[0].filename
}

/** The package alone must install none of the libraries: each is an optional peer. */
function checkAlone() {
  const project = newProject('alone')
  if (!install(project, [tarball])) return
  const found = Object.keys(peerDependencies).filter((name) =>
    existsSync(join(project, 'node_modules', name)),
  )
  if (found.length === 0) return
  console.error(`npm install plugboard also installed: ${found.join(', ')}`)
  process.exit(1)
}

function testSet(name, versions) {
  const project = newProject(name)
  // Our own dependencies too: the copied sources must not find another version that a library brings.
  const packages = { ...dependencies, ...versions }
  if (!install(project, [tarball, ...Object.entries(packages).map((entry) => entry.join('@'))])) return
  for (const each of Object.keys(versions)) {
    const { version } = JSON.parse(readFileSync(join(project, 'node_modules', each, 'package.json'), 'utf8'))
    console.log(`  ${each} ${version}`)
  }
  // Our sources are written for these types, not for those that a library brings.
  rmSync(join(project, 'node_modules/@types/node'), { recursive: true, force: true })
  copySources(project, name)
  mustRun(process.execPath, [compiler, '-p', project])
  mustRun(node, [join(project, 'consumer.ts')], { cwd: project })
  mustRun(node, [runner, 'run', '--root', project, '--maxWorkers=1'], { cwd: project })
}

function newProject(name) {
  console.log(`\n${name}`)
  const project = join(folder, name)
  rmSync(project, { recursive: true, force: true })
  mkdirSync(project, { recursive: true })
  writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  return project
}

/** Whether the packages could be installed. Without a registry the set is skipped; a conflict of versions is a failure. */
function install(project, packages) {
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--no-package-lock']
  const { status, stderr } = spawnSync('npm', ['install', ...flags, ...packages], {
    cwd: project,
    encoding: 'utf8',
  })
  if (status === 0) return true
  const reason = /\b(?:ENOTFOUND|ECONNREFUSED|ECONNRESET|EAI_AGAIN|ETIMEDOUT|ENETUNREACH)\b/.exec(stderr)?.[0]
  console.error(reason ? `skipped: the npm registry cannot be reached (${reason})` : stderr)
  if (!reason) process.exit(1)
  return false
}

/** The sources and tests, without our own declarations of the libraries' types. */
function copySources(project, name) {
  cpSync(join(root, 'src'), join(project, 'src'), {
    recursive: true,
    filter: (path) => !path.endsWith('peer-modules.d.ts') && !path.endsWith('.test.ts'),
  })
  cpSync(join(root, 'test'), join(project, 'test'), {
    recursive: true,
    filter: (path) => !path.endsWith('.test.ts') && !path.endsWith('/fixtures'),
  })
  for (const test of tests) cpSync(...sameIn(project, `test/adapters/${test}.test.ts`))
  for (const test of ['google', 'mastra', 'openai-agents'])
    cpSync(...sameIn(project, `test/peers/${test}.test.ts`))
  cpSync(join(root, 'test/peers/consumer.ts'), join(project, 'consumer.ts'))
  writeFileSync(
    join(project, 'tsconfig.json'),
    JSON.stringify({
      extends: '../../tsconfig.json',
      // Types of old versions lack options that our sources set, and that those versions ignore.
      include: ['consumer.ts', ...(name === 'newest' ? ['src/**/*.d.ts', 'test/**/*.test.ts'] : [])],
      exclude: [],
    }),
  )
  writeFileSync(
    join(project, 'vitest.config.mjs'),
    `export default { test: { include: ['test/**/*.test.ts'], testTimeout: 60_000 } }\n`,
  )
}

function sameIn(project, path) {
  return [join(root, path), join(project, path)]
}
