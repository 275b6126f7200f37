import { describe, expect, test } from 'vitest'
import { ClientSession, splitLines } from './client-session.ts'

const line = (message: object) => Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const read = (lines: readonly (string | Buffer)[]) =>
  lines.map((each) => JSON.parse(each.toString()) as Record<string, unknown>)

function greeted(): ClientSession {
  const session = new ClientSession()
  session.fromClient(line({ id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25' } }))
  session.fromGateway(line({ id: 0, result: {} }))
  session.fromClient(line({ method: 'notifications/initialized' }))
  return session
}

describe('a client whose gateway is gone', () => {
  test('a call that may have run gets an error that says so, and is not sent again', () => {
    const session = greeted()
    session.fromClient(line({ id: 'x', method: 'tools/call', params: { name: 'a' } }))
    session.fromClient(line({ id: 2, method: 'tools/list' }))
    const lost = read(session.lose())
    expect(lost).toMatchObject([{ id: 'x', error: { code: -32603, data: { mayHaveRun: true } } }])
    expect(session.hasRepeatable).toBe(true)
    expect(read(session.resume()).map(({ method }) => method)).toEqual([
      'initialize',
      'notifications/initialized',
      'tools/list',
    ])
  })

  test('what only reads is sent again once', () => {
    const session = greeted()
    session.fromClient(line({ id: 2, method: 'tools/list' }))
    expect(session.lose()).toEqual([])
    expect(read(session.resume()).at(-1)).toEqual({ jsonrpc: '2.0', id: 2, method: 'tools/list' })
    expect(read(session.lose())).toMatchObject([{ id: 2, error: { data: { mayHaveRun: false } } }])
    expect(session.hasRepeatable).toBe(false)
  })

  test('a request to listen is sent again each time that a gateway ends which had acknowledged it, and else once', () => {
    const session = greeted()
    const listen = { id: 'l', method: 'subscriptions/listen', params: { notifications: {} } }
    const uris = Array.from({ length: 50 }, (_, at) => `test://resource/${at}`)
    const acknowledge = (id: string) =>
      session.fromGateway(
        line({
          method: 'notifications/subscriptions/acknowledged',
          params: {
            notifications: { resourceSubscriptions: uris },
            _meta: { 'io.modelcontextprotocol/subscriptionId': id },
          },
        }),
      )
    session.fromClient(line(listen))
    for (let ends = 0; ends < 3; ends++) {
      expect(acknowledge('l')).toBe(true)
      expect(session.lose()).toEqual([])
      expect(read(session.resume()).at(-1)).toEqual({ jsonrpc: '2.0', ...listen })
    }
    acknowledge('other')
    expect(read(session.lose())).toMatchObject([{ id: 'l', error: { code: -32603 } }])
  })

  test.each(['skills/list', 'skills/get', 'resources/directory/read'])('%s is sent again', (method) => {
    const session = greeted()
    session.fromClient(line({ id: 2, method, params: { uri: 'skill://a/SKILL.md' } }))
    expect(session.lose()).toEqual([])
    expect(read(session.resume()).at(-1)).toMatchObject({ id: 2, method })
  })

  test('answered and cancelled requests are not open', () => {
    const session = greeted()
    session.fromClient(line({ id: 1, method: 'tools/call', params: {} }))
    session.fromClient(line({ id: 2, method: 'tools/call', params: {} }))
    session.fromGateway(line({ id: 1, error: { code: 1, message: '' } }))
    session.fromClient(line({ method: 'notifications/cancelled', params: { requestId: 2 } }))
    expect(session.lose()).toEqual([])
  })

  test('the next gateway hears the greeting, the level and the subscriptions; its answers to them are kept back', () => {
    const session = greeted()
    session.fromClient(line({ id: 1, method: 'logging/setLevel', params: { level: 'error' } }))
    session.fromClient(line({ id: 2, method: 'resources/subscribe', params: { uri: 'a:' } }))
    session.fromClient(line({ id: 3, method: 'resources/subscribe', params: { uri: 'b:' } }))
    session.fromClient(line({ id: 4, method: 'resources/unsubscribe', params: { uri: 'a:' } }))
    for (const id of [1, 2, 3, 4]) session.fromGateway(line({ id, result: {} }))
    expect(session.lose()).toEqual([])
    const said = read(session.resume())
    expect(said.map(({ method, params }) => [method, params])).toEqual([
      ['initialize', { protocolVersion: '2025-11-25' }],
      ['notifications/initialized', undefined],
      ['logging/setLevel', { level: 'error' }],
      ['resources/subscribe', { uri: 'b:' }],
    ])
    const ids = said.flatMap(({ id }) => (id === undefined ? [] : [id as string]))
    expect(ids.map((id) => session.fromGateway(line({ id, result: {} })))).toEqual([false, false, false])
    expect(session.fromGateway(line({ id: 5, result: {} }))).toBe(true)
    expect(session.changes()).toHaveLength(3)
  })

  test('an answer to a question of the gateway that is gone is not passed on', () => {
    const session = greeted()
    session.fromGateway(line({ id: 'plugboard-1', method: 'elicitation/create', params: {} }))
    session.lose()
    const answer = line({ id: 'plugboard-1', result: {} })
    expect(session.fromClient(answer)).toBe(false)
    session.fromGateway(line({ id: 'plugboard-1', method: 'elicitation/create', params: {} }))
    expect(session.fromClient(answer)).toBe(true)
  })

  test('a modern client has no greeting to repeat and no changes to hear', () => {
    const session = new ClientSession()
    session.fromClient(line({ id: 1, method: 'subscriptions/listen', params: {} }))
    expect(session.lose()).toEqual([])
    expect(read(session.resume())).toEqual([
      { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: {} },
    ])
    expect(session.changes()).toEqual([])
  })
})

test('lines are whole, however their bytes are cut', () => {
  const found: string[] = []
  const split = splitLines((each) => found.push(each.toString()))
  for (const part of ['a', 'b\nc', '', '\n\nde', 'f']) split(Buffer.from(part))
  expect(found).toEqual(['ab\n', 'c\n', '\n'])
})
