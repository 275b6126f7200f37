import { describe, expect, test } from 'vitest'
import { initialized } from '../../test/support/connection.ts'
import { countedSignal, outcomeOf, turn } from '../../test/support/outcome.ts'
import { createScriptedSpawn } from '../../test/support/scripted-spawn.ts'
import type { ScriptedChild } from '../../test/support/scripted-spawn.ts'
import type { WireRequest } from '../../test/support/wire.ts'
import { createHost } from './host.ts'
import type { HostOptions } from './host-options.ts'
import { createFakePlatform } from '../testing/fake-platform.ts'

const entry = { mcpServers: { x: { command: '/bin/server' } } }

async function open(script: (asked: WireRequest, child: ScriptedChild) => void, options: HostOptions = {}) {
  const spawned = createScriptedSpawn(script)
  const platform = createFakePlatform({
    files: { '/etc/servers.json': JSON.stringify(entry) },
    spawn: spawned.spawn,
  })
  const start = () =>
    createHost({ config: '/etc/servers.json', sources: ['plugboard'], platform, ...options })
  const cached = () =>
    [...platform.files.texts]
      .filter(([path]) => path.includes('/servers/'))
      .map(([, text]) => JSON.parse(text) as unknown)
  return { spawned, platform, start, cached }
}

describe('remembered era of a server (C29)', () => {
  /** A legacy server; exits on an unknown method. */
  const strict = ({ id, method }: WireRequest, child: ScriptedChild) =>
    method === 'initialize' ? child.answer(id, initialized) : child.exit()
  /** A modern server; exits on an unknown method. */
  const modern = ({ id, method }: WireRequest, child: ScriptedChild) =>
    method === 'server/discover' ? child.answer(id, { supportedVersions: ['2026-07-28'] }) : child.exit()

  test('the next host uses it and does not probe (C29)', async () => {
    const { spawned, start, cached } = await open(strict)
    for (let run = 1; run <= 2; run++) {
      const host = await start()
      await host.connect('x')
      await host.close()
    }
    expect(spawned.children.map(({ pipe }) => pipe.methods[0])).toEqual([
      'server/discover',
      'initialize',
      'initialize',
    ])
    expect(cached()).toMatchObject([{ era: { is: 'legacy', at: '1970-01-01T00:00:00.000Z' } }])
  })

  test('it is forgotten after a failure, so that the next attempt negotiates again (C29)', async () => {
    let script = strict
    const { spawned, platform, start, cached } = await open((asked, child) => script(asked, child))
    const first = await start()
    await first.connect('x')
    await first.close()
    script = modern
    const second = await start()
    expect(await outcomeOf(second.connect('x'))).toMatchObject({ host: 'server.failed' })
    await platform.clock.advance(1000)
    expect(cached()).toEqual([expect.not.objectContaining({ era: expect.anything() as unknown })])
    expect(await second.connect('x')).toMatchObject({ era: 'modern' })
    await second.close()
    expect(spawned.children.map(({ pipe }) => pipe.methods[0])).toEqual([
      'server/discover',
      'initialize',
      'initialize',
      'server/discover',
    ])
    expect(cached()).toMatchObject([{ era: { is: 'modern' } }])
  })
})

describe('createHost: signal', () => {
  test('an abort closes the host; a closed host leaves no listener on the signal', async () => {
    const script = ({ id, method }: WireRequest, child: ScriptedChild) => {
      if (method === 'initialize') child.answer(id, initialized)
      else child.refuse(id, -32601)
    }
    const counted = countedSignal()
    const { start, spawned } = await open(script, { signal: counted.signal })
    const first = await start()
    await first.close()
    expect(counted.listeners).toBe(0)
    const second = await start()
    await second.connect('x')
    counted.abort()
    await turn()
    await second.close()
    expect({ alive: spawned.alive, after: await outcomeOf(second.connect('x')) }).toMatchObject({
      alive: 0,
      after: { host: 'host.closed' },
    })
    expect(await outcomeOf(start())).toEqual({ error: 'Error: no longer wanted' })
  })
})
