import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { httpOf, serverOf, stdioOf } from '../../../test/support/server.ts'
import { HostError } from '../../model/error.ts'
import { Redactor } from '../../model/secrets/redactor.ts'
import { Secret } from '../../model/secret.ts'
import type { Server, Transport } from '../../model/server.ts'
import { nodePlatform } from '../../platform/node/node-platform.ts'
import { boocode } from '../../sources/clients/boocode/boocode-source.ts'
import { ohMyPi } from '../../sources/clients/oh-my-pi/oh-my-pi.ts'
import { opencode } from '../../sources/clients/opencode/opencode.ts'
import { plugboard } from '../../sources/clients/plugboard/plugboard.ts'
import type { Source, World } from '../../sources/source.ts'
import type { ValueRules } from '../../sources/entries/template.ts'
import { CommandCache } from './command-values.ts'
import type { ResolveOptions } from './resolve-context.ts'
import { resolveTrusted } from './resolve-trusted.ts'

const linux = process.platform === 'linux'
let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'plugboard-resolve-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const at = (path: string) => join(folder, path)
const path = process.env['PATH'] ?? ''
const minimal = { PATH: path, HOME: '/home/dana' }

type Env = Readonly<Record<string, string>>

function worldOf(env: Env = {}): World {
  const project = at('project')
  return {
    os: 'linux',
    home: '/home/dana',
    cwd: folder,
    systemRoot: '/',
    dirs: [project],
    env: { ...minimal, ...env },
  }
}

function resolve(
  transport: Transport,
  { env, source = plugboard, ...options }: Partial<ResolveOptions> & { readonly env?: Env } = {},
  fields: Partial<Server['origin']> = {},
) {
  const server = serverOf('a', { transport, origin: { file: at('mcp.json'), ...fields } })
  const platform = nodePlatform({ env: minimal })
  return resolveTrusted(server, { source, world: worldOf(env), platform, trust: 'trusted', ...options })
}

async function failure(promise: Promise<unknown>): Promise<HostError> {
  const error: unknown = await promise.then(
    () => undefined,
    (caught: unknown) => caught,
  )
  if (error instanceof HostError) return error
  throw new Error(`expected a HostError, got ${String(error)}`)
}

/** A copy with every secret as `{ secret: text }`, to compare whole values. */
function revealed(value: unknown): unknown {
  if (value instanceof Secret) return { secret: value.reveal() }
  if (Array.isArray(value)) return value.map(revealed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, revealed(item)]))
}

const withRules = (rules: Partial<ValueRules>): Source => ({
  ...plugboard,
  valuesOf: () => ({ syntaxes: ['braces', 'bang'], unset: 'keep', ...rules }),
})

