import { describe, expect, test } from 'vitest'
import { clearServerCache, followServerLog, readServerLog, readRunningHosts } from '../index.ts'
import type { LogLine } from '../index.ts'
import { hostWith } from '../../test/support/hosted.ts'
import { faultyServer } from '../testing/faulty-server.ts'

describe('state of hosts on disk', () => {
  test('readRunningHosts, readServerLog and clearServerCache work from another process', async () => {
    await using hosted = await hostWith({ ...faultyServer({ on: { start: { stderr: 'hello' } } }) })
    const { host, home } = hosted
    const where = { platform: { home, env: { HOME: home } } }
    const [server] = host.discovery.servers
    if (!server) throw new Error('there is one')
    expect(await readRunningHosts(where)).toEqual([])
    await hosted.connect()
    await hosted.untilSaid('hello')
    await expect.poll(() => readRunningHosts(where)).toHaveLength(1)
    expect(await readRunningHosts(where)).toEqual([
      {
        pid: process.pid,
        isGone: false,
        cwd: home,
        since: expect.any(Number) as number,
        servers: [
          {
            id: server.id,
            name: 'x',
            pid: expect.any(Number) as number,
            command: process.execPath,
            line: expect.stringContaining('faulty-server') as string,
            since: expect.any(Number) as number,
          },
        ],
        left: [],
      },
    ])
    await expect.poll(() => clearServerCache([server], where)).toBe(1)
    expect(await clearServerCache('all', where)).toBe(0)
    await host.close()
    expect(await readRunningHosts(where)).toEqual([])
    expect((await readServerLog(server, { ...where, lines: 5 })).map(({ text }) => text)).toEqual(['hello'])
    const ending = new AbortController()
    const heard: LogLine[] = []
    const onLine = (line: LogLine) => {
      heard.push(line)
      ending.abort()
    }
    await followServerLog(server, onLine, { ...where, lines: 1, signal: ending.signal })
    expect(heard.map(({ text }) => text)).toEqual(['hello'])
  })

  test('createHost: on-demand connects nothing by itself, and startupMs overrides all entries', async () => {
    await using hosted = await hostWith(
      { ...faultyServer({ on: { initialize: 'hang' } }), lifecycle: 'eager', protocol: 'legacy' },
      { lifecycle: 'on-demand', startupMs: 200 },
    )
    expect(hosted.host.servers().map(({ status }) => status.state)).toEqual(['idle'])
    await expect(hosted.host.connect('x')).rejects.toMatchObject({
      code: 'server.failed',
      data: { failure: { code: 'timeout' } },
    })
  })
})
