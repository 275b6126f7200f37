import { describe, expect, test } from 'vitest'
import { createMachine } from '../support/cli.ts'

describe('plugboard run', () => {
  test('--demo shows the whole loop without a key, and a write tool asks there too', async () => {
    using empty = createMachine()
    expect(await empty.run('run', '--demo', 'echo the message hello')).toEqual({
      code: 0,
      stdout: 'demo__echo answered: hello\n',
      stderr: expect.stringMatching(
        /^This is a demo: .*\ndemo__echo \{"message":"hello"\}\n {2}hello\n2 steps, .*\n$/,
      ) as string,
    })
    expect(empty.has('~/.local/state/plugboard/store.db')).toBe(false)
    const refused = await empty.run('run', '--demo', 'write a note: buy milk')
    expect([refused.code, refused.stdout]).toEqual([
      12,
      expect.stringMatching(/^demo__write_note did not work: /),
    ])
    expect(refused.stderr).toContain('{ "effect": "allow", "tools": ["demo/write_note"] }')
  })
})
