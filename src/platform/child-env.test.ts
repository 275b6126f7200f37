import { describe, expect, test } from 'vitest'
import { childEnv } from './child-env.ts'

const secrets = {
  AWS_SECRET_ACCESS_KEY: 'a',
  GITHUB_TOKEN: 'b',
  PLUGBOARD_TOKEN: 'c',
  NODE_OPTIONS: '--require evil',
  LD_PRELOAD: 'evil.so',
  HTTPS_PROXY: 'http://me:pw@proxy',
}
const posix = {
  HOME: '/home/dana',
  LOGNAME: 'dana',
  PATH: '/usr/bin:/bin',
  SHELL: '/bin/sh',
  TERM: 'xterm',
  USER: 'dana',
  LANG: 'C',
  LC_ALL: 'C',
  TZ: 'UTC',
  TMPDIR: '/tmp',
  XDG_RUNTIME_DIR: '/run/user/1',
}

describe('T05 childEnv', () => {
  test('passes exactly the minimal set: no secrets, no variables that load code', () => {
    expect(childEnv({ os: 'linux', env: { ...secrets, ...posix }, dirs: [] })).toEqual(posix)
    expect(childEnv({ os: 'darwin', env: { ...secrets, ...posix }, dirs: [] })).toEqual(posix)
  })

  test('passes the Windows set on Windows, ignoring the case of names', () => {
    const windows = {
      Path: 'C:\\Windows',
      SystemRoot: 'C:\\Windows',
      USERPROFILE: 'C:\\Users\\dana',
      PATHEXT: '.EXE',
    }
    expect(childEnv({ os: 'win32', env: { ...secrets, ...windows, HOME: 'x' }, dirs: [] })).toEqual({
      ...windows,
      NoDefaultCurrentDirectoryInExePath: '1',
    })
  })

  test('with whole, passes everything except exported functions and undefined values', () => {
    const env = { ...secrets, PATH: '/bin', 'BASH_FUNC_x%%': '() { evil; }', GONE: undefined }
    expect(childEnv({ os: 'linux', env, dirs: [] }, true)).toEqual({ ...secrets, PATH: '/bin' })
  })

  test('drops an exported function even under a name of the minimal set', () => {
    expect(childEnv({ os: 'linux', env: { HOME: '() { :; }; evil', USER: 'dana' }, dirs: [] })).toEqual({
      USER: 'dana',
    })
  })
})

describe('T04 childEnv: PATH', () => {
  const path = (value: string, dirs = ['/home/dana/shop/web', '/home/dana/shop']) =>
    childEnv({ os: 'linux', env: { PATH: value }, dirs })['PATH']

  test.each([
    ['a folder of the project', '/home/dana/shop/node_modules/.bin:/usr/bin', '/usr/bin'],
    ['the project itself', '/home/dana/shop:/usr/bin:/home/dana/shop/', '/usr/bin'],
    ['the working directory', '.:/usr/bin:', '/usr/bin'],
    ['a relative folder', 'bin:../x:/usr/bin', '/usr/bin'],
    ['a path with ".." into the project', '/usr/../home/dana/shop/bin:/bin', '/bin'],
  ])('drops %s', (_what, value, expected) => {
    expect(path(value)).toBe(expected)
  })

  test('keeps a folder outside the project whose name starts with the name of the project', () => {
    expect(path('/home/dana/shop-tools/bin:/bin')).toBe('/home/dana/shop-tools/bin:/bin')
  })

  test('is split at ";" on Windows', () => {
    const env = { Path: 'C:\\Windows;.;bin;D:/tools' }
    expect(childEnv({ os: 'win32', env, dirs: [] })['Path']).toBe('C:\\Windows;D:/tools')
  })
})
