import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from './run.mjs'

// The gateway under load, in full: 50 clients with 1,000 calls each that all begin at id 0, 24 servers of which 8 fail in turn
// for minutes, and 10 clients of one desk. `npm test` runs the same files in short. `npm run soak:gateway [-- --minutes M]`
const { values } = parseArgs({ options: { minutes: { type: 'string', default: '3' } } })
const files = ['isolation', 'failing-servers', 'desk'].map((name) => `test/gateway/${name}.test.ts`)
const { status } = spawnSync(
  process.execPath,
  [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...files],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PLUGBOARD_GATEWAY_WHOLE: '1', PLUGBOARD_GATEWAY_MINUTES: values.minutes },
  },
)
process.exitCode = status ?? 1
