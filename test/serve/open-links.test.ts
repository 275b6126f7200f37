import { expect, test } from 'vitest'
import { OpenLinks } from '../../src/surfaces/server/open-links.ts'
import { startServed } from '../support/served.ts'

test('T37 the address that opens a browser has no token, and leads to the page once', async () => {
  await using it = await startServed()
  const link = it.served.openAddress()
  expect(link).not.toContain(it.served.token)
  const open = () => fetch(link, { redirect: 'manual' })
  const first = await open()
  expect([first.status, first.headers.get('location')]).toEqual([302, `/#k=${it.served.token}`])
  const second = await open()
  expect([second.status, second.headers.get('location')]).toEqual([404, null])
  expect(it.printed).toEqual([expect.stringContaining('opened twice')])
  const guessed = await fetch(`${it.served.address}/open/guessed`, { redirect: 'manual' })
  expect(guessed.status).toBe(404)
  const foreign = { headers: { 'sec-fetch-site': 'cross-site' }, redirect: 'manual' } as const
  expect((await fetch(it.served.openAddress(), foreign)).status).toBe(403)
})

test('T37 such an address ends after a minute', () => {
  let time = 0
  const links = new OpenLinks(
    () => undefined,
    () => time,
  )
  const [one, other] = [links.create(), links.create()].map((path) => path.slice('/open/'.length))
  time = 60_000
  expect(links.use(one ?? '')).toBe('/')
  time = 60_001
  expect(links.use(other ?? '')).toBeUndefined()
})
