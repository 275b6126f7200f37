import { describe, expect, test } from 'vitest'
import { httpOf, serverOf, stdioOf } from '../../../test/support/server.ts'
import type { Authority, Transport } from '../../model/server.ts'
import { showServer } from './shown-server.ts'

const show = (authority: Authority, transport: Transport) =>
  showServer(serverOf('a', { transport, origin: { authority } }))

describe('T10 showServer', () => {
  const program = stdioOf('node', {
    args: ['-e', 'run("--token=$(id)")', '--api-key', 'sk-abcdefghijklmnop'],
    env: { API_TOKEN: 'abcd-1234', NODE_OPTIONS: '-r ./x', MODE: { env: 'STAGE' } },
    cwd: '/srv',
    inheritEnv: true,
  })

  test('a project server is shown as written, with plain secrets shortened', () => {
    expect(show('project', program)).toEqual({
      kind: 'stdio',
      command: 'node',
      args: ['-e', 'run("--token=$(id)")', '--api-key', 'sk-abcdefghijklmnop'],
      cwd: '/srv',
      inheritEnv: true,
      env: { API_TOKEN: 'abcd…', NODE_OPTIONS: '-r ./x', MODE: '${STAGE}' },
    })
  })

  test('T35 a user server is shown with its secrets masked', () => {
    expect(show('user', program)).toMatchObject({
      args: ['-e', expect.any(String), '--api-key', '•••'],
      env: { API_TOKEN: '•••', NODE_OPTIONS: '-r ./x', MODE: '${STAGE}' },
    })
  })

  test('a remote server is shown with its socket, headers, TLS and login', () => {
    const transport = httpOf('unix:///tmp/s#/mcp', {
      socketPath: '/tmp/s',
      headers: { Authorization: 'Bearer abcd-1234', 'X-Team': 'shop' },
      tls: { verify: false },
      auth: { type: 'oauth', clientId: 'shop', clientSecret: 'abcd-1234' },
    })
    expect(show('project', transport)).toEqual({
      kind: 'http',
      url: 'unix:///tmp/s#/mcp',
      socketPath: '/tmp/s',
      headers: { Authorization: 'Bear…', 'X-Team': 'shop' },
      tls: { verify: false },
      env: {},
      login: { type: 'oauth', clientId: 'shop', clientSecret: 'abcd…' },
    })
  })
})
