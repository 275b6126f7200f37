import { deepEqual, match } from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { createHost } from 'plugboard'

const program = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/server-basic-vanillajs/dist/index.js', import.meta.url),
)
await using host = await createHost({
  apps: true,
  servers: { clock: { command: process.execPath, args: [program, '--stdio'] } },
})
await host.ready()
const [tool] = host.tools()
if (!tool) throw new Error('There is no tool.')
const args = {}
const request = { app: 'none', method: 'close', params: {} }
//- snippet
match(opened.address, /^http:\/\/app-/)
deepEqual(answer, { error: { message: 'The app is not open.' } })
apps.close()
