import { expect, test } from 'vitest'
import { openOwnAudit } from '../../src/store.ts'
import { callEarly, echoServer, keyFor, lateServer, startGateway, textOf } from '../support/gateway.ts'

const limits = [
  { callers: ['ci*'], tools: ['echo/echo'], perMinute: 2 },
  { callers: ['ci*'], perDay: 3 },
]
const echo = { name: 'echo__echo', arguments: {} }
const log = { name: 'echo__log', arguments: {} }

test.each(['legacy', 'modern'] as const)(
  'a caller that calls too often is told when to try again; other callers and tools are not concerned (%s)',
  async (era) => {
    await using started = await startGateway({ echo: echoServer() }, { settings: { gateway: { limits } } })
    const [ci, other] = [await keyFor(started, 'ci-1'), await keyFor(started, 'other')]
    for (let at = 0; at < 2; at++) expect(textOf(await started[era]('tools/call', echo, ci))).toBe('{}')
    const refused = await started[era]('tools/call', echo, ci)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused.body.error).toMatchObject({
      code: -32029,
      message: expect.stringMatching(/^Too many calls: this caller has 2 a minute\. Try again in \d+ s\.$/),
      data: { retryAfterMs: expect.any(Number) },
    })
    // The refused call has not counted for the day: one is left.
    expect(textOf(await started[era]('tools/call', log, ci))).toBe('logged')
    const day = await started[era]('tools/call', log, ci)
    expect(day.body.error?.['message']).toContain('3 a day')
    // A state that the client sends along makes no free call.
    const withState = { ...log, requestState: 'x', inputResponses: {} }
    expect((await started[era]('tools/call', withState, ci)).status).toBe(429)
    expect((await started[era]('tools/list', {}, ci)).status).toBe(200)
    for (let at = 0; at < 5; at++) {
      expect(textOf(await started[era]('tools/call', echo, other))).toBe('{}')
      expect(textOf(await started[era]('tools/call', echo))).toBe('{}')
    }
  },
)

test('a call through the tools that search and call counts as one of its tool', async () => {
  await using started = await startGateway({ echo: echoServer() }, { settings: { gateway: { limits } } })
  const ci = { ...(await keyFor(started, 'ci')), path: '?mode=search' }
  const listed = await started.modern('tools/list', {}, ci)
  const tools = listed.body.result?.['tools'] as readonly { readonly name: string }[] | undefined
  const names = tools?.map(({ name }) => name) ?? []
  const name = names.find((each) => each.startsWith('call')) ?? ''
  const call = { name, arguments: { name: 'echo__echo', arguments: {} } }
  for (let at = 0; at < 2; at++) expect((await started.modern('tools/call', call, ci)).status).toBe(200)
  expect((await started.modern('tools/call', call, ci)).body.error).toMatchObject({ code: -32029 })
})

test('a call through them counts before anything of its server is known', async () => {
  await using started = await startGateway(
    { echo: echoServer(), late: lateServer() },
    { settings: { gateway: { limits: [{ callers: ['ci'], tools: ['late/echo'], perMinute: 2 }] } } },
  )
  const ci = { ...(await keyFor(started, 'ci')), path: '?mode=search' }
  const call = { name: 'call_tool', arguments: { name: 'late__echo', arguments: {} } }
  const answers = await callEarly(started, () =>
    [1, 2, 3].map((id) => started.modern('tools/call', call, { ...ci, id })),
  )
  expect(answers.map(({ status }) => status).sort((one, other) => one - other)).toEqual([200, 200, 429])
})

test('the tool that calls another is told what it takes, and sends nothing', async () => {
  await using started = await startGateway({ echo: echoServer() })
  const wrong = [{}, { name: 'echo__echo', arguments: null }, { name: 'echo__echo', other: 1 }]
  const answers = await Promise.all(
    wrong.map((args) =>
      started.modern('tools/call', { name: 'call_tool', arguments: args }, { path: '?mode=search' }),
    ),
  )
  const text =
    '"call_tool" was not called: it takes "name", a text, and "arguments", an object, and nothing else.'
  const expected = { resultType: 'complete', content: [{ type: 'text', text }], isError: true }
  expect(answers.map(({ body }) => body.result)).toEqual([expected, expected, expected])
})

test('the audit trail has a row of a call that a limit refused, with its caller and tool', async () => {
  await using started = await startGateway({ echo: echoServer() }, { settings: { gateway: { limits } } })
  const ci = await keyFor(started, 'ci')
  for (let at = 0; at < 3; at++) await started.modern('tools/call', echo, ci)
  await started.gateway.host.flushAudit()
  const { home, env, project } = started.machine
  await using audit = await openOwnAudit({ cwd: project, platform: { home, env } })
  const [last, ...before] = (await audit.list()).map((row) => (row.kind === 'call' ? row : undefined))
  expect(last).toMatchObject({
    by: { surface: 'gateway', key: 'ci' },
    ref: 'echo/echo',
    outcome: 'refused',
    error: 'call.limited',
    resultBytes: 0,
  })
  expect(last).not.toHaveProperty('decision')
  expect(before.map((row) => row?.outcome)).toEqual(['done', 'done'])
})
