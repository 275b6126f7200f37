import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import type { ToolAssembly } from '../../src/adapters/dispatch.ts'
import { startBoocode } from '../support/boocode.ts'
import { outcome, remoteHost, serveMcp } from '../support/remote.ts'
import { namesOf, startDispatch } from './dispatch-support.ts'

/** A server that can be away for a while: nothing listens on its port then. */
async function leavingServer() {
  const served = await serveMcp()
  const { port } = served.server.address() as AddressInfo // it listens on a port
  return {
    url: served.url.href,
    leave: () => served.stop(),
    comeBack: () => new Promise<void>((resolve) => void served.server.listen(port, '127.0.0.1', resolve)),
  }
}

describe('D6 Dispatch: an HTTP server that stops answering', () => {
  const callOf = ({ assembly }: { readonly assembly: ToolAssembly }, name: string) =>
    assembly.tools.find((tool) => tool.name === name)

  test('D6 §2b has no tools in the turn after the first failed call, and has them again when it answers', async () => {
    const server = await leavingServer()
    await using x = await startDispatch()
    const cwd = x.project({ a: { transport: 'http', url: server.url } })
    const first = await x.turn(cwd)
    expect(namesOf(first)).toEqual(['a__work'])
    await server.leave()
    expect(await first.call('a__work')).toMatchObject({ isError: true })
    expect(await x.service.status(cwd)).toEqual([
      { id: 'a', state: 'error', error: expect.stringContaining('is running') as string, toolCount: 0 },
    ])
    expect(x.host.logs.some(({ level, message }) => level === 'warn' && message.includes('is running'))).toBe(
      true,
    )
    expect(callOf(await x.turn(cwd), 'a__work')).toBeUndefined()
  })

  test('D6 a server that is back by the next turn keeps its tools', async () => {
    const server = await leavingServer()
    await using x = await startDispatch()
    const cwd = x.project({ a: { transport: 'http', url: server.url } })
    const first = await x.turn(cwd)
    await server.leave()
    await first.call('a__work')
    await server.comeBack()
    const second = await x.turn(cwd)
    expect(namesOf(second)).toEqual(['a__work'])
    expect(await second.call('a__work')).toEqual({ content: 'did work' })
    expect(await x.service.status(cwd)).toEqual([{ id: 'a', state: 'connected', toolCount: 1 }])
  })
})

test('P12 BooCode: an HTTP server that stops answering is logged once per outage, and its tools stay', async () => {
  const server = await leavingServer()
  await using boocode = await startBoocode({ a: { type: 'streamableHttp', url: server.url } })
  await server.leave()
  const unreachable = { error: true, output: 'MCP server unreachable' }
  expect([await boocode.run('a_work'), await boocode.run('a_work')]).toEqual([unreachable, unreachable])
  expect(boocode.errors).toEqual([expect.stringMatching(/^MCP server "a" is unavailable\. ./)])
  await server.comeBack()
  expect(await boocode.run('a_work')).toBe('did work')
  await server.leave()
  await boocode.run('a_work')
  expect(boocode.errors).toHaveLength(2)
})

test('the default keeps offering the tools of a server that is away, and says so in status and error', async () => {
  const server = await leavingServer()
  const x = await remoteHost({ type: 'http', url: server.url })
  await x.host.ready()
  const status = () => x.host.servers().find(({ name }) => name === 'x')?.status
  const names = () => x.host.tools().map(({ name }) => name)
  const before = names()
  await server.leave()
  expect(await outcome(x.host.call('x__work'))).toMatchObject({ failure: 'network' })
  expect(names()).toEqual(before)
  expect(status()).toMatchObject({ state: 'ready', reason: 'unreachable', away: { code: 'network' } })
  await server.comeBack()
  expect(await x.host.call('x__work')).toMatchObject({ text: 'did work' })
  expect(status()).toMatchObject({ state: 'ready', reason: 'reached-again' })
  expect(status()).not.toHaveProperty('away')
})
