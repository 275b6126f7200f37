import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './run.mjs'

// Says for each library that we have an adapter for whether its newest major is in our range. Exits with 1 if one is not:
// then try the adapter's tests with it (test/peers/sets.json, npm run test:peers) and widen the range.
const { peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const registry =
  process.env.npm_config_registry ??
  execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim()

const rows = await Promise.all(Object.entries(peerDependencies).map(look))
for (const { name, range, version, isNew } of rows)
  console.log(
    `${name.padEnd(20)} ${range.padEnd(22)} ${version.padEnd(12)} ${isNew ? 'NEW MAJOR' : ''}`.trimEnd(),
  )
process.exitCode = rows.some(({ isNew }) => isNew) ? 1 : 0

async function look([name, range]) {
  const response = await fetch(`${registry.replace(/\/$/, '')}/${name.replace('/', '%2f')}/latest`)
  if (!response.ok) throw new Error(`${name}: the registry answered ${response.status}`)
  const { version } = await response.json()
  const known = range.split('||').map(majorOf)
  return { name, range, version, isNew: majorOf(version) > Math.max(...known) }
}

/** The major of a version, or of the lower bound of a range. */
function majorOf(text) {
  return Number(/\d+/.exec(text)[0])
}
