import { expect, test } from 'vitest'
import { exchange, serve } from '../../../test/support/http-server.ts'
import { isPublicAddress } from '../ip-address.ts'
import { HttpError } from '../platform.ts'
import { createHttpClient } from './http.ts'

const guarded = (url: URL) => createHttpClient({ url, env: {}, maxConnections: 1, allows: isPublicAddress })

test('T29 http: a name that resolves to a private address is refused', async () => {
  const canary = await serve((_request, response) => void response.end('hit'))
  const client = await guarded(new URL(`http://localhost:${canary.url.port}/`))
  const outcome = await exchange(client, new URL(`http://localhost:${canary.url.port}/`), { method: 'GET' })
  await client.close()
  expect(outcome).toMatchObject({ error: { reason: 'blocked', sent: false } })
  expect(canary.seen).toEqual([])
})

test('T29 http: a private address is refused in any notation', async () => {
  const canary = await serve((_request, response) => void response.end('hit'))
  const { port } = canary.url
  for (const host of [
    '127.0.0.1',
    '0x7f.1',
    '2130706433',
    '017700000001',
    '[::ffff:127.0.0.1]',
    '[::1]',
    '0.0.0.0',
  ]) {
    const refused: unknown = await guarded(new URL(`http://${host}:${port}/`)).catch(
      (error: unknown) => error,
    )
    expect(refused).toBeInstanceOf(HttpError)
    expect(refused).toMatchObject({ reason: 'blocked' })
  }
  expect(canary.seen).toEqual([])
})

test('http: a name that resolves to an allowed address is connected to', async () => {
  const server = await serve((_request, response) => void response.end('hello'))
  const url = new URL(`http://localhost:${server.url.port}/`)
  const client = await createHttpClient({ url, env: {}, maxConnections: 1, allows: () => true })
  expect(await exchange(client, url, { method: 'GET' })).toMatchObject({ status: 200, text: 'hello' })
  await client.close()
})
