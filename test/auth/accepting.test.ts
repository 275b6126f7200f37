import { expect, test } from 'vitest'
import { logout } from '../../src/auth.ts'
import { startAuthorizationServer } from '../support/authorization-server.ts'
import { createPerson } from '../support/person-of-auth.ts'

test('T12 T26 two accounts of one server have acceptances of their own', async () => {
  const authServer = await startAuthorizationServer()
  const person = createPerson({ url: authServer.mcp })
  /** What a new host offers, and what it holds, with what the server says to this account. */
  const seen = async (description: string) => {
    authServer.description = description
    const host = await person.host({ accept: 'tofu' })
    await host.ready({ from: 'servers' })
    const held = host.held().flatMap(({ offers }) => offers.map(({ reason }) => reason))
    const offered = host.tools().map((tool) => tool.description)
    await host.close()
    return { offered, held }
  }
  const [home, work] = ['Works at home.', 'Works at work.']
  await person.login({ account: 'home' })
  expect(await seen(home)).toEqual({ offered: [home], held: [] })
  await person.login({ account: 'work' })
  expect(await seen(work)).toEqual({ offered: [work], held: [] })
  expect(await seen(home)).toEqual({ offered: [], held: ['changed'] })
  await logout(await person.server(), { ...person.options, account: 'work' })
  expect(await seen(home)).toEqual({ offered: [home], held: [] })
  expect(await seen(work)).toEqual({ offered: [], held: ['changed'] })
  await person.login({ account: 'work' })
  expect(await seen(work)).toEqual({ offered: [work], held: [] })
})

test('T12 a login as another account reaches a host that runs: what it is offered is judged by its own acceptance', async () => {
  const authServer = await startAuthorizationServer()
  const person = createPerson({ url: authServer.mcp })
  const host = await person.host({ accept: 'tofu' })
  await person.login()
  await host.ready({ from: 'servers' })
  await person.login({ account: 'work' })
  authServer.description = 'Works at work.'
  await host.restart('vault')
  await host.ready({ from: 'servers' })
  expect(host.held()).toEqual([])
  expect(host.tools().map(({ description }) => description)).toEqual(['Works at work.'])
})
