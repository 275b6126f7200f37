import { expect, test } from 'vitest'
import { configDirectory, dataDirectory, stateDirectory } from './own-directories.ts'

const directories = (env: Readonly<Record<string, string>>) =>
  [configDirectory, stateDirectory, dataDirectory].map((directory) => directory({ env, home: '/home/dana' }))

const usual = [
  '/home/dana/.config/plugboard',
  '/home/dana/.local/state/plugboard',
  '/home/dana/.local/share/plugboard',
]

test('own directories: under the home directory, or where the XDG variables point', () => {
  expect(directories({})).toEqual(usual)
  const env = { XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '/s', XDG_DATA_HOME: '/d' }
  expect(directories(env)).toEqual(['/c/plugboard', '/s/plugboard', '/d/plugboard'])
})

test.each(['', 'relative', '.', '../up'])(
  'T47 own directories: an XDG variable of %j counts as unset, so that no project supplies our files',
  (value) => {
    expect(directories({ XDG_CONFIG_HOME: value, XDG_STATE_HOME: value, XDG_DATA_HOME: value })).toEqual(
      usual,
    )
  },
)
