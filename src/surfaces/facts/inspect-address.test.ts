import { expect, test } from 'vitest'
import { inspectAddress } from './inspect-address.ts'

test.each([
  [
    'https://sign.example.com:8443/a?b#c',
    { before: 'https://', host: 'sign.example.com:8443', after: '/a?b#c', warnings: [] },
  ],
  ['https://www.shop.com.au/', { before: 'https://', host: 'www.shop.com.au', after: '/', warnings: [] }],
  ['http://localhost:8080/', { before: 'http://', host: 'localhost:8080', after: '/', warnings: [] }],
  ['http://127.0.0.1/', { before: 'http://', host: '127.0.0.1', after: '/', warnings: [] }],
  [
    'https://bücher.example/',
    {
      before: 'https://',
      host: 'xn--bcher-kva.example',
      after: '/',
      warnings: ['the name looks like bücher.example and is really xn--bcher-kva.example.'],
    },
  ],
])('inspectAddress: splits %s', (url, address) => {
  expect(inspectAddress(url)).toEqual(address)
})

test.each([
  ['https://аpple.com/', /mixes alphabets \(Latin, Cyrillic\)/],
  ['https://xn--pple-43d.com/', /looks like аpple\.com and is really xn--pple-43d\.com/],
  ['https://gοοgle.com/', /mixes alphabets \(Latin, Greek\)/],
  [
    'https://www.bank.com.evil.example/',
    /begins like www\.bank\.com, but the site is its end: evil\.example/,
  ],
])('T20 inspectAddress: warns of the look-alike %s', (url, warning) => {
  const address = inspectAddress(url)
  expect(typeof address === 'string' ? [] : address.warnings.join(' ')).toMatch(warning)
})

test.each([
  ['', 'is not a URL'],
  ['example.com', 'is not a URL'],
  ['ftp://example.com', 'is not a web page (ftp:)'],
  ['data:text/html,x', 'is not a web page (data:)'],
  ['http://example.com', 'is not encrypted (http)'],
  ['http://127.0.0.1.evil.example', 'is not encrypted (http)'],
  ['https://bank.example@evil.example', 'contains a login before its host'],
])('T20 T27 inspectAddress: refuses %j', (url, why) => {
  expect(inspectAddress(url)).toBe(why)
})
