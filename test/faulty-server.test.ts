import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { faultyServerFile } from '../src/testing/faulty-server.ts'
import type { FaultyScript, Step } from '../src/testing/faulty-server.ts'
import { call, startRaw } from './support/programs/raw-server.ts'
import { runProgram } from './support/programs/program.ts'

const text = (id: unknown, value: unknown) => ({
  jsonrpc: '2.0',
  id,
  result: { content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }] },
})
const onCall = (step: Step, script: FaultyScript = {}) => startRaw({ ...script, on: { 'tools/call': step } })
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}
const serverInfo = { 'io.modelcontextprotocol/serverInfo': { name: 'faulty-server', version: '1.0.0' } }

describe('faulty server without faults', () => {
  test('initializes, lists and calls tools without a script', async () => {
    await using server = startRaw()
    server.send(
      { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18' } },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/list' },
      call(3, 'tool-0', { a: 1 }),
      { id: 4, method: 'server/discover' },
    )
    expect([await server.next(), await server.next(), await server.next(), await server.next()]).toEqual([
      {
        jsonrpc: '2.0',
        id: 1,
        result: {
          protocolVersion: '2025-06-18',
          serverInfo: { name: 'faulty-server', version: '1.0.0' },
          capabilities: { tools: { listChanged: true } },
        },
      },
      {
        jsonrpc: '2.0',
        id: 2,
        result: { tools: [{ name: 'tool-0', description: 'Tool 0', inputSchema: { type: 'object' } }] },
      },
      text(3, { name: 'tool-0', arguments: { a: 1 } }),
      { jsonrpc: '2.0', id: 4, error: { code: -32601, message: 'Method not found: server/discover' } },
    ])
    server.child.stdin.end()
    expect(await server.ended).toEqual({ code: 0, signal: null })
  })

  test('era modern: answers server/discover, requires _meta and checks the version', async () => {
    await using server = startRaw({ era: 'modern', ttlMs: 500 })
    const other = { ...meta, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' }
    server.send(
      { id: 1, method: 'server/discover', params: { _meta: meta } },
      { id: 2, method: 'tools/list' },
      { id: 3, method: 'tools/list', params: { _meta: other } },
      { id: 4, method: 'initialize', params: {} },
    )
    const supported = ['2026-07-28']
    expect([await server.next(), await server.next(), await server.next(), await server.next()]).toEqual([
      {
        jsonrpc: '2.0',
        id: 1,
        result: {
          resultType: 'complete',
          ttlMs: 500,
          cacheScope: 'private',
          _meta: serverInfo,
          supportedVersions: supported,
          capabilities: { tools: { listChanged: true } },
        },
      },
      {
        jsonrpc: '2.0',
        id: 2,
        error: { code: -32602, message: '_meta["io.modelcontextprotocol/protocolVersion"] is missing' },
      },
      {
        jsonrpc: '2.0',
        id: 3,
        error: { code: -32022, message: 'Unsupported version', data: { supported, requested: '2099-01-01' } },
      },
      { jsonrpc: '2.0', id: 4, error: { code: -32601, message: 'Method not found: initialize' } },
    ])
  })

  test('pages: splits tools/list, or never ends it', async () => {
    const names = async (pages: NonNullable<FaultyScript['pages']>, cursor?: string) => {
      await using server = startRaw({ tools: 3, pages })
      server.send({ id: 1, method: 'tools/list', params: cursor ? { cursor } : {} })
      const { result } = (await server.next()) as {
        result: { tools: { name: string }[]; nextCursor?: string }
      }
      return [...result.tools.map(({ name }) => name), result.nextCursor]
    }
    expect(await names(2)).toEqual(['tool-0', 'tool-1', 'page-1'])
    expect(await names(2, 'page-1')).toEqual(['tool-2', undefined])
    expect(await names('same-cursor', 'page-1')).toEqual(['tool-0', 'tool-1', 'tool-2', 'page-1'])
    expect(await names('new-cursor', 'page-7')).toEqual(['tool-0-7', 'tool-1-7', 'tool-2-7', 'page-8'])
  })
})

describe('faulty server, steps', () => {
  test('each: takes the next step every time, then repeats the last one', async () => {
    await using server = onCall({ each: [{ text: 'first' }, { error: { code: 5 } }, { text: 'last' }] })
    server.send(call(1, 'a'), call(2, 'a'), call(3, 'a'), call(4, 'a'))
    expect([await server.next(), await server.next(), await server.next(), await server.next()]).toEqual([
      text(1, 'first'),
      { jsonrpc: '2.0', id: 2, error: { code: 5, message: 'scripted error' } },
      text(3, 'last'),
      text(4, 'last'),
    ])
  })

  test('eachStart: counts the starts of a script', async () => {
    const starts = join(await mkdtemp(join(tmpdir(), 'plugboard-starts-')), 'starts')
    const script: FaultyScript = { starts, on: { start: { eachStart: [{ exit: 7 }, { noise: 'up' }] } } }
    await using first = startRaw(script)
    expect(await first.ended).toEqual({ code: 7, signal: null })
    await using second = startRaw(script)
    expect(await second.nextLine()).toBe('up')
  })

  test('until: delays an answer until another message arrives, even if both arrive together', async () => {
    await using server = startRaw({
      on: { 'tools/call:slow': [{ noise: 'held' }, { until: 'tools/call:go' }, 'answer'] },
    })
    server.send(call(1, 'slow'), call(2, 'other'), call(3, 'go'))
    const lines = [
      await server.nextLine(),
      await server.nextLine(),
      await server.nextLine(),
      await server.nextLine(),
    ]
    expect(lines[0]).toBe('held')
    expect(lines.slice(1).map((line) => JSON.parse(line ?? '').id)).toEqual([2, 3, 1])
  })

  test('until: answers after the cancellation', async () => {
    await using server = onCall([{ until: 'notifications/cancelled' }, { text: 'late' }])
    server.send(call(1, 'a'), { method: 'notifications/cancelled', params: { requestId: 1 } })
    expect(await server.next()).toEqual(text(1, 'late'))
  })

  test('before: runs before the step of every request', async () => {
    await using server = startRaw({ before: { noise: 'debug' }, on: { '*': { text: 'any' } } })
    server.send({ id: 1, method: 'ping' })
    expect([await server.nextLine(), await server.next()]).toEqual(['debug', text(1, 'any')])
  })

  test('the tool `do` runs the step in its arguments', async () => {
    await using server = startRaw()
    server.send(call(1, 'do', { step: [{ listChanged: 'tools' }, 'answer'] }))
    expect([await server.next(), await server.next()]).toEqual([
      { jsonrpc: '2.0', method: 'notifications/tools/list_changed' },
      text(1, 'done'),
    ])
  })

  test.each([
    [{ on: { ping: 'anwser' } }, 'unknown action "anwser"'],
    [{ tool: 3 }, 'unknown key "tool"'],
  ])('an invalid script %j ends the server with exit code 64', async (script, message) => {
    await using server = startRaw(script as FaultyScript)
    expect((await server.stderr(/faulty-server: (.*)/))?.[1]).toBe(message)
    expect(await server.ended).toEqual({ code: 64, signal: null })
  })

  test('a script can be read from a file', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'plugboard-script-')), 'script.json')
    await writeFile(file, '{ "on": { "start": { "exit": 3 } } }')
    const { code } = await runProgram(process.execPath, [faultyServerFile, '--script', file])
    expect(code).toBe(3)
  })

  test('journal: records everything received, also in a file', async () => {
    const journal = join(await mkdtemp(join(tmpdir(), 'plugboard-journal-')), 'journal.jsonl')
    await using server = startRaw({ journal })
    server.child.stdin.write('not json\n')
    server.send({ method: 'notifications/initialized' }, call(1, 'journal'))
    const entries = [
      { event: 'start', pid: server.child.pid },
      { unreadable: 'not json' },
      { message: { jsonrpc: '2.0', method: 'notifications/initialized' } },
      { message: { jsonrpc: '2.0', ...call(1, 'journal') } },
    ]
    expect(await server.next()).toEqual(text(1, entries))
    const lines = (await readFile(journal, 'utf8')).trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual(entries)
  })
})

