import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { expect, test } from 'vitest'
import { PlainConnection } from './plain-connection.ts'

test('a client that takes no answers has few of them waiting, and gets the others once it reads', async () => {
  const body = 'x'.repeat(1024 * 1024)
  const count = 60
  let answered = 0
  let served: Socket | undefined
  const server = createServer((socket) => {
    served = socket
    const onRequest = (_request: unknown, response: { end(text: string): unknown }) => {
      answered += 1
      response.end(body)
    }
    const handOver = () => socket.destroy()
    void new PlainConnection(socket, { onRequest, handOver, onClose: () => undefined, maxBody: 0 })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo // of a port
  const client = connect(port, '127.0.0.1').pause()
  client.write('GET /a HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(count))
  // The buffers of the system take some.
  await expect.poll(() => served?.writableNeedDrain).toBe(true)
  expect(answered).toBeLessThan(count / 2)
  let bytes = 0
  client.on('data', (chunk) => (bytes += chunk.length)).resume()
  await expect.poll(() => bytes).toBeGreaterThan(count * body.length)
  expect(answered).toBe(count)
  client.destroy()
  server.close()
})
