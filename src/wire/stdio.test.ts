import { describe, expect, test } from 'vitest'
import { createMemoryPipe } from '../../test/support/memory-pipe.ts'
import { turn } from '../../test/support/outcome.ts'
import type { Receiver } from './channel.ts'
import { openStdio } from './stdio.ts'
import type { StdioOptions } from './stdio.ts'
import { WireError } from './wire-error.ts'

const limits: StdioOptions = { framing: 'auto', maxBytes: 1024, hardMaxBytes: 4096 }
const request = (id: number, method = 'a') => ({ jsonrpc: '2.0', id, method }) as const

function open(options: Partial<StdioOptions> = {}) {
  const pipe = createMemoryPipe()
  const heard: unknown[] = []
  const receiver: Receiver = {
    message: (value) => void heard.push(['message', value]),
    failed: (id, { code, message }) => void heard.push(['failed', id, code, message]),
    dropped: (what, sample) =>
      void heard.push(sample === undefined ? ['dropped', what] : ['dropped', what, sample]),
    closed: ({ code, message, sent }) => void heard.push(['closed', code, message, sent]),
  }
  return { pipe, heard, channel: openStdio(pipe.io, { ...limits, ...options })(receiver) }
}

describe('L4 stdio: writing', () => {
  test('L4 messages of one tick go out in one write, in order', async () => {
    const { pipe, channel } = open()
    channel.send(request(1))
    channel.send({ jsonrpc: '2.0', method: 'n' })
    channel.send(request(2))
    expect(pipe.writes).toEqual([])
    await turn()
    channel.send(request(3))
    await turn()
    expect(pipe.writes).toEqual([
      '{"jsonrpc":"2.0","id":1,"method":"a"}\n{"jsonrpc":"2.0","method":"n"}\n{"jsonrpc":"2.0","id":2,"method":"a"}\n',
      '{"jsonrpc":"2.0","id":3,"method":"a"}\n',
    ])
  })

  test('Content-Length framing announces the length in bytes', async () => {
    const { pipe, channel } = open({ framing: 'content-length' })
    channel.send({ jsonrpc: '2.0', method: 'ü' })
    await turn()
    expect(pipe.writes).toEqual(['Content-Length: 31\r\n\r\n{"jsonrpc":"2.0","method":"ü"}'])
  })

  test('messages are queued while the server does not read, and sent in order when it does', async () => {
    const { pipe, channel } = open()
    pipe.block()
    channel.send(request(1))
    await turn()
    for (const id of [2, 3, 4]) channel.send(request(id))
    await turn()
    expect(pipe.writes).toHaveLength(1)
    expect([channel.abandon(3), channel.abandon(3), channel.abandon(1)]).toEqual([
      'unsent',
      'untold',
      'untold',
    ])
    pipe.drain()
    channel.send(request(5))
    await turn()
    expect(pipe.sent).toEqual([request(1), request(2), request(4), request(5)])
  })

  test('T24 answers to a server that never reads are capped; our requests stay queued', async () => {
    const { pipe, channel } = open()
    pipe.block()
    channel.send(request(1))
    await turn()
    for (let id = 0; id < 5000; id++) channel.send({ jsonrpc: '2.0', id, result: {} })
    channel.send(request(2))
    pipe.drain()
    await turn()
    expect({ sent: pipe.sent.length, last: pipe.sent.at(-1) }).toEqual({ sent: 1026, last: request(2) })
  })

  test('close flushes pending messages, ends the input once, and sends nothing more', async () => {
    const { pipe, channel } = open()
    channel.send(request(1))
    await channel.close()
    await channel.close()
    channel.send(request(2))
    await turn()
    expect({ sent: pipe.sent, isEnded: pipe.isEnded }).toEqual({ sent: [request(1)], isEnded: true })
  })
})

describe('L4 stdio: reading', () => {
  test('messages are delivered; noise and unreadable messages are counted', () => {
    const { pipe, heard } = open()
    pipe.say('Server listening\n{"jsonrpc":"2.0","id":1,')
    pipe.say('"result":{}}\n{"id":2,"result":oops}\n{oops}\n')
    expect(heard).toEqual([
      ['dropped', 'noise', 'Server listening'],
      ['message', { jsonrpc: '2.0', id: 1, result: {} }],
      ['dropped', 'malformed', 'The server sent a message that is not JSON: {"id":2,"result":oops}'],
      ['failed', 2, 'protocol', 'The server sent a message that is not JSON: {"id":2,"result":oops}'],
      ['dropped', 'noise', '{oops}'],
    ])
  })

  test('T44 a __proto__ key is removed before the message is delivered', () => {
    const { pipe, heard } = open()
    pipe.say('{"jsonrpc":"2.0","id":1,"result":{"__proto__":{"a":1},"b":2}}\n')
    expect(heard).toEqual([['message', { jsonrpc: '2.0', id: 1, result: { b: 2 } }]])
  })

  test('an answer above the limit fails its own request; an oversize notification fails none', () => {
    const { pipe, heard } = open()
    const big = 'x'.repeat(2000)
    pipe.send({ jsonrpc: '2.0', id: 7, result: big }, { jsonrpc: '2.0', method: 'n', params: { big } })
    pipe.send({ jsonrpc: '2.0', id: 8, result: 'small' })
    expect(heard).toEqual([
      ['dropped', 'oversize'],
      ['failed', 7, 'too-large', 'The answer has 2036 bytes; the limit is 1024.'],
      ['message', { jsonrpc: '2.0', id: 8, result: 'small' }],
    ])
  })

  test('above the hard limit the channel closes, and nothing is read afterwards', () => {
    const { pipe, heard } = open()
    pipe.say(`{"jsonrpc":"2.0","id":7,"result":"${'x'.repeat(5000)}`)
    pipe.say('"}\n{"jsonrpc":"2.0","id":8,"result":1}\n')
    expect(heard.map((each) => (each as unknown[]).slice(0, 2))).toEqual([['closed', 'too-large']])
  })

  test('the end of the pipe is reported with its reason, after the last message', () => {
    const exit = new WireError('exit', 'The server ended with exit code 3.', { sent: true })
    const ends = [undefined, new Error('EPIPE'), exit].map((error) => {
      const { pipe, heard } = open()
      pipe.say('{"jsonrpc":"2.0","id":1,"result":{}}')
      pipe.end(error)
      return heard
    })
    const last = ['message', { jsonrpc: '2.0', id: 1, result: {} }]
    expect(ends).toEqual([
      [last, ['closed', 'closed', 'The server closed its output.', true]],
      [last, ['closed', 'closed', 'The pipe broke: EPIPE', true]],
      [last, ['closed', 'exit', 'The server ended with exit code 3.', true]],
    ])
  })
})
