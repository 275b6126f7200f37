import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'

const script = fileURLToPath(new URL('../../scripts/soak.mjs', import.meta.url))

// It reads the processes and open files of this machine from /proc.
describe.skipIf(process.platform !== 'linux')('FI-84 a short soak', { timeout: 180_000 }, () => {
  test('killed, hanging and flooding servers leave no process and no file, and every call finishes once', async () => {
    const args = [script, '--seed', '84', '--servers', '6', '--actions', '200']
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args)
    expect(stderr).toBe('')
    const [, actions, calls, programs] =
      /(\d+) actions, (\d+) calls with events, (\d+) programs started/.exec(stdout)?.map(Number) ?? []
    expect(actions).toBeGreaterThanOrEqual(200)
    expect(calls).toBeGreaterThan(10)
    expect(programs).toBeGreaterThan(6)
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('ok')
  })
})
