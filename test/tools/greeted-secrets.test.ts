import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/index.ts'
import { newHome, toolHost } from '../support/tool-host.ts'

const secret = 'tok-abcdefghijkl-123456'
const encoded = Buffer.from(`dana:${secret}`).toString('base64')

/** A server that repeats its secret wherever the protocol has a text; it also asks a person and a model with it. */
const source = `
const secret = process.env.TOKEN
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
const inputSchema = { type: 'object', description: secret }
const results = {
  initialize: {
    protocolVersion: '2025-11-25',
    serverInfo: { name: 'x ' + secret, version: secret, icons: [{ src: encodeURIComponent(secret) }] },
    capabilities: { tools: {}, resources: {}, prompts: {}, experimental: { [secret]: { a: secret.toUpperCase() } } },
    instructions: 'Basic ' + Buffer.from('dana:' + secret).toString('base64'),
  },
  'tools/list': { tools: [{ name: 'ask', title: secret, description: secret, inputSchema }] },
  'resources/list': { resources: [{ uri: 'x://1', name: secret, description: secret }] },
  'resources/templates/list': { resourceTemplates: [{ uriTemplate: 'x://{a}', name: secret }] },
  'prompts/list': { prompts: [{ name: 'p', title: secret, arguments: [{ name: 'q', description: secret }] }] },
  'tools/call': { content: [{ type: 'text', text: secret }] },
  'x/raw': { a: [secret, { [secret]: Buffer.from(secret).toString('hex') }] },
}
const form = { message: secret, requestedSchema: { type: 'object', properties: { a: { type: 'string', default: secret } } } }
let call
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, result } = JSON.parse(line)
  if (method === 'x/ask') {
    call = id
    send({ id: 'e', method: 'elicitation/create', params: form })
  } else if (id === 'e') {
    const messages = [{ role: 'user', content: { type: 'text', text: secret } }]
    process.env.KEPT = result.content.a === secret
    send({ id: 's', method: 'sampling/createMessage', params: { messages, maxTokens: 1 } })
  } else if (id === 's') send({ id: call, result: { hasDefault: process.env.KEPT } })
  else if (method === 'x/say') {
    process.stderr.write('x'.repeat(8185) + secret + '\\n' + process.env.PEM + '\\n')
    send({ id, result: {} })
  } else if (results[method]) send({ id, result: results[method] })
  else if (id !== undefined) send({ id, error: { code: -32601, message: 'no ' + secret } })
})
`

const key = [
  '-----BEGIN X-----',
  'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC',
  'BKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj',
].join('\n')

function hostOf(options: Parameters<typeof toolHost>[1] = {}) {
  const home = newHome()
  const script = join(home, 'server.cjs')
  writeFileSync(script, source)
  const entry: JsonObject = {
    command: process.execPath,
    args: [script],
    env: { TOKEN: '${SECRET_TOKEN}', PEM: '${SECRET_PEM}' },
  }
  const env = { PATH: process.env['PATH'], SECRET_TOKEN: secret, SECRET_PEM: key }
  return toolHost({ a: entry }, { ...options, home, platform: { env } })
}

const greeting = {
  serverInfo: { name: 'x •••', version: '•••', icons: [{ src: '•••' }] },
  capabilities: { tools: {}, resources: {}, prompts: {}, experimental: { '•••': { a: '•••' } } },
  instructions: 'Basic ZGFuYT•••',
}

describe('secrets: a secret that a server was given is masked in (T35)', () => {
  test('what connect() and restart() return, the status, and the events', async () => {
    await using x = await hostOf()
    expect(await x.host.connect('a')).toMatchObject(greeting)
    expect(x.host.servers()[0]?.status).toMatchObject({ capabilities: greeting.capabilities })
    expect(await x.host.restart('a')).toMatchObject(greeting)
    const shown = JSON.stringify([x.events, x.host.servers().map(({ status }) => status)])
    expect([secret, encoded].filter((text) => shown.includes(text))).toEqual([])
  })

  test('what list() returns, except in the names that calls need', async () => {
    await using x = await hostOf()
    const listed = async (list: 'tools' | 'resources' | 'resourceTemplates' | 'prompts') =>
      (await x.host.list('a', list)).items
    const inputSchema = { type: 'object', description: '•••' }
    expect(await listed('tools')).toEqual([{ name: 'ask', title: '•••', description: '•••', inputSchema }])
    expect(await listed('resources')).toEqual([{ uri: 'x://1', name: '•••', description: '•••' }])
    expect(await listed('resourceTemplates')).toEqual([{ uriTemplate: 'x://{a}', name: '•••' }])
    const argument = { name: 'q', description: '•••' }
    expect(await listed('prompts')).toEqual([{ name: 'p', title: '•••', arguments: [argument] }])
  })

  test('what redact() makes of the result of a raw request, which is as the server sent it', async () => {
    await using x = await hostOf()
    const raw = JSON.stringify(await x.host.request('a', 'x/raw'))
    expect(raw).toContain(secret)
    expect(JSON.parse(x.host.redact(raw))).toEqual({ a: ['•••', { '•••': '•••' }] })
  })

  test('questions to a person and to a model; a default value is sent back as it came', async () => {
    const asked: unknown[] = []
    await using x = await hostOf({
      elicit: async ({ message, schema }) => {
        asked.push(message, schema)
        return { action: 'accept' }
      },
      sample: async ({ params }) => {
        asked.push(params['messages'])
        return { role: 'assistant', content: { type: 'text', text: 'ok' }, model: 'm' }
      },
    })
    expect(await x.host.request('a', 'x/ask')).toEqual({ hasDefault: 'true' })
    expect(asked).toEqual([
      '•••',
      { type: 'object', properties: { a: { type: 'string', default: '•••' } } },
      [{ role: 'user', content: { type: 'text', text: '•••' } }],
    ])
  })

  test('a log line that is cut within the secret, and each line of a secret with several lines', async () => {
    await using x = await hostOf()
    await x.host.request('a', 'x/say')
    const linesOf = () => x.events.flatMap((event) => (event.type === 'server.said' ? [event.line] : []))
    await x.until('server.said', () => linesOf().length === 4)
    const lines = linesOf()
    expect(lines).toEqual([`${'x'.repeat(8185)}•••…`, '-----BEGIN X-----', '•••', '•••'])
  })

  test('the cause of an error', async () => {
    await using x = await hostOf()
    const error: unknown = await x.host.request('a', 'x/none').catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'request.refused', message: '"a" answered: no •••' })
    expect(inspect(error, { depth: 9 })).not.toContain(secret)
  })
})
