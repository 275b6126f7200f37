import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { isRunning, untilGone } from '../support/programs/alive.ts'
import { startDesk } from '../support/programs/desk.ts'
import { createOlderBuild } from '../support/older-build.ts'
import { echoServer } from '../support/gateway.ts'
import { ownFile } from '../support/servers.ts'
import { runProgram } from '../support/programs/program.ts'

const minute = 60_000
const echo = echoServer()
const greeting = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'tester', version: '1' },
}
const withToken = { ...echo, env: { TOKEN: '${DESK_TOKEN}' } }

function environOf(pid: number): readonly string[] {
  return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
}

describe('clients of one desk', () => {
  test(
    'ten clients that start at once share one process per folder and values, and none is left after them',
    async () => {
      await using desk = startDesk({ echo: withToken })
      const { machine } = desk
      const other = machine.path('~/other')
      mkdirSync(join(other, '.git'), { recursive: true })
      const kinds = [
        { cwd: machine.project, env: { DESK_TOKEN: 'a' } },
        { cwd: machine.project, env: { DESK_TOKEN: 'b' } },
        { cwd: other, env: { DESK_TOKEN: 'a' } },
      ]
      const started = Array.from({ length: 10 }, (_, at) => kinds[at % 3]).map((kind) => ({
        kind,
        client: desk.connect(kind),
      }))
      const pids = await Promise.all(started.map(({ client }) => client.serverPid()))
      const perKind = kinds.map((kind) => new Set(pids.filter((_, at) => started[at]?.kind === kind)))
      expect(perKind.map(({ size }) => size)).toEqual([1, 1, 1])
      expect(new Set(pids).size).toBe(3)
      const gateways = await desk.status()
      expect(gateways.map(({ clients }) => clients.length)).toEqual([10])
      const codes = await Promise.all(started.map(({ client }) => client.leave()))
      expect(new Set(codes)).toEqual(new Set([0]))
      await untilGone(...pids, ...gateways.map(({ pid }) => pid))
      expect(await desk.status()).toEqual([])
    },
    5 * minute,
  )

  test(
    'what a client starts ends without creating the stream for errors, which takes a millisecond',
    async () => {
      await using desk = startDesk({ echo })
      const { machine } = desk
      await desk.connect().serverPid()
      const note = machine.path('~/note')
      const hook = machine.write(
        '~/hook.cjs',
        `const { get } = Object.getOwnPropertyDescriptor(process, 'stderr')
        let uses = 0
        Object.defineProperty(process, 'stderr', { configurable: true, get: () => (uses++, get.call(process)) })
        process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(note)}, String(uses)))`,
      )
      const client = desk.connect({ env: { NODE_OPTIONS: `--require "${hook}"` } })
      await client.serverPid()
      expect([await client.leave(), readFileSync(note, 'utf8')]).toEqual([0, '0'])
    },
    2 * minute,
  )

  test(
    'kill -9 of the client that started the gateway leaves the others served, and of the last one leaves nothing',
    async () => {
      await using desk = startDesk({ echo })
      const first = desk.connect()
      const pid = await first.serverPid()
      const second = desk.connect()
      expect(await second.serverPid()).toBe(pid)
      const [gateway] = await desk.status()
      await first.kill()
      expect((await second.request('tools/list'))['result']).toBeDefined()
      await second.kill()
      await untilGone(pid, gateway?.pid ?? 0)
    },
    2 * minute,
  )

  test(
    'after kill -9 of the gateway a client goes on with another one, no call runs twice, and no old process stays',
    async () => {
      const code = `process.stdin.on('end', () => undefined); setInterval(() => undefined, 1000); await import('${echo.args[0]}')`
      const stubborn = { command: process.execPath, args: ['--input-type=module', '-e', code] }
      await using desk = startDesk({ echo: stubborn })
      const first = desk.connect()
      const pid = await first.serverPid()
      const [gateway] = await desk.status()
      first.send({ method: 'notifications/initialized' })
      const hanging = first.request('tools/call', { name: 'echo__hang' })
      await expect.poll(async () => (await desk.status())[0]?.clients[0]?.requests).toBe(1)
      process.kill(gateway?.pid ?? 0, 'SIGKILL')
      expect(await hanging).toMatchObject({ error: { code: -32603, data: { mayHaveRun: true } } })
      expect(isRunning(pid)).toBe(true)
      // Greeted once: the next gateway hears the greeting from the shim.
      const answer = await first.request('tools/call', { name: 'echo__echo', arguments: {} })
      expect(answer).toMatchObject({ result: { content: [{ text: '{}' }] } })
      expect(answer).not.toMatchObject({ result: { structuredContent: { pid } } })
      await first.notified('notifications/tools/list_changed')
      await untilGone(pid)
      const [next] = await desk.status()
      expect(next?.clients).toMatchObject([{ pid: first.pid, name: 'tester' }])
      expect(await first.leave()).toBe(0)
      expect(first.errors()).toBe('')
    },
    2 * minute,
  )

  test(
    'a client whose view does not exist is told so, and the gateway goes on for the others when it leaves',
    async () => {
      await using desk = startDesk({ echo })
      const client = desk.connect()
      const pid = await client.serverPid()
      const wrong = desk.connect({ args: ['--view', 'none'] })
      for (const method of ['initialize', 'tools/list'])
        expect(await wrong.request(method, method === 'initialize' ? greeting : {})).toMatchObject({
          error: { code: -32602, message: expect.stringContaining('There is no view "none".') as string },
        })
      await wrong.leave()
      const pids = async () => (await desk.status()).map(({ clients }) => clients.map((each) => each.pid))
      await expect.poll(pids, { timeout: minute }).toEqual([[client.pid]])
      expect(await client.serverPid()).toBe(pid)
    },
    2 * minute,
  )

  test(
    'T05 the gateway has a minimal environment, and asks a client for what its entries name',
    async () => {
      await using desk = startDesk({ echo: withToken })
      const secrets = { DESK_TOKEN: 'one', OTHER_SECRET: 'two', NODE_OPTIONS: '--no-deprecation' }
      const pid = await desk.connect({ env: secrets }).serverPid()
      const [gateway] = await desk.status()
      const ofGateway = environOf(gateway?.pid ?? 0)
      expect(
        ofGateway.filter((each) => /^(?:DESK_TOKEN|OTHER_SECRET|NODE_OPTIONS|PATH)=/.test(each)),
      ).toEqual([])
      const ofServer = environOf(pid)
      expect(ofServer).toContain('TOKEN=one')
      expect(ofServer.filter((each) => /^(?:DESK_TOKEN|OTHER_SECRET|NODE_OPTIONS)=/.test(each))).toEqual([])
    },
    2 * minute,
  )

  test(
    'an entry that is added later gets the variable that it names from the client',
    async () => {
      await using desk = startDesk({ echo })
      const client = desk.connect({ env: { LATER_TOKEN: 'x1' } })
      await client.serverPid()
      await client.request('tools/list')
      const later = { ...echo, env: { TOKEN: '${LATER_TOKEN}' } }
      desk.machine.write(ownFile, { mcpServers: { echo, later } })
      await client.notified('notifications/tools/list_changed')
      await expect
        .poll(
          async () => {
            const pid = await client.serverPid('later').catch(() => undefined)
            return pid !== undefined && environOf(pid).includes('TOKEN=x1')
          },
          { timeout: minute },
        )
        .toBe(true)
    },
    2 * minute,
  )

  test(
    'a client that moves to other servers, because an entry names another variable, is still told of its resource',
    async () => {
      const doc = {
        command: process.execPath,
        args: [fileURLToPath(new URL('servers/updates.mjs', import.meta.url))],
      }
      await using desk = startDesk({ doc })
      const client = desk.connect({ env: { LATER_TOKEN: 'x1' } })
      await client.request('initialize', greeting)
      await client.request('resources/list')
      await client.request('resources/subscribe', { uri: 'test://a' })
      const later = { ...echo, env: { TOKEN: '${LATER_TOKEN}' } }
      desk.machine.write(ownFile, { mcpServers: { doc, later } })
      const tools = async () => JSON.stringify(await client.request('tools/list'))
      await expect.poll(tools, { timeout: minute }).toContain('later__echo')
      // The servers that it had have ended, so their updates cannot be mistaken for these.
      const folders = async () => (await desk.status())[0]?.folders.map(({ servers }) => servers.length)
      await expect.poll(folders, { timeout: minute }).toEqual([2])
      const watched = async () =>
        JSON.stringify(await client.request('tools/call', { name: 'doc__subscribed', arguments: {} }))
      await expect.poll(watched, { timeout: minute }).toContain('+test://a')
      await client.request('tools/call', { name: 'doc__touch', arguments: { uri: 'test://a' } })
      expect(await client.notified('notifications/resources/updated')).toMatchObject({
        params: { uri: 'test://a' },
      })
    },
    2 * minute,
  )

  test(
    'a client that moves to other servers keeps its running call, and its subscription ends so that it begins another',
    async () => {
      await using desk = startDesk({ echo })
      const client = desk.connect({ env: { LATER_TOKEN: 'x1' } })
      const pid = await client.serverPid()
      const waiting = client.request('tools/call', { name: 'echo__cancelled' })
      client.send({ id: 99, method: 'tools/call', params: { name: 'echo__hang' } })
      const listening = client.request('subscriptions/listen', {
        notifications: { toolsListChanged: true },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      })
      await client.notified('notifications/subscriptions/acknowledged')
      desk.machine.write(ownFile, {
        mcpServers: { echo, later: { ...echo, env: { TOKEN: '${LATER_TOKEN}' } } },
      })
      expect(await listening).toMatchObject({ result: { resultType: 'complete' } })
      const tools = async () => JSON.stringify(await client.request('tools/list'))
      await expect.poll(tools, { timeout: minute }).toContain('later__echo')
      expect(await client.serverPid('later')).not.toBe(pid)
      client.send({ method: 'notifications/cancelled', params: { requestId: 99 } })
      expect(await waiting).toMatchObject({ result: { content: [{ text: '1' }] } })
      // Then nothing uses the servers that it had.
      await untilGone(pid)
    },
    2 * minute,
  )

  test.skipIf(process.getuid?.() !== 0)(
    'T56 another user cannot connect: the socket is private, in a private directory',
    async () => {
      await using desk = startDesk({ echo })
      await desk.connect().serverPid()
      const [gateway] = await desk.status()
      const socket = gateway?.socket ?? ''
      expect(statSync(socket).mode & 0o777).toBe(0o600)
      expect(statSync(dirname(socket)).mode & 0o777).toBe(0o700)
      const code = `require('node:net').connect(${JSON.stringify(socket)}).on('connect', () => console.log('connected')).on('error', (error) => console.log(error.code))`
      const { stdout } = await runProgram(process.execPath, ['-e', code], {
        uid: 65534,
        gid: 65534,
      })
      expect(stdout.trim()).toBe('EACCES')
    },
    2 * minute,
  )

  test(
    'a newer client replaces the gateway without dropping calls, and an older one is served by the newer',
    async () => {
      await using desk = startDesk({ echo })
      using older = createOlderBuild()
      const { entry } = older
      const old = desk.connect({ entry })
      const oldPid = await old.serverPid()
      const [before] = await desk.status()
      expect(before?.version).toBe(older.version)
      const waiting = old.request('tools/call', { name: 'echo__cancelled' })
      const newer = desk.connect()
      const newPid = await newer.serverPid()
      expect(newPid).not.toBe(oldPid)
      const [after, leaving] = await desk.status()
      expect(after).toMatchObject({ version: '0.1.0', isLeaving: false, clients: [{ pid: newer.pid }] })
      expect(leaving).toMatchObject({ pid: before?.pid, isLeaving: true, clients: [{ pid: old.pid }] })
      // The call of the old client is answered by the old gateway.
      old.send({ id: 99, method: 'tools/call', params: { name: 'echo__hang' } })
      expect((await old.request('tools/call', { name: 'echo__echo' }))['result']).toBeDefined()
      old.send({ method: 'notifications/cancelled', params: { requestId: 99 } })
      expect(await waiting).toMatchObject({ result: { content: [{ text: '1' }] } })
      expect(await desk.connect({ entry }).serverPid()).toBe(newPid)
      await old.leave()
      await untilGone(oldPid, before?.pid ?? 0)
      expect((await desk.status()).map(({ pid }) => pid)).toEqual([after?.pid])
    },
    5 * minute,
  )

  test(
    'gateway stop stops a gateway that a newer version has replaced too, and leaves no process and no socket',
    async () => {
      await using desk = startDesk({ echo })
      using older = createOlderBuild()
      const old = desk.connect({ entry: older.entry })
      const oldServer = await old.serverPid()
      const newer = desk.connect()
      const newServer = await newer.serverPid()
      const running = await desk.status()
      const { machine } = desk
      const { stopped } = await machine.json<{ readonly stopped: readonly { readonly pid: number }[] }>(
        'gateway',
        'stop',
        '--preset',
        'default',
      )
      expect(running.map(({ isLeaving }) => isLeaving)).toEqual([false, true])
      expect(stopped.map(({ pid }) => pid)).toEqual(running.map(({ pid }) => pid))
      await untilGone(oldServer, newServer, old.pid, newer.pid, ...running.map(({ pid }) => pid))
      expect(running.filter(({ socket }) => existsSync(socket))).toEqual([])
    },
    5 * minute,
  )

  test(
    'another preset has a gateway of its own, and --alone none',
    async () => {
      await using desk = startDesk({ echo })
      const shared = await desk.connect().serverPid()
      const alone = desk.connect({ args: ['--alone'] })
      expect(await alone.serverPid()).not.toBe(shared)
      const dispatch = desk.connect({ args: ['--preset', 'omp'] })
      await dispatch.request('tools/list')
      const gateways = await desk.status()
      expect(gateways.map(({ preset, clients }) => [preset, clients.length])).toEqual([
        ['default', 1],
        ['omp', 1],
      ])
      await alone.leave()
    },
    2 * minute,
  )

  test(
    'without a place for the socket a client is served by itself, and told why',
    async () => {
      await using desk = startDesk({ echo })
      const account = fileURLToPath(new URL('../support/account.cjs', import.meta.url))
      const env = { NODE_OPTIONS: `--require ${account}`, ACCOUNT_HOME: '/dev/null/none' }
      const client = desk.connect({ env })
      const pid = await client.serverPid()
      expect(await desk.status()).toEqual([])
      expect(await client.leave()).toBe(0)
      expect(client.errors()).toContain('The shared gateway is not used: ')
      await untilGone(pid)
    },
    2 * minute,
  )

  test(
    'status names clients and servers, stop ends all, and logs says what happened',
    async () => {
      await using desk = startDesk({ echo }, { idleSeconds: 3600 })
      const client = desk.connect({ args: ['--search'] })
      await client.request('initialize', {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'seen-client', version: '7' },
      })
      await client.request('tools/call', {
        name: 'call_tool',
        arguments: { name: 'echo__echo', arguments: {} },
      })
      const { machine } = desk
      const [gateway] = await desk.status()
      expect(gateway).toMatchObject({
        preset: 'default',
        isLeaving: false,
        clients: [{ pid: client.pid, name: 'seen-client', version: '7', cwd: machine.project, requests: 0 }],
        folders: [
          { cwd: machine.project, clients: [client.pid], servers: [{ name: 'echo', state: 'ready' }] },
        ],
      })
      const shown = await machine.run('gateway', 'status')
      expect(shown.stdout).toContain(`seen-client 7 (process ${client.pid})`)
      const examined = await machine.run('doctor', '--no-start')
      expect(examined.stderr).toContain(`${machine.project}: echo (ready)`)
      expect(examined.stderr).toContain(`seen-client 7 (process ${client.pid})`)
      expect(await machine.json('doctor', '--no-start')).toMatchObject({ gateways: [{ pid: gateway?.pid }] })
      const stopped = await machine.run('gateway', 'stop')
      expect(stopped).toMatchObject({
        code: 0,
        stdout: `Stopped the gateway ${gateway?.pid}; it had clients: 1.\n`,
      })
      expect(await client.ended).toBe(1)
      await untilGone(gateway?.pid ?? 0)
      expect(await machine.run('gateway', 'stop')).toMatchObject({ code: 0, stdout: '' })
      const { stdout } = await machine.run('gateway', 'logs')
      expect(stdout).toContain(`Client ${client.pid} is in ${machine.project}.`)
    },
    2 * minute,
  )
})
