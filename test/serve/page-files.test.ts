import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServed } from '../support/served.ts'
import type { ServedMachine } from '../support/served.ts'

const outer = mkdtempSync(join(tmpdir(), 'plugboard-page-'))
const folder = join(outer, 'page')
let it: ServedMachine

beforeAll(async () => {
  mkdirSync(join(folder, 'assets'), { recursive: true })
  const files = { 'index.html': '<!doctype html><title>Plugboard</title>', 'assets/app-1a2b.js': 'let a = 1' }
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), text)
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(text))
    writeFileSync(join(folder, `${name}.gz`), gzipSync(text))
  }
  writeFileSync(join(outer, 'secret'), 'secret')
  it = await startServed({}, { pageFolder: folder })
})
afterAll(async () => {
  await it[Symbol.asyncDispose]()
  rmSync(outer, { recursive: true, force: true })
})

const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(it.served.address + path, { headers })

test('every address of the page is its HTML, without a token', async () => {
  for (const path of [
    '/',
    '/servers',
    '/servers/git%20hub',
    '/tools/x%2Fy?args=%7B%7D',
    '/conversations',
    '/chat/1',
  ])
    expect([path, (await get(path)).status, await (await get(path)).text()]).toEqual([
      path,
      200,
      '<!doctype html><title>Plugboard</title>',
    ])
})

test('files are sent as they were compressed by the build, and say that they vary', async () => {
  const rows = []
  for (const accept of ['br, gzip', 'gzip, deflate', 'identity', 'br;q=0, gzip;q=0.5', '*']) {
    const answer = await get('/assets/app-1a2b.js', { 'accept-encoding': accept })
    rows.push([
      accept,
      answer.headers.get('content-encoding'),
      answer.headers.get('vary'),
      await answer.text(),
    ])
  }
  expect(rows).toEqual([
    ['br, gzip', 'br', 'Accept-Encoding', 'let a = 1'],
    ['gzip, deflate', 'gzip', 'Accept-Encoding', 'let a = 1'],
    ['identity', null, 'Accept-Encoding', 'let a = 1'],
    ['br;q=0, gzip;q=0.5', 'gzip', 'Accept-Encoding', 'let a = 1'],
    ['*', null, 'Accept-Encoding', 'let a = 1'],
  ])
})

test('assets are kept forever, the HTML is asked for again and answered with 304', async () => {
  const asset = await get('/assets/app-1a2b.js')
  const html = await get('/servers')
  expect([asset.headers.get('cache-control'), html.headers.get('cache-control')]).toEqual([
    'public, max-age=31536000, immutable',
    'no-cache',
  ])
  const again = await get('/servers', { 'if-none-match': html.headers.get('etag') ?? '' })
  expect([again.status, await again.text()]).toEqual([304, ''])
})

test('only what the build wrote is served', async () => {
  const paths = [
    '/assets/none.js',
    '/assets/app-1a2b.js.br',
    '/assets/..%2f..%2fsecret',
    '/assets/%2e%2e/%2e%2e/secret',
    '/assets/../../secret',
  ]
  for (const path of paths) {
    const { status, body } = await it.send([`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${it.port}`])
    expect({ path, isRefused: status === 404 || status === 400, isSecret: body.includes('secret') }).toEqual({
      path,
      isRefused: true,
      isSecret: false,
    })
  }
})

test('HEAD has the headers without the body', async () => {
  const answer = await fetch(`${it.served.address}/`, { method: 'HEAD' })
  expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
    200,
    'text/html; charset=utf-8',
    '',
  ])
})

test('without a built page it says so', async () => {
  await using bare = await startServed({}, { pageFolder: join(folder, 'none') })
  const answer = await fetch(`${bare.served.address}/`)
  expect([answer.status, await answer.json()]).toEqual([
    503,
    { error: expect.objectContaining({ code: 'http.no-page' }) },
  ])
})
