import { describe, expect, test } from 'vitest'
import { deskAddress } from './desk-address.ts'
import type { DeskOwner } from './desk-address.ts'

const owner: DeskOwner = {
  os: 'linux',
  uid: 1000,
  user: 'ada',
  accountHome: '/home/ada',
  env: { HOME: '/home/ada' },
  hash: (text) => `<${text}>`,
}

describe('deskAddress', () => {
  test('is in the state directory of the account, one for each preset', () => {
    const directory = '/home/ada/.local/state/plugboard/gateway'
    expect(deskAddress(owner, 'default')).toEqual({
      directory,
      scope: 'desk',
      socket: `${directory}/desk-default.sock`,
    })
    expect(deskAddress(owner, 'omp').socket).toBe(`${directory}/desk-omp.sock`)
  })

  test('variables that move directories do not move it, another home has another name', () => {
    const moved = { ...owner, env: { ...owner.env, XDG_STATE_HOME: '/project', XDG_RUNTIME_DIR: '/project' } }
    expect(deskAddress(moved, 'default')).toEqual(deskAddress(owner, 'default'))
    const elsewhere = deskAddress({ ...owner, env: { HOME: '/h' } }, 'default')
    expect(elsewhere.socket).toBe('/home/ada/.local/state/plugboard/gateway/</h>-default.sock')
  })

  test('what Node reads once for a process, such as certificates, is part of the name', () => {
    const env = { ...owner.env, NODE_EXTRA_CA_CERTS: '/ca.pem' }
    expect(deskAddress({ ...owner, env }, 'default').socket).not.toBe(deskAddress(owner, 'default').socket)
  })

  test.each<[NodeJS.Platform, number]>([
    ['linux', 107],
    ['darwin', 103],
  ])('a path that is too long for a socket on %s is replaced by a short one', (os, limit) => {
    const suffix = '/.local/state/plugboard/gateway/desk-default.sock'
    const fits = `/${'é'.repeat((limit - suffix.length - 1) >> 1)}`
    const home = fits + 'x'.repeat(limit - Buffer.byteLength(fits + suffix))
    const at = (each: string) =>
      deskAddress({ ...owner, os, accountHome: each, env: { HOME: each } }, 'default')
    expect(at(home).socket).toBe(home + suffix)
    expect(at(`${home}x`).socket).toBe('/tmp/plugboard-gateway-1000/desk-default.sock')
  })

  test('an account without a home directory uses a private one in /tmp', () => {
    const { accountHome: _none, ...rest } = owner
    expect(deskAddress({ ...rest, env: {} }, 'default').directory).toBe('/tmp/plugboard-gateway-1000')
  })

  test('on Windows it is a named pipe of the user', () => {
    const env = { USERPROFILE: 'C:\\Users\\ada' }
    expect(deskAddress({ ...owner, os: 'win32', accountHome: 'C:\\Users\\ada', env }, 'default')).toEqual({
      directory: 'C:\\Users\\ada\\AppData\\Local\\plugboard\\gateway',
      scope: 'desk',
      socket: '\\\\.\\pipe\\plugboard-<ada>-desk-default',
    })
  })
})