describe('resolveTrusted: all values', () => {
  test('stdio: resolves every value and the whole environment of the child', async () => {
    writeFileSync(at('key.txt'), 'file-secret\n')
    mkdirSync(at('project'), { recursive: true })
    writeFileSync(at('project/.env'), 'FROM_FILE=envfile-secret\nMODE=file\nOVER=file\n')
    const transport = stdioOf('${BIN}', {
      args: ['--port', '${PORT:-80}', '--name', 'plain'],
      env: { KEY: '{file:key.txt}', MODE: 'own', API_TOKEN: 'literal-token' },
      passEnv: ['PASSED', 'NOT_SET'],
      envFile: '.env',
      cwd: '~/work',
      unsetEnv: ['OVER'],
    })
    const { transport: found, omitted } = await resolve(transport, {
      env: { BIN: '/bin/x', PASSED: 'p', OTHER: 'o' },
    })
    expect(revealed(found)).toEqual({
      kind: 'stdio',
      framing: 'auto',
      command: '/bin/x',
      args: ['--port', '80', '--name', 'plain'],
      env: {
        ...minimal,
        PASSED: 'p',
        FROM_FILE: { secret: 'envfile-secret' },
        MODE: 'own',
        KEY: { secret: 'file-secret' },
        API_TOKEN: { secret: 'literal-token' },
      },
      cwd: '/home/dana/work',
    })
    expect(omitted).toEqual([])
  })

  test('http: resolves the address, headers and login', async () => {
    const transport = httpOf('https://${HOST}/mcp', {
      headers: { Authorization: 'Bearer ${TOKEN}', Accept: 'x' },
      auth: { type: 'bearer', tokenEnv: 'TOKEN', scope: 'read' },
      fallback: 'sse',
      tls: { verify: false },
    })
    const { transport: found } = await resolve(transport, {
      env: { HOST: 'a.example', TOKEN: 'bearer-secret' },
    })
    expect(revealed(found)).toEqual({
      kind: 'http',
      url: { secret: 'https://a.example/mcp' },
      headers: { Authorization: { secret: 'Bearer bearer-secret' }, Accept: 'x' },
      auth: { type: 'bearer', scope: 'read', token: { secret: 'bearer-secret' } },
      fallback: 'sse',
      tls: { verify: false },
    })
  })

  test('D26 C19 a literal dialect passes env unchanged', async () => {
    const env = { A: '${HOME}', B: '!date', C: '{file:/etc/passwd}' }
    const { transport } = await resolve(stdioOf('x', { env }), { source: boocode })
    expect(transport).toMatchObject({ command: 'x', env })
  })

  test('inputs take the answer of a person, otherwise the default in the file', async () => {
    const server = serverOf('a', {
      transport: stdioOf('x', { args: ['${input:key}', '${input:region}', '${input:many}'] }),
      inputs: [{ id: 'key' }, { id: 'region', default: 'eu' }],
    })
    const answers = { key: 'answered', many: ['a', 'b'] }
    const options = {
      source: plugboard,
      world: worldOf(),
      platform: nodePlatform(),
      trust: 'trusted',
      answers,
    } as const
    const { transport } = await resolveTrusted(server, options)
    expect(revealed(transport)).toMatchObject({
      args: [{ secret: 'answered' }, { secret: 'eu' }, { secret: 'a,b' }],
    })
  })
})

describe('T01 resolveTrusted: untrusted servers', () => {
  const canary = 'canary-of-trust'
  const transport = stdioOf('x', {
    args: ['${WORD}'],
    env: { A: `!touch ${canary}`, B: '{file:secret.txt}' },
    envFile: '.env',
  })

  test.each([
    ['pending', '"a" is not trusted.'],
    ['changed', '"a" has changed since it was trusted.'],
  ] as const)('%s: refused before any command runs or file is read', async (trust, message) => {
    const touched: string[] = []
    const { files } = nodePlatform()
    const platform = {
      files: {
        ...files,
        readText: (file: string) => {
          touched.push(file)
          return files.readText(file)
        },
      },
      run: async (command: readonly string[] | string) => {
        touched.push(String(command))
        return { kind: 'done', stdout: '' } as const
      },
    }
    const error = await failure(resolve(transport, { trust, platform, env: { WORD: 'canary' } }))
    expect([error.code, error.data, error.message]).toEqual(['trust.refused', { server: 'a' }, message])
    expect(error.hint).toBe('Look at it and decide: plugboard trust a')
    expect(touched).toEqual([])
    expect(existsSync(at(canary))).toBe(false)
  })
})

