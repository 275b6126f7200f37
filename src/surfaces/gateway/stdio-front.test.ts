import { once } from 'node:events'
import { PassThrough, Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { StdioFront } from './stdio-front.ts'

const openGateway = () => Promise.reject(new Error('It is not needed.'))
const tooLong = 'x'.repeat(17 * 1024 * 1024)
const message = 'A message may have 16777216 bytes.'

function startFront() {
  const [input, output] = [new PassThrough(), new PassThrough().setEncoding('utf8')]
  const front = new StdioFront({
    input,
    output,
    address: { mode: 'all' },
    openGateway,
  })
  void front.serve()
  const send = (sent: object) => void input.write(`${JSON.stringify({ jsonrpc: '2.0', ...sent })}\n`)
  const next = async () => JSON.parse(String((await once(output, 'data'))[0])) as { readonly id: unknown }
  return { front, send, next }
}

test('D-10 a request that is too long is refused by its id, so that its client does not wait', async () => {
  const { front, send, next } = startFront()
  send({ id: 'big', method: 'tools/call', params: { name: 'a', arguments: { tooLong } } })
  expect(await next()).toEqual({ jsonrpc: '2.0', id: 'big', error: { code: -32600, message } })
  front.end()
})

test('D-10 an answer of a client that is too long fails the question, and the client hears nothing of it', async () => {
  const { front, send, next } = startFront()
  send({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: { sampling: {} } },
  })
  await next()
  const during = front.between()
  const { signal } = new AbortController()
  const answer = during?.client.ask?.('sampling/createMessage', {}, { signal, during })
  const { id } = await next()
  send({ id, result: { tooLong } })
  await expect(answer).rejects.toThrow(message)
  send({ id: 2, method: 'nope' })
  expect(await next()).toMatchObject({ id: 2 })
  front.end()
})

test('a client that never reads its answers is dropped, however many wait for it', async () => {
  const input = new PassThrough()
  // It takes the first piece for ever.
  const output = new Writable({ write: () => undefined })
  const front = new StdioFront({ input, output, address: { mode: 'all' }, openGateway })
  const served = front.serve()
  output.write(Buffer.alloc(127 * 1024 * 1024))
  // Not messages; each refusal names the id.
  const refused = `${JSON.stringify({ jsonrpc: '2.0', id: 'x'.repeat(1024 * 1024) })}\n`
  for (let count = 0; count < 4; count++) input.write(refused)
  await served
  expect(output.destroyed).toBe(true)
  expect(output.writableLength).toBeLessThan(130 * 1024 * 1024)
})
