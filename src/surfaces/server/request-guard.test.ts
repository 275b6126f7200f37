import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { createGuard } from './request-guard.ts'
import { RequestFault } from './request-fault.ts'

const guard = createGuard({ port: 7000, token: 'secret' })

/** The code of the refusal, or what the request may ask for. */
function judge(headers: Readonly<Record<string, string>>, url = '/') {
  const request = new IncomingMessage(new Socket())
  request.method = 'GET'
  request.url = url
  request.rawHeaders = Object.entries({ Host: '127.0.0.1:7000', ...headers }).flat()
  try {
    return guard(request)
  } catch (error) {
    return error instanceof RequestFault ? error.code : error
  }
}

const page = { hasToken: false, path: '/', isFront: true }
const api = { hasToken: true, path: '/api/servers', isFront: false }

test.each([
  ['cross-site', 'http.origin'],
  ['same-site', 'http.origin'],
  ['same-origin', page],
  ['none', page],
])('a page asked for with `sec-fetch-site: %s` and no Origin', (site, expected) => {
  expect(judge({ 'Sec-Fetch-Site': site })).toEqual(expected)
})

test('the API: another port of this machine is another site, even with the token and without an Origin', () => {
  const headers = { Authorization: 'Bearer secret' }
  expect(judge({ ...headers, 'Sec-Fetch-Site': 'same-site' }, api.path)).toBe('http.origin')
  expect(judge({ ...headers, 'Sec-Fetch-Site': 'same-origin' }, api.path)).toEqual(api)
  expect(judge(headers, api.path)).toEqual(api)
})
