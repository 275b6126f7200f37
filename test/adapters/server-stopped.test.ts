import { expect, test } from 'vitest'
import { toOpenAi } from '../../src/adapters/openai.ts'
import type { Host } from '../../src/index.ts'
import { scripted, toolHost, writeServers } from '../support/tool-host.ts'
import type { ToolHost } from '../support/tool-host.ts'

const tool = (name: string) => ({ name, inputSchema: { type: 'object' } }) as const
const good = scripted({ tools: [tool('ok')] })
const slow = (more = {}) =>
  scripted({ tools: [tool('wait')], on: { 'tools/call': [{ progress: 1 }, 'hang'] } }, more)
const call = (id: string, name: string) =>
  ({ id, type: 'function', function: { name, arguments: '{}' } }) as const

test.each<[string, (host: Host, x: ToolHost) => Promise<unknown>, string]>([
  ['restarted', (host) => host.restart('slow'), 'The server was restarted.'],
  ['stopped', (host) => host.stop('slow'), 'The server was stopped.'],
  [
    'reloaded with a changed entry',
    (host, x) => {
      writeServers(x.home, { good, slow: slow({ timeout: 1000 }) })
      return host.reload()
    },
    'The server was stopped.',
  ],
])('model call: answered with an error when its server is %s during the call', async (_, stop, why) => {
  await using x = await toolHost({ good, slow: slow() })
  const { chat } = await toOpenAi(x.host)
  const answers = chat.run({ tool_calls: [call('1', 'good__ok'), call('2', 'slow__wait')] })
  await x.until('call.progressed', ({ ref }) => ref === 'slow/wait')
  await stop(x.host, x)
  expect(await answers).toEqual([
    { role: 'tool', tool_call_id: '1', content: expect.any(String) as string },
    { role: 'tool', tool_call_id: '2', content: `Error: "slow": ${why}` },
  ])
})

test('model call: rejects with host.closed when the host closes during the call', async () => {
  await using x = await toolHost({ good, slow: slow() })
  const { chat } = await toOpenAi(x.host)
  const answers = chat.run({ tool_calls: [call('1', 'slow__wait')] })
  await x.until('call.progressed', ({ ref }) => ref === 'slow/wait')
  await Promise.all([x.host.close(), expect(answers).rejects.toMatchObject({ code: 'host.closed' })])
})