describe('faulty server, invalid messages', () => {
  const good = { content: [{ type: 'text', text: '{"name":"a","arguments":{}}' }] }
  test.each([
    ['wrong-id', { jsonrpc: '2.0', id: 987654321, result: good }],
    ['string-id', { jsonrpc: '2.0', id: '1', result: good }],
    ['null-id', { jsonrpc: '2.0', id: null, result: good }],
    ['no-id', { jsonrpc: '2.0', result: good }],
    ['no-jsonrpc', { id: 1, result: good }],
    ['result-and-error', { jsonrpc: '2.0', id: 1, result: {}, error: { code: -32000, message: 'both' } }],
    ['neither', { jsonrpc: '2.0', id: 1 }],
    ['batch', [{ jsonrpc: '2.0', id: 1, result: good }]],
  ])('answer as %s', async (as, expected) => {
    await using server = onCall({ answer: { as } })
    server.send(call(1, 'a'))
    expect(await server.next()).toEqual(expected)
  })

  test('answer: twice, bytes, depth and proto', async () => {
    await using server = startRaw({
      on: {
        'tools/call:twice': { answer: { twice: true } },
        'tools/call:long': { answer: { bytes: 100_000, idLast: true } },
        'tools/call:deep': { answer: { depth: 1000 } },
        'tools/call:proto': { answer: { proto: true } },
        'tools/call:merged': { answer: { merge: { content: null, isError: true } } },
      },
    })
    server.send(call(1, 'twice'))
    expect(await server.next()).toEqual(await server.next())
    server.send(call(2, 'long'))
    const long = (await server.nextLine()) ?? ''
    expect([long.length, long.slice(0, 24), long.slice(-23)]).toEqual([
      100_000,
      '{"result":{"content":[{"',
      '"jsonrpc":"2.0","id":2}',
    ])
    server.send(call(3, 'deep'))
    expect(await server.nextLine()).toContain(`"structuredContent":${'['.repeat(1000)}]`)
    server.send(call(4, 'proto'))
    expect(await server.nextLine()).toContain('"structuredContent":{"__proto__":{"polluted":true}')
    server.send(call(5, 'merged'))
    expect(await server.next()).toEqual({ jsonrpc: '2.0', id: 5, result: { isError: true } })
  })

  test('progress, notify and send', async () => {
    await using server = onCall([
      { progress: { times: 2, total: 2 } },
      { progress: { token: 'nobody' } },
      { notify: { method: 'notifications/message', params: { data: 1 }, times: 1000 } },
      { send: [{ id: 9, method: 'roots/list' }] },
      'answer',
    ])
    server.send({ id: 1, method: 'tools/call', params: { name: 'a', _meta: { progressToken: 'p' } } })
    const note = (params: object) => ({ jsonrpc: '2.0', method: 'notifications/progress', params })
    expect([await server.next(), await server.next(), await server.next()]).toEqual([
      note({ progressToken: 'p', progress: 1, total: 2 }),
      note({ progressToken: 'p', progress: 2, total: 2 }),
      note({ progressToken: 'nobody', progress: 1 }),
    ])
    for (let count = 0; count < 1000; count++) {
      expect(await server.next()).toEqual({
        jsonrpc: '2.0',
        method: 'notifications/message',
        params: { data: 1 },
      })
    }
    expect(await server.next()).toEqual({ id: 9, method: 'roots/list' })
    expect(await server.next()).toEqual(text(1, { name: 'a', arguments: {} }))
  })

  test('ask: answers with the responses of the client', async () => {
    await using server = onCall({ ask: ['ping', { method: 'roots/list', params: { a: 1 } }] })
    server.send(call(1, 'a'))
    expect(await server.next()).toEqual({ jsonrpc: '2.0', id: 'ask-1', method: 'ping' })
    server.send({ id: 'ask-1', result: {} })
    expect(await server.next()).toEqual({
      jsonrpc: '2.0',
      id: 'ask-2',
      method: 'roots/list',
      params: { a: 1 },
    })
    server.send({ id: 'ask-2', error: { code: -32601, message: 'no' } })
    expect(await server.next()).toEqual(
      text(1, [
        { method: 'ping', result: {} },
        { method: 'roots/list', error: { code: -32601, message: 'no' } },
      ]),
    )
  })
})

