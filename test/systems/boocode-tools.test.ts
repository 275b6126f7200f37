import { describe, expect, test } from 'vitest'
import { ZodRecord } from 'zod'
import { nodePlatform } from '../../src/index.ts'
import type { Json, JsonObject } from '../../src/index.ts'
import { startFaultyHttp } from '../../src/testing.ts'
import { nativeTool, startBoocode } from '../support/boocode.ts'
import { serverWithTools } from '../support/tool-host.ts'

const context7 = ['resolve-library-id', 'query-docs']

/** The default answer of the test server: the call it received. */
const echo = (name: string, args = {}) => JSON.stringify({ name, arguments: args })

/** A server with one tool, `t`, that returns this result. */
const answering = (result: JsonObject) => serverWithTools(['t'], { on: { 'tools/call': { result } } })
const saying = (...content: readonly Json[]) => answering({ content })
const text = (words: string) => ({ type: 'text', text: words })

async function answerOf(server: JsonObject) {
  await using boocode = await startBoocode({ a: server })
  return await boocode.run('a_t')
}

const namesOf = (tools: readonly { readonly name: string }[]) => tools.map(({ name }) => name)

describe('BooCode: tools of servers', () => {
  test('P1 a remote server is used over Streamable HTTP', async () => {
    const tools = context7.map((name) => ({ name, inputSchema: { type: 'object' } }))
    await using remote = await startFaultyHttp({ tools }, { spawn: nodePlatform().spawn })
    await using boocode = await startBoocode({ context7: { type: 'streamableHttp', url: remote.url.href } })
    const query = { query: 'zod' }
    expect(await boocode.run('context7_query-docs', query)).toBe(echo('query-docs', query))
  })

  test('P2 names keep their hyphens after the prefix', async () => {
    await using boocode = await startBoocode({ context7: serverWithTools(context7) })
    expect(namesOf(boocode.ALL_TOOLS)).toEqual(['context7_query-docs', 'context7_resolve-library-id'])
  })

  test('P3 a call uses the tool’s name without the prefix', async () => {
    await using boocode = await startBoocode({ context7: serverWithTools(context7) })
    expect(await boocode.run('context7_resolve-library-id')).toBe(echo('resolve-library-id'))
  })

  test('P4 a tool with readOnly: false is rejected', async () => {
    const tools = [{ name: 'writes', annotations: { readOnly: false } }, 'reads']
    await using boocode = await startBoocode({ a: serverWithTools(tools) })
    expect(namesOf(boocode.ALL_TOOLS)).toEqual(['a_reads'])
  })

  test('P5 a tool with readOnly: true, or without the hint, is accepted', async () => {
    const tools = [{ name: 'reads', annotations: { readOnly: true } }, 'silent']
    await using boocode = await startBoocode({ a: serverWithTools(tools) })
    expect(boocode.READ_ONLY_TOOL_NAMES).toEqual(['a_reads', 'a_silent'])
  })

  test('P6 jsonSchema is the server’s schema, unchanged', async () => {
    const inputSchema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      $defs: { id: { type: 'string', pattern: '^/' } },
      properties: { id: { $ref: '#/$defs/id' }, deep: { anyOf: [{ type: 'null' }, { type: 'array' }] } },
      required: ['id'],
      'x-own': { kept: true },
    }
    await using boocode = await startBoocode({ a: serverWithTools([{ name: 't', inputSchema }, 'bare']) })
    expect(boocode.tool('a_t').jsonSchema).toEqual(inputSchema)
    expect(boocode.tool('a_bare').jsonSchema).toEqual({ type: 'object' })
  })

  test('P7 inputSchema is a zod record that accepts any object; only the server checks arguments', async () => {
    const inputSchema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }
    await using boocode = await startBoocode({ a: serverWithTools([{ name: 't', inputSchema }]) })
    const { inputSchema: schema } = boocode.tool('a_t')
    expect(schema).toBeInstanceOf(ZodRecord)
    const wrong = { n: 'one', more: [{ deep: null }] }
    expect(schema.parse(wrong)).toEqual(wrong)
    expect(schema.safeParse('no record').success).toBe(false)
    expect(await boocode.run('a_t', wrong)).toBe(echo('t', wrong))
  })

  test('P13 execute: text blocks are joined by newlines', async () => {
    expect(await answerOf(saying(text('one'), text('two\n'), text('three')))).toBe('one\ntwo\n\nthree')
  })

  test('P14 execute: a resource block is rendered as JSON', async () => {
    const resource = { type: 'resource', resource: { uri: 'file:///b', text: 'hello' } }
    expect(await answerOf(saying(text('see'), resource))).toBe(`see\n${JSON.stringify(resource)}`)
  })

  test('P15 execute: an empty result is "(no output)"', async () => {
    expect(await Promise.all([answerOf(saying()), answerOf(answering({}))])).toEqual([
      '(no output)',
      '(no output)',
    ])
  })

  test('P16 execute: isError becomes { error: true, output }', async () => {
    const content = [text('no such'), text('library')]
    expect(await answerOf(answering({ content, isError: true }))).toEqual({
      error: true,
      output: 'no such\nlibrary',
    })
  })

  test('P16 execute: a JSON-RPC error keeps the server’s message, because the server was reached', async () => {
    const refusing = serverWithTools(['t'], {
      on: { 'tools/call': { error: { code: -32602, message: 'no id' } } },
    })
    expect(await answerOf(refusing)).toEqual({
      error: true,
      output: 'The server refused the call: no id (-32602)',
    })
  })

  test('B9 a tool is named <serverName>_<toolName>, with the server’s key in the file', async () => {
    await using boocode = await startBoocode({ 'My-Docs2': serverWithTools(['get_it', 'Get-It']) })
    expect(namesOf(boocode.ALL_TOOLS)).toEqual(['My-Docs2_Get-It', 'My-Docs2_get_it'])
  })

  test('B9 characters that models reject are replaced in the name; the call uses the original name', async () => {
    await using boocode = await startBoocode({ 'my docs': serverWithTools(['get.it']) })
    expect(namesOf(boocode.ALL_TOOLS)).toEqual(['my_docs_get_it'])
    expect(await boocode.run('my_docs_get_it')).toBe(echo('get.it'))
  })

  test('B10 toolToServer: maps a name to its server and the tool’s name there', async () => {
    await using boocode = await startBoocode(
      { a: serverWithTools(['one']), b_c: serverWithTools(['d_e']) },
      { native: [nativeTool('grep')] },
    )
    expect([...boocode.toolToServer]).toEqual([
      ['a_one', { server: 'a', tool: 'one' }],
      ['b_c_d_e', { server: 'b_c', tool: 'd_e' }],
    ])
  })

  test('B11 tools of two servers with the same name are both kept, and each call reaches its server', async () => {
    const from = (name: string) => ({ on: { 'tools/call': { result: { content: [text(`from ${name}`)] } } } })
    await using boocode = await startBoocode({
      a: serverWithTools(['b_c'], from('a')),
      a_b: serverWithTools(['c'], from('a_b')),
    })
    const [first = '', second = '', ...others] = namesOf(boocode.ALL_TOOLS)
    expect([first, second, others]).toEqual(['a_b_c', expect.stringMatching(/^a_b_c_h[0-9a-f]{8}$/), []])
    expect([await boocode.run(first), await boocode.run(second)]).toEqual(['from a', 'from a_b'])
    expect(boocode.warnings).toEqual([expect.stringContaining('because "a_b_c" is a/b_c.')])
  })

  test('B11 a name clash that appears later is logged then, once', async () => {
    const tools = { tools: [{ name: 'file', inputSchema: { type: 'object' } }] }
    const script = {
      on: {
        'tools/list': { each: ['answer', { result: tools }] },
        'tools/call': [{ listChanged: 'tools' }, 'answer'],
      },
    }
    await using boocode = await startBoocode(
      { view: serverWithTools(['first'], script) },
      { native: [nativeTool('view_file')] },
    )
    const loggedClashes = () => boocode.warnings.map((line) => line.replace(/^.*: |_h[0-9a-f]{8}/g, ''))
    expect(loggedClashes()).toEqual([])
    await boocode.run('view_first')
    await expect
      .poll(loggedClashes)
      .toEqual(['view/file is called "view_file", because "view_file" is a native tool.'])
  })

  test('B11 BooCode’s own tool keeps its name when a server’s tool has the same, and a warning says so', async () => {
    const own = nativeTool('view_file')
    await using boocode = await startBoocode({ view: serverWithTools(['file']) }, { native: [own] })
    expect(boocode.TOOLS_BY_NAME.get('view_file')).toBe(own)
    expect([...boocode.toolToServer.values()]).toEqual([{ server: 'view', tool: 'file' }])
    expect(boocode.warnings).toEqual([expect.stringContaining('because "view_file" is a native tool')])
  })

  test('B18 a tool with readOnlyHint: false is rejected; with true or without the hint it is accepted', async () => {
    const tools = [
      { name: 'writes', annotations: { readOnlyHint: false } },
      { name: 'reads', annotations: { readOnlyHint: true } },
      { name: 'destroys', annotations: { destructiveHint: true } },
      'silent',
    ]
    await using boocode = await startBoocode({ a: serverWithTools(tools) })
    expect(namesOf(boocode.ALL_TOOLS)).toEqual(['a_destroys', 'a_reads', 'a_silent'])
    await expect(boocode.host.call('a_writes')).rejects.toMatchObject({ code: 'tool.unknown' })
  })

  test('B18 rejected tools are logged once per server, and again when there are more', async () => {
    const writer = (name: string) => ({
      name,
      annotations: { readOnlyHint: false },
      inputSchema: { type: 'object' },
    })
    const more = { tools: [writer('erase'), writer('move'), writer('write')] }
    const script = {
      on: {
        'tools/list': { each: ['answer', { result: more }] },
        'tools/call': [{ listChanged: 'tools' }, 'answer'],
      },
    }
    await using boocode = await startBoocode({
      a: serverWithTools([writer('write'), writer('erase'), 'read'], script),
      b: serverWithTools(['read']),
    })
    const first = 'The read-only guard hides tools of "a" that declare that they write: a_erase, a_write.'
    expect(boocode.warnings).toEqual([first])
    await boocode.run('a_read')
    await expect.poll(() => boocode.warnings).toEqual([first, first.replace('a_write', 'a_move, a_write')])
  })

  test('B19 a result of up to 5 × 1024² bytes is returned whole; a longer one is cut there, with a note', async () => {
    const cap = 5 * 1024 * 1024
    const sized = (bytes: number) =>
      answerOf(serverWithTools(['t'], { on: { 'tools/call': { answer: { bytes } } } }))
    const [whole, cut] = await Promise.all([sized(cap), sized(cap + 1024 * 1024)])
    const counted = (answer: unknown) => {
      const text = String(answer)
      // A regular expression over megabytes of one letter needs more stack than some threads have.
      const rest = text.replaceAll('x', '')
      return `${text.length - rest.length} x${rest}`
    }
    expect(counted(whole)).toMatch(/^5242\d{3} x$/)
    expect(counted(cut)).toMatch(
      /^5242880 x\n\[The result was cut: it has \d{7} bytes, and the limit is 5242880\.\]$/,
    )
  })
})
