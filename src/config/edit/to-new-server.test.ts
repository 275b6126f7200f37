import { describe, expect, test } from 'vitest'
import { httpOf, serverOf, stdioOf } from '../../../test/support/server.ts'
import type { Server } from '../../model/server.ts'
import type { ValueRules } from '../../sources/entries/template.ts'
import { toNewServer } from './to-new-server.ts'

const ours: ValueRules = { syntaxes: ['braces', 'input', 'bang'], unset: 'keep' }
const env: ValueRules = { syntaxes: ['env-colon'], unset: 'keep' }
const translate = (server: Server, to = env) => toNewServer(server, { from: ours, to })
const notCopied = (field: string) => ({ field, reason: 'It is not copied.' })

describe('toNewServer', () => {
  test('copies every field of a program that a description can express', () => {
    const server = serverOf('a', {
      transport: stdioOf('${BIN}', {
        args: ['--key', '${KEY}'],
        env: { A: '${A}', B: 'b' },
        passEnv: ['PASSED'],
        cwd: '${DIR}',
        envFile: '.env',
      }),
      enabled: false,
      timeouts: { callMs: 5 },
      tools: { allow: ['x'], deny: ['y'] },
      title: 'T',
      description: 'D',
    })
    expect(translate(server)).toEqual({
      server: {
        name: 'a',
        transport: {
          kind: 'stdio',
          command: '${env:BIN}',
          args: ['--key', '${env:KEY}'],
          env: { PASSED: '${env:PASSED}', A: '${env:A}', B: 'b' },
          cwd: '${env:DIR}',
          envFile: '.env',
        },
        enabled: false,
        timeouts: { callMs: 5 },
        tools: { allow: ['x'], deny: ['y'] },
        title: 'T',
        description: 'D',
      },
      lost: [],
    })
  })

  test('copies an address with headers and a login', () => {
    const auth = { type: 'oauth', clientId: '${ID}' }
    const server = serverOf('a', {
      transport: httpOf('https://${HOST}', { headers: { X: { env: 'X' } }, auth }),
    })
    expect(translate(server)).toEqual({
      server: {
        name: 'a',
        transport: { kind: 'http', url: 'https://${env:HOST}', headers: { X: '${env:X}' } },
        timeouts: {},
        tools: { allow: null, deny: [] },
        auth: { type: 'oauth', clientId: '${env:ID}' },
      },
      lost: [],
    })
  })

  test('reports every field of a local server that it cannot copy', () => {
    const server = serverOf('a', {
      transport: stdioOf('x', {
        args: ['${input:id}'],
        unsetEnv: ['U'],
        inheritEnv: true,
        framing: 'ndjson',
        secretEnv: ['S'],
      }),
      lifecycle: 'eager',
      restart: 'never',
      protocol: 'legacy',
      sandbox: { on: true },
      watch: ['src'],
    })
    const { lost } = translate(server)
    expect(lost).toEqual([
      ...['lifecycle', 'restart', 'protocol', 'sandbox', 'watch', 'unsetEnv', 'inheritEnv', 'framing'].map(
        notCopied,
      ),
      {
        field: 'env.S',
        reason: 'The value is in a secret store; the copy reads it from the variable of that name.',
      },
      { field: 'args.0', reason: 'The target cannot resolve ${input:id}; it is written literally.' },
    ])
  })

  test('reports every field of a remote server that it cannot copy', () => {
    const launch = { command: 'x', args: [] }
    const transport = httpOf('https://a.example', {
      headersCommand: 'h',
      socketPath: '/s',
      tls: { verify: false },
      launch,
    })
    const { server, lost } = translate(serverOf('a', { transport }))
    expect(lost).toEqual(['headersCommand', 'socketPath', 'tls'].map(notCopied))
    expect(server.launch).toEqual({ ...launch, env: {} })
  })

  test('resolves no value', () => {
    const server = serverOf('a', { transport: stdioOf('x', { env: { A: '!op read x', B: '${HOME}' } }) })
    expect(translate(server, ours).server.transport).toMatchObject({ env: { A: '!op read x', B: '${HOME}' } })
  })
})