describe('faulty server, invalid bytes', () => {
  const first = async (answer: object) => {
    await using server = onCall({ answer: { text: 'é漢😀', ...answer } })
    server.send(call(1, 'a'))
    return (await server.nextBytes()) ?? Buffer.alloc(0)
  }
  const line = JSON.stringify(text(1, 'é漢😀'))

  test('write: CRLF, BOM, split characters and invalid UTF-8', async () => {
    expect((await first({ write: 'crlf' })).toString()).toBe(`${line}\r`)
    expect((await first({ write: 'bom' })).toString()).toBe(`\uFEFF${line}`)
    expect((await first({ write: 'split-utf8' })).toString()).toBe(line)
    const invalid = await first({ write: 'invalid-utf8' })
    expect(invalid.includes(Buffer.from([0xff, 0xc3, 0x28]))).toBe(true)
    expect(() => new TextDecoder('utf-8', { fatal: true }).decode(invalid)).toThrow(TypeError)
  })

  test('noise, raw and rawBase64', async () => {
    await using server = onCall([
      { noise: ['a', 'b'] },
      { noise: { lines: 2, text: 'c' } },
      { raw: 'd\n' },
      { rawBase64: '/w==' },
      { raw: '\n' },
    ])
    server.send(call(1, 'a'))
    const lines: (string | undefined)[] = []
    for (let count = 0; count < 5; count++) lines.push(await server.nextLine())
    expect(lines).toEqual(['a', 'b', 'c', 'c', 'd'])
    expect(await server.nextBytes()).toEqual(Buffer.from([0xff]))
  })

  test('write half ends in the middle of an answer, halves sends the rest with the next message', async () => {
    await using broken = onCall([{ answer: { write: 'half' } }, { exit: 2 }])
    broken.send(call(1, 'a'))
    expect(await broken.ended).toEqual({ code: 2, signal: null })
    const whole = JSON.stringify(text(1, { name: 'a', arguments: {} }))
    expect((await broken.held(10))?.toString()).toBe(whole.slice(0, Math.floor((whole.length + 1) / 2)))

    await using slow = startRaw({ on: { 'tools/call:a': { answer: { write: 'halves' } }, ping: 'hang' } })
    slow.send(call(1, 'a'))
    await slow.held(10)
    slow.send({ id: 2, method: 'ping' })
    expect(await slow.nextLine()).toBe(whole)
  })

  test('endless: a line without an end', async () => {
    await using server = onCall({ endless: {} })
    server.send(call(1, 'a'))
    const held = await server.held(2_000_000)
    expect(held?.subarray(0, 40).toString()).toBe('{"jsonrpc":"2.0","id":1,"result":{"conte')
    expect(held?.includes(10)).toBe(false)
  })

  test('Content-Length, as a fault and as the framing', async () => {
    await using server = onCall({ answer: { text: 'x', write: 'content-length' } })
    server.send(call(1, 'a'))
    expect([await server.nextLine(), await server.nextLine()]).toEqual([
      `Content-Length: ${JSON.stringify(text(1, 'x')).length}\r`,
      '\r',
    ])
    await using framed = startRaw({ framing: 'content-length' })
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
    framed.child.stdin.write(`Content-Length: ${body.length}\r\n\r\n${body}`)
    expect((await framed.held(58))?.toString()).toBe(
      'Content-Length: 36\r\n\r\n{"jsonrpc":"2.0","id":1,"result":{}}',
    )
  })

  test('stderr and stderrFlood', async () => {
    await using server = onCall([{ stderr: 'careful' }, { stderrFlood: 300_000 }, 'answer'])
    server.send(call(1, 'a'))
    expect(await server.next()).toEqual(text(1, { name: 'a', arguments: {} }))
    await server.stderr(/careful\n(x{99}\n){3000}/)
    expect(server.stderrLength()).toBe(300_008)
  })
})