describe('T06 resolveTrusted: granted variables', () => {
  const project = { authority: 'project' } as const
  const env = { GIVEN: 'given', HIDDEN: 'canary-hidden', OTHER: 'canary-other' }

  test('a project server gets only the granted variables, in its values and in its environment', async () => {
    const transport = stdioOf('x', { args: ['${GIVEN}'], passEnv: ['GIVEN', 'HIDDEN'], inheritEnv: true })
    const { transport: found } = await resolve(transport, { env, granted: ['GIVEN'] }, project)
    expect(found).toMatchObject({ args: ['given'] })
    expect(revealed(found)).toMatchObject({ env: { ...minimal, GIVEN: 'given' } })
    expect(JSON.stringify(revealed(found))).not.toContain('canary')
  })

  test.each([
    ['a placeholder', stdioOf('x', { args: ['${GIVEN}', '${HIDDEN}'] }), plugboard],
    ['a placeholder under omp', stdioOf('x', { env: { A: '${HIDDEN}' } }), ohMyPi],
    ['a client that would make it empty', stdioOf('x', { env: { A: '{env:HIDDEN}' } }), opencode],
    [
      'a header given by variable name',
      httpOf('https://a.example', { headers: { A: { env: 'HIDDEN' } } }),
      plugboard,
    ],
  ])('a variable that is set but not granted is an error: %s', async (_what, transport, source) => {
    const error = await failure(resolve(transport, { env, source, granted: ['GIVEN'] }, project))
    expect([error.code, error.data, error.message]).toEqual([
      'value.unresolved',
      { server: 'a', names: ['HIDDEN'] },
      '"a" was not granted HIDDEN.',
    ])
  })

  test('without grants a project server gets no variable, a user server all it names', async () => {
    const transport = stdioOf('x', { args: ['${HIDDEN}'] })
    expect((await failure(resolve(transport, { env }, project))).message).toBe('"a" was not granted HIDDEN.')
    expect(revealed((await resolve(transport, { env })).transport)).toMatchObject({
      args: [{ secret: 'canary-hidden' }],
    })
  })

  test('the value of a variable is not expanded again', async () => {
    const { transport } = await resolve(stdioOf('x', { args: ['${A}'] }), { env: { A: '${B}', B: 'b' } })
    expect(revealed(transport)).toMatchObject({ args: [{ secret: '${B}' }] })
  })
})

describe('T05 resolveTrusted: environment of the child', () => {
  const env = { AWS_SECRET_ACCESS_KEY: 'x', GITHUB_TOKEN: 'y', PLUGBOARD_TOKEN: 'z' }

  test('is the minimal set plus the values of the entry', async () => {
    const { transport } = await resolve(stdioOf('x', { env: { OWN: '1' } }), { env })
    expect(transport).toMatchObject({ env: { ...minimal, OWN: '1' } })
    expect(Object.keys(transport.env ?? {}).sort()).toEqual(['HOME', 'OWN', 'PATH'])
  })

  test('is everything if a user entry sets inheritEnv, with secrets wrapped', async () => {
    const { transport } = await resolve(stdioOf('x', { inheritEnv: true }), { env })
    expect(revealed(transport.env)).toEqual({
      ...minimal,
      AWS_SECRET_ACCESS_KEY: { secret: 'x' },
      GITHUB_TOKEN: { secret: 'y' },
      PLUGBOARD_TOKEN: { secret: 'z' },
    })
  })
})

describe('resolveTrusted: unset variables follow the rule of the client', () => {
  const transport = stdioOf('x', { args: ['${NONE}'], env: { A: 'x${NONE}' } })

  test('T06 plugboard: the server does not start, and the error names the variable', async () => {
    const error = await failure(resolve(transport))
    expect([error.code, error.data, error.message, error.hint]).toEqual([
      'value.unresolved',
      { server: 'a', names: ['NONE'] },
      '"a" cannot start without NONE.',
      'Set NONE in your environment, or write a default into the entry. See its values: plugboard why a',
    ])
  })

  test('keep: the text stays as written', async () => {
    const { transport: found } = await resolve(transport, { source: ohMyPi })
    expect(found).toMatchObject({ args: ['${NONE}'], env: { A: 'x${NONE}' } })
  })

  test('empty: the placeholder becomes empty', async () => {
    const { transport: found } = await resolve(transport, { source: withRules({ unset: 'empty' }) })
    expect(found).toMatchObject({ args: [''], env: { A: 'x' } })
  })

  test('omit: a variable or header is left out and named; in other fields it is an error', async () => {
    const source = withRules({ unset: 'omit' })
    const { transport: found, omitted } = await resolve(stdioOf('x', { env: { A: 'x${NONE}', B: 'b' } }), {
      source,
    })
    expect(found.env).toEqual({ ...minimal, B: 'b' })
    expect(omitted).toEqual([{ field: 'env', key: 'A', name: 'NONE' }])
    expect((await failure(resolve(transport, { source }))).data).toEqual({ server: 'a', names: ['NONE'] })
  })

  test('a header given by variable name is left out; a missing login token is an error', async () => {
    const headers = { A: { env: 'NONE' }, B: 'b' }
    const { transport: found, omitted } = await resolve(httpOf('https://a.example', { headers }))
    expect(found).toMatchObject({ headers: { B: 'b' } })
    expect(omitted).toEqual([{ field: 'headers', key: 'A', name: 'NONE' }])
    const auth = { type: 'bearer', tokenEnv: 'NONE' }
    expect((await failure(resolve(httpOf('https://a.example', { auth })))).message).toBe(
      '"a" cannot start without NONE.',
    )
  })

  test.each([
    ['a missing file', '{file:none.txt}', '{file:none.txt}'],
    ['an unanswered input', '${input:key}', 'key'],
    ['a missing keychain', '${keychain:a/b}', '${keychain:a/b}'],
  ])('%s is an error', async (_what, value, name) => {
    const error = await failure(resolve(stdioOf('x', { env: { A: value } })))
    expect([error.code, error.data]).toEqual(['value.unresolved', { server: 'a', names: [name] }])
  })

  test('an envFile that cannot be read is an error', async () => {
    const error = await failure(resolve(stdioOf('x', { envFile: 'none.env' })))
    expect([error.code, error.message]).toEqual([
      'value.unresolved',
      '"a" cannot start without its envFile none.env, which cannot be read.',
    ])
  })
})

