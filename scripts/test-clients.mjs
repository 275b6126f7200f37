import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './run.mjs'

// Tests the gateway with MCP clients of others: mcporter, the AI SDK and the Inspector. They are dependencies of
// test/clients, which npm ci does not install. `npm run test:clients`.
const folder = join(root, 'test/clients')
const names = Object.keys(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).dependencies)
if (!names.every((name) => existsSync(join(folder, 'node_modules', name))))
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], folder)
run(process.execPath, [
  join(root, 'node_modules/vitest/vitest.mjs'),
  'run',
  'test/gateway/other-clients.test.ts',
])

function run(command, args, cwd = root) {
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