describe('faulty server, process faults', () => {
  test('exit and kill: end with a code or by a signal', async () => {
    await using leaving = startRaw({ on: { start: { exit: 9 } } })
    expect(await leaving.ended).toEqual({ code: 9, signal: null })
    await using dying = onCall({ kill: 'SIGKILL' })
    dying.send(call(1, 'a'))
    expect(await dying.ended).toEqual({ code: null, signal: 'SIGKILL' })
  })

  test('eof and sigterm: ignored if the script has an empty step', async () => {
    await using server = startRaw({
      on: { eof: { noise: 'still here' }, sigterm: { noise: 'and still' }, start: { noise: 'up' } },
    })
    expect(await server.nextLine()).toBe('up')
    server.child.stdin.end()
    expect(await server.nextLine()).toBe('still here')
    server.child.kill('SIGTERM')
    expect(await server.nextLine()).toBe('and still')
    server.child.kill('SIGKILL')
    expect(await server.ended).toEqual({ code: null, signal: 'SIGKILL' })
  })

  test.each([false, true])('grandchild: leaves a process that holds stdout (setsid: %s)', async (setsid) => {
    await using server = onCall([{ grandchild: { setsid, ignoreSigterm: true } }, { exit: 1 }])
    server.send(call(1, 'a'))
    const pid = Number((await server.stderr(/grandchild (\d+)/))?.[1])
    try {
      expect(await server.ended).toEqual({ code: 1, signal: null })
      expect({ alive: process.kill(pid, 0), closed: server.child.stdout.closed }).toEqual({
        alive: true,
        closed: false,
      })
    } finally {
      process.kill(pid, 'SIGKILL')
    }
  })

  test('closeStdin and stopReading', async () => {
    await using closing = onCall(['closeStdin', { noise: 'closed' }])
    closing.send(call(1, 'a'))
    expect(await closing.nextLine()).toBe('closed')
    const failed = new Promise((resolve) => void closing.child.stdin.once('error', resolve))
    closing.send(call(2, 'a'))
    expect(await failed).toMatchObject({ code: 'EPIPE' })

    await using deaf = onCall(['stopReading', 'answer'])
    deaf.send(call(1, 'a'))
    await deaf.next()
    expect(deaf.child.stdin.write('x'.repeat(5_000_000))).toBe(false)
    expect(deaf.child.stdin.writableLength).toBeGreaterThan(0)
  })

  test('resumeReading and closeStdout', async () => {
    await using server = startRaw({
      on: {
        'tools/call:pause': ['stopReading', 'answer', { wait: 1 }, 'resumeReading'],
        'tools/call:close': 'closeStdout',
      },
    })
    server.send(call(1, 'pause'), call(2, 'a'))
    expect([await server.next(), await server.next()]).toEqual([
      text(1, { name: 'pause', arguments: {} }),
      text(2, { name: 'a', arguments: {} }),
    ])
    server.send(call(3, 'close'))
    expect(await server.nextLine()).toBe(undefined)
    expect(server.child.exitCode).toBe(null)
  })

  test('freeze: a step for SIGTERM never runs', async () => {
    await using server = startRaw({ on: { 'tools/call': ['answer', 'freeze'], sigterm: { exit: 5 } } })
    server.send(call(1, 'a'))
    await server.next()
    server.child.kill('SIGTERM')
    server.child.kill('SIGKILL')
    expect(await server.ended).toEqual({ code: null, signal: 'SIGKILL' })
  })

  test('environment: a tool returns arguments, directory and variables', async () => {
    await using server = startRaw()
    server.send(call(1, 'environment'))
    const answer = (await server.next()) as ReturnType<typeof text>
    expect(JSON.parse(answer.result.content[0]?.text ?? '')).toMatchObject({
      pid: server.child.pid,
      cwd: process.cwd(),
      argv: ['--script', '{}'],
    })
  })
})

