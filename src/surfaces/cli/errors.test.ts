import { expect, test } from 'vitest'
import { toFileError } from '../../platform/node/file-error.ts'
import { faultOf } from './errors.ts'

test('T157 a folder that cannot be made is named, with what to do', () => {
  // What Node reports for a home directory that is mounted read-only.
  const error = Object.assign(new Error("ENOENT: no such file or directory, mkdir '/home/ada/.local'"), {
    code: 'ENOENT',
    syscall: 'mkdir',
    path: '/home/ada/.local',
  })
  const fault = {
    code: 'failed',
    message: 'The folder /home/ada/.local cannot be made: the one above it is read-only, or does not exist.',
    hint: 'Make that one writable, or set HOME, or XDG_STATE_HOME and XDG_CONFIG_HOME, to a folder that is.',
  }
  expect(faultOf(error)).toEqual(fault)
  expect(faultOf(toFileError(error, '/home/ada/.local/state/plugboard'))).toEqual(fault)
})
