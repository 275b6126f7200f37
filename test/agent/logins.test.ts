import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createQuestionDesk, followLogins } from '../../src/agent.ts'
import { createHost } from '../../src/index.ts'
import { openStore } from '../../src/store.ts'
import { newHome } from '../support/tool-host.ts'

test('a login that a server needs is a question; the answer connects the server again', async () => {
  const home = newHome()
  let requests = 0
  let onRequest = () => undefined as void
  const server = createServer((_request, response) => {
    requests++
    onRequest()
    response.writeHead(401, { 'WWW-Authenticate': 'Bearer' }).end()
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await using store = await openStore({ at: { file: join(home, 'store.db') }, redact: (text) => text })
  if (!store) throw new Error('no driver')
  await using host = await createHost({
    servers: { shop: { url: `http://127.0.0.1:${port}/mcp` } },
    settings: false,
    platform: { home, env: { HOME: home } },
  })
  const asked = new Promise<string>((resolve) => {
    const desk = createQuestionDesk({
      questions: store.questions,
      on: ({ type, id }) => type === 'question.asked' && resolve(id),
    })
    const logins = followLogins(host, desk)
    onTestFinished(() => logins[Symbol.dispose]())
  })
  await host.ready()
  expect(host.servers()[0]?.status.state).toBe('needs-auth')
  const id = await asked
  expect(await store.questions.list()).toMatchObject([
    { kind: 'login', server: 'shop', state: 'pending', canWait: true },
  ])
  const before = requests
  const again = new Promise<void>((resolve) => (onRequest = resolve))
  await store.questions.answer(id, true)
  await again
  expect(requests).toBeGreaterThan(before)
})