describe.skipIf(!linux)('T07 O12 resolveTrusted: real commands', () => {
  const withEnv = (value: string) => stdioOf('x', { env: { A: value } })
  const valueOf = async (value: string, options: Parameters<typeof resolve>[1] = {}) =>
    revealed((await resolve(withEnv(value), options)).transport.env?.['A'])

  test('plugboard: runs the words without a shell and removes one newline', async () => {
    expect(await valueOf("!printf '%s|' '$HOME' ';' '`x`'")).toEqual({ secret: '$HOME|;|`x`|' })
    expect(await valueOf('!printf " x \\n"')).toEqual({ secret: ' x ' })
  })

  test('omp: runs in the shell and trims', async () => {
    expect(await valueOf('!echo " $((1 + 1)) " | cat', { source: ohMyPi })).toEqual({ secret: '2' })
  })

  test('a command that exceeds its time limit is killed with its children', async () => {
    const pid = at('sleep.pid')
    const script = `sh -c 'echo $$ > ${pid}; sleep 60 & echo $! >> ${pid}; wait'`
    const error = await failure(resolve(withEnv(`!${script}`), { limits: { timeoutMs: 2000 } }))
    expect([error.code, error.message]).toEqual([
      'value.unresolved',
      `"a" cannot start without !${script} (no answer within 2000 ms).`,
    ])
    const pids = readFileSync(pid, 'utf8').trim().split('\n').map(Number)
    expect(pids).toHaveLength(2)
    await expect.poll(() => pids.filter(isRunning)).toEqual([])
  })

  test('a command that exceeds the output limit is an error', async () => {
    expect((await failure(resolve(withEnv('!yes')))).message).toBe(
      '"a" cannot start without !yes (more than 65536 bytes of output).',
    )
  })

  test('plugboard: a command that fails, prints nothing or does not exist is an error with the reason', async () => {
    expect((await failure(resolve(withEnv('!false')))).message).toBe(
      '"a" cannot start without !false (exit code 1).',
    )
    expect((await failure(resolve(withEnv('!true')))).message).toBe(
      '"a" cannot start without !true (it printed nothing).',
    )
    expect((await failure(resolve(withEnv('!no-such-program')))).message).toBe(
      '"a" cannot start without !no-such-program (ENOENT).',
    )
  })

  test('O12 omp: the header of a failed command is left out and named', async () => {
    const transport = httpOf('https://a.example', { headers: { A: '!false', B: '!echo b', C: '!true' } })
    const { transport: found, omitted } = await resolve(transport, { source: ohMyPi })
    expect(revealed(found)).toMatchObject({ headers: { B: { secret: 'b' } } })
    expect(Object.keys(found.kind === 'stdio' ? {} : found.headers)).toEqual(['B'])
    expect(omitted).toEqual([
      { field: 'headers', key: 'A', name: '!false' },
      { field: 'headers', key: 'C', name: '!true' },
    ])
  })

  test('T35 errors contain neither the output of a command nor a secret in its text', async () => {
    const redactor = new Redactor()
    const transport = stdioOf('x', {
      env: { A: '!echo printed-canary-secret', B: '!false --token=typed-canary-secret' },
    })
    const error = await failure(resolve(transport, { redactor }))
    const said = JSON.stringify([error.message, error.data, error.hint, error.stack])
    expect(said).not.toContain('printed-canary')
    expect(said).not.toContain('typed-canary')
    expect(error.message).toBe('"a" cannot start without !false --token=••• (exit code 1).')
    expect(redactor.redact('it said printed-canary-secret')).toBe('it said •••')
  })

  test('T35 every secret is registered with the redactor, as a whole value and by itself', async () => {
    writeFileSync(at('pin.txt'), 'pin-of-the-file')
    mkdirSync(at('project'), { recursive: true })
    writeFileSync(at('project/secret.env'), 'X=value-of-envfile\n')
    const redactor = new Redactor()
    const transport = stdioOf('x', {
      env: {
        A: '!echo out-of-command',
        B: '{file:pin.txt}',
        AUTHORIZATION: 'Bearer ${TOKEN}',
        API_KEY: 'literal-api-key',
      },
      envFile: 'secret.env',
    })
    await resolve(transport, { redactor, env: { TOKEN: 'token-of-variable' } })
    const text = 'out-of-command pin-of-the-file token-of-variable value-of-envfile literal-api-key'
    expect(redactor.redact(text)).toBe('••• ••• ••• ••• •••')
  })

  test('servers that share a cache share one run of a command', async () => {
    const count = at('count')
    const transport = withEnv(`!sh -c 'echo x >> ${count}; echo done'`)
    const cache = new CommandCache()
    await Promise.all([resolve(transport, { cache }), resolve(transport, { cache })])
    await resolve(transport, { cache })
    expect(readFileSync(count, 'utf8')).toBe('x\n')
    await resolve(transport)
    expect(readFileSync(count, 'utf8')).toBe('x\nx\n')
  })

  test('a command can be cancelled', async () => {
    const signal = AbortSignal.abort()
    expect((await failure(resolve(withEnv('!echo x'), { signal }))).message).toContain('(cancelled)')
  })

  test('T05 a command of a project server gets the environment of that server, one of a user server all of ours', async () => {
    const env = { GIVEN: 'given', AWS_SECRET_ACCESS_KEY: 'canary' }
    const ours = await resolve(withEnv('!env'), { env })
    expect(JSON.stringify(revealed(ours))).toContain('AWS_SECRET_ACCESS_KEY=canary')
    const options = { env, granted: ['GIVEN'] }
    const { transport } = await resolve(withEnv('!env'), options, { authority: 'project' })
    const { secret } = revealed(transport.env?.['A']) as { secret: string } // it succeeds
    expect(secret.split('\n').sort()).toEqual(['GIVEN=given', 'HOME=/home/dana', `PATH=${path}`])
  })

  test('T04 a program in the project is not found by its bare name', async () => {
    mkdirSync(at('project/bin'), { recursive: true })
    writeFileSync(at('project/bin/printf'), '#!/bin/sh\necho hijacked\n')
    chmodSync(at('project/bin/printf'), 0o755)
    const world = { ...worldOf({ PATH: `${at('project/bin')}:.:${path}` }), cwd: at('project/bin') }
    expect(await valueOf('!printf real', { world })).toEqual({ secret: 'real' })
    expect(await valueOf('!printf real', { world, source: ohMyPi })).toEqual({ secret: 'real' })
    // T51: a person's own entry runs none of the project's programs, by no path and by no runner.
    for (const command of ['!./printf', '!env ./printf', '!npm run printf'])
      await expect(valueOf(command, { world })).rejects.toThrow('is not started in this project')
    expect(await valueOf('!./printf', { world, source: ohMyPi })).toBeUndefined()
  })

  afterEach(() => rmSync(at('count'), { force: true }))
})

/** An ended process stays listed as a zombie until its parent collects it; zombies do not count. */
function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
