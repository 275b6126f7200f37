import { connect, createServer } from 'node:net'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { hostWith } from './support/hosted.ts'
import { serveMcp } from './support/remote.ts'

/** Creates a unix socket that forwards to a local port. */
async function socketTo(port: number): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'plugboard-socket-'))
  const path = join(folder, 'mcp.sock')
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    near.pipe(far).pipe(near)
    near.on('error', () => far.destroy())
    far.on('error', () => near.destroy())
  })
  await new Promise<void>((resolve) => server.listen(path, resolve))
  onTestFinished(() => {
    server.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return path
}

test('unix URL: connects through the socket, with the path after the #', async () => {
  const server = await serveMcp()
  const path = await socketTo(Number(server.url.port))
  await using hosted = await hostWith({ url: `unix://${path}#${server.url.pathname}` })
  expect(hosted.host.discovery.servers[0]?.transport).toMatchObject({ kind: 'http', socketPath: path })
  expect(await hosted.connect()).toMatchObject({ version: expect.any(String) })
})

test('unix URL: the path of the socket can contain a variable', async () => {
  const server = await serveMcp()
  const path = await socketTo(Number(server.url.port))
  const env = { PATH: process.env['PATH'], SOCKET: path }
  await using hosted = await hostWith(
    { url: `unix://\${SOCKET}#${server.url.pathname}` },
    { platform: { env } },
  )
  expect(await hosted.connect()).toMatchObject({ version: expect.any(String) })
})
