import { describe, expect, test } from 'vitest'
import type { Rule } from '../../src/index.ts'
import { outcomeOf } from '../support/outcome.ts'
import { remoteHost, serveMcp, tool } from '../support/remote.ts'

const secrets: Rule = {
  effect: 'deny',
  tools: ['*'],
  when: [{ at: '/path', matches: '/etc/*' }],
  reason: 'It is private.',
}

/** A host with one tool whose calls the rule restricts, and the arguments that its server received. */
async function hostWithRule() {
  const path = { path: { type: ['string', 'null', 'object'] } }
  const server = await serveMcp({}, { tools: [tool('read', path)] })
  const { host } = await remoteHost(
    { type: 'http', url: server.url.href },
    { policy: [secrets], approve: async () => 'no' },
  )
  await host.ready()
  const received = () => server.of('tools/call').map(({ message }) => message.params?.['arguments'])
  return { host, received }
}

describe('call: rules and the schema see the arguments exactly as the server gets them', () => {
  test.each([
    ['toJSON of the value', { path: { toJSON: () => '/etc/passwd' } }],
    ['toJSON of the arguments', { path: '/tmp/a', toJSON: () => ({ path: '/etc/passwd' }) }],
    [
      'toJSON of a String object',
      { path: Object.assign(Object('/tmp/a'), { toJSON: () => '/etc/passwd' }) as object },
    ],
    ['a String object', { path: new String('/etc/passwd') }],
  ])('%s does not get around a rule', async (_, args) => {
    const { host, received } = await hostWithRule()
    expect(await outcomeOf(host.call('x__read', args))).toMatchObject({ host: 'call.denied' })
    expect(await outcomeOf(host.call('call_tool', { name: 'x__read', arguments: args }))).toMatchObject({
      host: 'call.denied',
    })
    expect(received()).toEqual([])
  })

  test('a getter that changes its value, and a change after the call began, are not sent', async () => {
    const { host, received } = await hostWithRule()
    let reads = 0
    const changing = {
      get path() {
        return reads++ === 0 ? '/tmp/a' : '/etc/passwd'
      },
    }
    await host.call('x__read', changing)
    const later = { path: '/tmp/b' }
    const called = host.call('x__read', later)
    later.path = '/etc/passwd'
    await called
    expect(received()).toEqual([{ path: '/tmp/a' }, { path: '/tmp/b' }])
  })

  test('a date is checked as the string that is sent, NaN as null', async () => {
    const { host, received } = await hostWithRule()
    await host.call('x__read', { path: new Date(0) })
    await host.call('x__read', { path: NaN })
    expect(received()).toEqual([{ path: '1970-01-01T00:00:00.000Z' }, { path: null }])
  })

  test.each([
    ['a BigInt', { path: 1n }, 'BigInt'],
    ['a cycle', cyclic(), 'circular'],
    ['a function', () => 1, 'function'],
  ])('%s is refused as invalid arguments', async (_, args, word) => {
    const { host, received } = await hostWithRule()
    const error = await host.call('x__read', args).catch((reason: unknown) => reason)
    expect(error).toMatchObject({
      code: 'call.invalid-args',
      data: { ref: 'x/read', problems: [{ path: '', message: expect.stringContaining(word) as string }] },
    })
    expect(received()).toEqual([])
  })
})

function cyclic(): object {
  const path: Record<string, unknown> = {}
  path['path'] = path
  return path
}
