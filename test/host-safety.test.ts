import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createHost } from '../src/index.ts'
import type { HostOptions, JsonObject, TrustRequest } from '../src/index.ts'
import { faultyServer } from '../src/testing/faulty-server.ts'
import { hostWith } from './support/hosted.ts'
import { serveMcp } from './support/remote.ts'

const good = faultyServer({})

/** A host in a repository whose own file declares `x`. */
async function projectHost(
  entry: JsonObject,
  options: HostOptions & { readonly env?: Record<string, string>; readonly breaks?: 'store' },
) {
  const home = mkdtempSync(join(tmpdir(), 'plugboard-project-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }))
  const cwd = join(home, 'work')
  mkdirSync(join(cwd, '.git'), { recursive: true })
  writeFileSync(join(cwd, '.mcp.json'), JSON.stringify({ mcpServers: { x: entry } }))
  const { env, breaks, ...others } = options
  if (breaks === 'store') {
    mkdirSync(join(home, '.local/state/plugboard'), { recursive: true })
    writeFileSync(join(home, '.local/state/plugboard/trust.json'), 'not JSON')
  }
  const host = await createHost({
    cwd,
    platform: { home, env: { HOME: home, PATH: process.env['PATH'], ...env } },
    ...others,
  })
  onTestFinished(() => host.close())
  return { host, cwd, home }
}

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    (error: { readonly code?: string }) => error.code,
  )

describe('host: headersCommand', () => {
  test('T05 the command of a project server gets only the minimal environment', async () => {
    const server = await serveMcp()
    const { host, cwd } = await projectHost(
      { type: 'http', url: server.url.href, headersCommand: 'env > seen; echo "{}"' },
      { trust: async () => true, env: { AWS_SECRET_ACCESS_KEY: 'sehr-geheim' } },
    )
    await host.connect('x')
    const seen = readFileSync(join(cwd, 'seen'), 'utf8')
    expect(seen).toContain('HOME=')
    expect(seen).not.toContain('AWS_SECRET_ACCESS_KEY')
  })

  test('T40 the command is killed when the host closes', async () => {
    const server = await serveMcp()
    await using hosted = await hostWith({
      type: 'http',
      url: server.url.href,
      headersCommand: 'echo $$ > pid; sleep 60; echo "{}"',
    })
    const connecting = codeOf(hosted.host.connect('x'))
    const file = join(hosted.home, 'pid')
    await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8').trim() !== '').toBe(true)
    await hosted.host.close()
    expect(await connecting).toBe('call.cancelled')
    const pid = Number(readFileSync(file, 'utf8'))
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  })
})

describe('T01 host: trust callback for a project server', () => {
  test('a pending trust question does not delay close', async () => {
    const { host } = await projectHost({ ...good }, { trust: () => new Promise(() => undefined) })
    const connecting = codeOf(host.connect('x'))
    await expect.poll(() => host.servers()[0]?.status.state).toBe('connecting')
    await host.close()
    expect(await connecting).toBe('call.cancelled')
  })

  test('a failed trust question is asked again, an answered one is not', async () => {
    let asked = 0
    const trust = async () => {
      if (++asked === 1) throw new Error('the dialog broke')
      return true
    }
    const { host } = await projectHost({ ...good }, { trust })
    expect(await codeOf(host.connect('x'))).toBe('server.failed')
    await host.connect('x')
    await host.restart('x')
    expect(asked).toBe(2)
  })

  test('a no makes the server untrusted, not failed', async () => {
    const { host } = await projectHost({ ...good }, { trust: async () => false })
    expect(await codeOf(host.connect('x'))).toBe('trust.refused')
    expect(host.servers().map(({ status }) => [status.state, status.reason])).toEqual([
      ['untrusted', 'trust-refused'],
    ])
    await host.reload()
    expect(host.servers().map(({ status }) => status.state)).toEqual(['idle'])
  })

  test('T53 a yes covers what the envFile sets; the function is asked again after a change', async () => {
    const asked: (readonly string[])[] = []
    const trust = async ({ envFile }: TrustRequest) => {
      asked.push(Object.keys(envFile?.variables ?? {}))
      return asked.length < 2
    }
    const { host, cwd } = await projectHost({ ...good, envFile: '.env' }, { trust })
    writeFileSync(join(cwd, '.env'), 'A=1')
    await host.connect('x')
    await host.restart('x')
    expect(asked).toEqual([['A']])
    writeFileSync(join(cwd, '.env'), 'A=1\nB=2')
    expect(await codeOf(host.restart('x'))).toBe('trust.refused')
    expect(asked).toEqual([['A'], ['A', 'B']])
  })
})

test('FI-74 host.connect: a damaged trust store is reported as store.damaged', async () => {
  const { host, home } = await projectHost({ ...good }, { breaks: 'store' })
  const error = await host.connect('x').catch((cause: unknown) => cause)
  expect(error).toMatchObject({
    code: 'store.damaged',
    data: { file: join(home, '.local/state/plugboard/trust.json') },
  })
})

test('host.request: an already aborted signal starts no server', async () => {
  await using hosted = await hostWith({ ...good })
  expect(await codeOf(hosted.host.request('x', 'ping', undefined, { signal: AbortSignal.abort() }))).toBe(
    'call.cancelled',
  )
  expect(hosted.host.servers()[0]?.status.state).toBe('idle')
})

test('host: one signal for many calls causes no listener warning', async () => {
  const warnings: Error[] = []
  const onWarning = (warning: Error) => void warnings.push(warning)
  process.on('warning', onWarning)
  onTestFinished(() => void process.off('warning', onWarning))
  await using hosted = await hostWith({ ...good })
  const { signal } = new AbortController()
  await Promise.all(Array.from({ length: 40 }, () => hosted.host.connect('x', { signal })))
  await Promise.all(Array.from({ length: 40 }, () => hosted.host.request('x', 'tools/list', {}, { signal })))
  expect(warnings).toEqual([])
})

test('T35 host: credentials echoed by a server are masked in errors and in its status', async () => {
  const server = await serveMcp({ '*': ({ status }) => status(400, {}, 'unknown key: top-secret-value') })
  await using hosted = await hostWith({
    type: 'http',
    url: server.url.href,
    headers: { 'X-Api-Key': 'top-secret-value' },
  })
  const error = await hosted.host.connect('x').catch((cause: unknown) => cause)
  expect(String(error)).toContain('•••')
  expect(JSON.stringify([String(error), hosted.host.servers()[0]?.status])).not.toContain('top-secret-value')
})

test('host: a timeout beyond the range of timers does not fire at once', async () => {
  await using hosted = await hostWith({ ...good, startupTimeoutMs: 3_000_000_000 })
  await hosted.host.connect('x')
  expect(await hosted.host.request('x', 'tools/list', {}, { timeoutMs: 3_000_000_000 })).toMatchObject({
    tools: [{ name: 'tool-0' }],
  })
})
