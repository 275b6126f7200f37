import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { runProgram } from '../support/programs/program.ts'

const script = fileURLToPath(new URL('../../scripts/soak.mjs', import.meta.url))

// It reads the processes and open files of this machine from /proc.
describe.skipIf(process.platform !== 'linux')('FI-84 a short soak', { timeout: 180_000 }, () => {
  test('killed, hanging and flooding servers leave no process and no file, and every call finishes once', async () => {
    const args = [script, '--seed', '84', '--servers', '6', '--actions', '200']
    const { code, stdout, stderr } = await runProgram(process.execPath, args)
    expect([code, stderr]).toEqual([0, ''])
    const [, actions, calls, programs] =
      /(\d+) actions, (\d+) calls with events, (\d+) programs started/.exec(stdout)?.map(Number) ?? []
    expect(actions).toBeGreaterThanOrEqual(200)
    expect(calls).toBeGreaterThan(10)
    expect(programs).toBeGreaterThan(6)
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('ok')
  })
})
