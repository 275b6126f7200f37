import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createHost, nodePlatform, toListing } from '../../src/index.ts'
import type { HostEvent } from '../../src/index.ts'
import { callOutcome, faultHost, faulty, membersOf, newHome } from '../support/fault-host.ts'

/** The smallest possible server: every request gets the same answer. */
const answer =
  '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"sh","version":"1"},"content":[{"type":"text","text":"here"}]}}\\n'
const loop = `while IFS= read -r line; do case $line in *'"id":'*) id=\${line#*'"id":'}; printf '${answer}' "\${id%%,*}";; esac; done`
const small = (index: number) => ({ command: 'sh', args: ['-c', loop, `s${index}`], protocol: 'legacy' })

test('FI-80 1000 servers are listed without starting any of them', async () => {
  const servers = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`s${index}`, small(index)]))
  await using fault = await faultHost(servers)
  expect(fault.host.servers()).toHaveLength(1001)
  expect(fault.host.servers().every(({ status }) => status.state === 'idle')).toBe(true)
  expect(toListing(fault.host.discovery).servers).toHaveLength(1001)
  expect(fault.pids()).toEqual([])
  await fault.goodAnswers()
})

test('FI-80 200 servers start at most eight at a time, use three file descriptors each, and all exit', async () => {
  const count = 200
  const base = nodePlatform()
  let [starting, most] = [0, 0]
  const groups: number[] = []
  const servers = Object.fromEntries(Array.from({ length: count }, (_, index) => [`s${index}`, small(index)]))
  const home = newHome()
  const config = join(home, 'servers.json')
  writeFileSync(config, JSON.stringify({ mcpServers: servers }))
  const before = openFiles()
  const host = await createHost({
    cwd: home,
    config,
    sources: ['plugboard'],
    platform: {
      home,
      env: { HOME: home, PATH: process.env['PATH'] },
      async spawn(how) {
        most = Math.max(most, ++starting)
        const child = await base.spawn(how).finally(() => starting--)
        groups.push(child.pid)
        return child
      },
    },
  })
  const names = host.servers().map(({ name }) => name)
  expect(names).toHaveLength(count)
  await Promise.all(names.map((name) => host.request(name, 'tools/call', { name: 'tool', arguments: {} })))
  expect(most).toBeLessThanOrEqual(8)
  expect(groups).toHaveLength(count)
  expect(openFiles() - before).toBeLessThan(4 * count)
  await host.close()
  rmSync(home, { recursive: true })
  expect(membersOf(groups)).toEqual([])
  await expect.poll(openFiles).toBeLessThanOrEqual(before + 2)
})

function openFiles(): number {
  return readdirSync('/proc/self/fd').length
}

test('FI-82 a suspended host extends all deadlines by the lost time, and starts no server twice', async () => {
  const { clock } = nodePlatform()
  const events: HostEvent[] = []
  await using fault = await faultHost(
    {
      x: faulty({ on: { 'tools/call:crash': { exit: 1 } } }, { lifecycle: 'background', protocol: 'legacy' }),
    },
    { platform: { clock }, on: (event) => events.push(event) },
  )
  await fault.goodAnswers()
  await fault.untilStatus('ready')
  const step = [{ until: 'notifications/go' }, 'answer']
  const waiting = { server: 'good', args: { step }, timeoutMs: 1000 }
  await callOutcome(fault.call('crash'))
  const calls = Array.from({ length: 20 }, () => fault.call('do', waiting))
  const hung = fault.call('do', { ...waiting, args: { step: 'hang' } })
  await fault.goodAnswers()
  fault.host.notify('good', 'notifications/go')
  await new Promise((resolve) => void setImmediate(resolve))
  // Meanwhile the answers arrive, all deadlines pass, and the crashed server is due.
  block(2500)
  expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual(Array(20).fill('fulfilled'))
  await expect(hung).rejects.toMatchObject({ code: 'call.timeout' })
  await fault.untilStatus('ready')
  expect(fault.pids()).toHaveLength(2)
  expect(
    events.filter((event) => event.type === 'server.changed' && event.status.reason === 'retry'),
  ).toHaveLength(2)
})

/** Blocks this process. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
