import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { listenHttp } from './listen-http.ts'

const minute = 60_000
const host = '127.0.0.1'
const request = 'GET /a HTTP/1.1\r\nhost: a\r\n\r\n'

const listen = () => listenHttp((_request, response) => void response.end('ok'), { host, port: 0 })

/** Sends a request and returns the answer. */
async function ask(socket: Socket): Promise<string> {
  socket.write(request)
  return String((await once(socket, 'data'))[0])
}

test('a connection that a proxy holds open is answered once more, and told that it ends', async () => {
  const listening = await listen()
  const proxy = connect(listening.port, host)
  expect(await ask(proxy)).toContain('connection: keep-alive')
  const stopped = listening.stop(minute)
  expect(await ask(proxy)).toContain('connection: close')
  await stopped
  const late = connect(listening.port, host)
  await expect(once(late, 'connect')).rejects.toThrow('ECONNREFUSED')
  listening.destroy()
})

test('stopping again ends the wait for connections that are idle', async () => {
  const listening = await listen()
  const proxy = connect(listening.port, host)
  await ask(proxy)
  const stopped = listening.stop(minute)
  const closed = once(proxy, 'close')
  await listening.stop(0)
  await Promise.all([stopped, closed])
  expect(proxy.destroyed).toBe(true)
  listening.destroy()
})