describe('faulty server, modern era', () => {
  test('inputRequired: asks in rounds and accepts only its own state', async () => {
    const requests = { name: { method: 'elicitation/create', params: { message: 'Who?' } } }
    await using server = onCall({ inputRequired: { requests, state: 'é"s', rounds: 2 } }, { era: 'modern' })
    const ask = (id: number, more: object) =>
      server.send({ id, method: 'tools/call', params: { name: 'a', _meta: meta, ...more } })
    const round = (id: number, requestState: string) => ({
      jsonrpc: '2.0',
      id,
      result: { resultType: 'input_required', inputRequests: requests, requestState },
    })
    const inputResponses = { name: { action: 'accept', content: {} } }
    ask(1, {})
    expect(await server.next()).toEqual(round(1, 'é"s#1'))
    ask(2, { inputResponses, requestState: 'é"s#1' })
    expect(await server.next()).toEqual(round(2, 'é"s#2'))
    ask(3, { inputResponses, requestState: 'é"s#2' })
    const { result } = text(3, { inputResponses, requestState: 'é"s#2' })
    expect(await server.next()).toEqual({
      jsonrpc: '2.0',
      id: 3,
      result: { resultType: 'complete', ...result },
    })
    ask(4, { inputResponses, requestState: 'tampered' })
    expect(await server.next()).toEqual({
      jsonrpc: '2.0',
      id: 4,
      error: {
        code: -32602,
        message: 'requestState is not the one that was given',
        data: { requestState: 'tampered' },
      },
    })
  })

  test('subscriptions/listen: acknowledged, notified and ended', async () => {
    await using server = startRaw({
      era: 'modern',
      on: { 'tools/call': [{ listChanged: 'tools' }, { listChanged: 'prompts' }, { endListen: 'result' }] },
    })
    const notifications = { toolsListChanged: true }
    server.send(
      { id: 7, method: 'subscriptions/listen', params: { _meta: meta, notifications } },
      { id: 8, method: 'tools/call', params: { _meta: meta, name: 'a' } },
    )
    const _meta = { 'io.modelcontextprotocol/subscriptionId': 7 }
    expect([await server.next(), await server.next(), await server.next()]).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/subscriptions/acknowledged',
        params: { notifications, _meta },
      },
      { jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: { _meta } },
      { jsonrpc: '2.0', id: 7, result: { resultType: 'complete', _meta } },
    ])
  })
})
