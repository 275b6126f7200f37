import { expect, test } from 'vitest'
import { nextCommand } from './next-command.ts'

test('nextCommand: quotes any server name so that the command can be pasted', () => {
  expect(['github', 'my server', "it's", '-x', '$(reboot)'].map((name) => nextCommand('why', name))).toEqual([
    'plugboard why github',
    "plugboard why 'my server'",
    String.raw`plugboard why 'it'\''s'`,
    'plugboard why -- -x',
    "plugboard why '$(reboot)'",
  ])
})
