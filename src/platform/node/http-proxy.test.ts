import { connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { exchange, serve, tlsFixture } from '../../../test/support/http-server.ts'
import { HttpError } from '../platform.ts'
import { createHttpClient } from './http.ts'
import { findProxy } from './http-proxy.ts'

test.each([
  ['http://a.example/', { http_proxy: 'http://p:1' }, 'http://p:1/'],
  ['http://a.example/', { HTTP_PROXY: 'p.corp:8080' }, 'http://p.corp:8080/'],
  ['https://a.example/', { http_proxy: 'http://p:1' }, undefined],
  ['https://a.example/', { https_proxy: '', HTTPS_PROXY: 'http://p:2' }, 'http://p:2/'],
  ['https://a.example/', { ALL_PROXY: 'socks5://p:3' }, 'socks5://p:3'],
  ['https://a.example/', { all_proxy: 'http://p:1', no_proxy: '*' }, undefined],
  ['https://a.example/', { all_proxy: 'http://p:1', no_proxy: 'b.example, A.example' }, undefined],
  ['https://x.a.example/', { all_proxy: 'http://p:1', no_proxy: '.a.example' }, undefined],
  ['https://x.a.example/', { all_proxy: 'http://p:1', no_proxy: '*.a.example' }, undefined],
  ['https://xa.example/', { all_proxy: 'http://p:1', no_proxy: 'a.example' }, 'http://p:1/'],
  ['https://a.example/', { all_proxy: 'http://p:1', no_proxy: 'a.example:8443' }, 'http://p:1/'],
  ['https://a.example:8443/', { all_proxy: 'http://p:1', no_proxy: 'a.example:8443' }, undefined],
  ['https://a.example/', { all_proxy: 'http://p:1', no_proxy: 'a.example:443' }, undefined],
  ['http://[fd00::1]/', { all_proxy: 'http://p:1', no_proxy: 'fd00::1' }, undefined],
  ['http://localhost:80/', { all_proxy: 'http://p:1' }, undefined],
  ['http://127.8.0.1/', { all_proxy: 'http://p:1' }, undefined],
  ['http://[::1]/', { all_proxy: 'http://p:1' }, undefined],
  ['http://127.evil.example/', { all_proxy: 'http://p:1' }, 'http://p:1/'],
])('findProxy: %s with %j uses %s', (url, env, proxy) => {
  expect(findProxy(new URL(url), env)?.href).toBe(proxy)
})

test('findProxy: an invalid proxy is refused, and the error does not contain its value', () => {
  const find = () => findProxy(new URL('http://a.example/'), { HTTP_PROXY: 'ftp://user:secret@p' })
  expect(find).toThrow(new HttpError('network', false, 'HTTP_PROXY is not the address of a supported proxy.'))
})

describe('http: through a proxy', () => {
  const open = async (url: URL, env: Record<string, string>, tls = {}) => {
    const client = await createHttpClient({ url, env, tls, maxConnections: 2 })
    onTestFinished(() => client.close())
    return client
  }

  test('plain http sends the absolute address, with the credentials of the proxy', async () => {
    const proxy = await serve((_request, response) => response.end('proxied'))
    const url = new URL('http://service.test/mcp?x=1')
    const client = await open(url, { http_proxy: `http://me:pw@127.0.0.1:${proxy.url.port}` })
    expect(await exchange(client, url, { body: 'b' })).toMatchObject({ status: 200, text: 'proxied' })
    expect(proxy.seen[0]).toMatchObject({
      method: 'POST',
      path: 'http://service.test/mcp?x=1',
      body: 'b',
      headers: { host: 'service.test', 'proxy-authorization': `Basic ${btoa('me:pw')}` },
    })
  })

  test('https uses a tunnel to the host, and accepts compressed answers', async () => {
    const target = await serve((_request, response) => response.end('through'), {
      key: tlsFixture('server.key'),
      cert: tlsFixture('wrong-host.crt'),
    })
    const proxy = await serve(() => undefined)
    const asked: string[] = []
    proxy.server.on('connect', (request, socket, head) => {
      asked.push(request.url ?? '')
      const onward = connect(Number(target.url.port), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        onward.write(head)
        socket.pipe(onward).pipe(socket)
      })
      socket.on('error', () => onward.destroy())
      onward.on('error', () => socket.destroy())
    })
    const url = new URL('https://other.example/mcp')
    const env = { HTTPS_PROXY: proxy.url.origin }
    const client = await open(url, env, { ca: tlsFixture('ca.crt') })
    expect(await exchange(client, url)).toMatchObject({ status: 200, text: 'through' })
    expect(asked).toEqual(['other.example:443'])
    expect(target.seen[0]?.headers).toMatchObject({ 'accept-encoding': 'gzip, br, deflate' })

    const strict = await open(url, env)
    const refused = await exchange(strict, url)
    expect('error' in refused && refused.error).toMatchObject({ reason: 'tls', sent: false })
  })

  test('an unreachable proxy and a refused tunnel fail before anything was sent', async () => {
    const url = new URL('https://other.example/')
    const gone = await serve(() => undefined)
    await gone.stop()
    const missing = await exchange(await open(url, { https_proxy: gone.url.origin }), url)
    expect('error' in missing && missing.error).toMatchObject({ reason: 'refused', sent: false })

    const proxy = await serve(() => undefined)
    proxy.server.on('connect', (_request, socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'))
    const refused = await exchange(await open(url, { https_proxy: proxy.url.origin }), url)
    expect('error' in refused && refused.error).toMatchObject({ reason: 'network', sent: false })
  })
})
