import { PassThrough, Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { StdioFront } from './stdio-front.ts'

const openGateway = () => Promise.reject(new Error('It is not needed.'))

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
