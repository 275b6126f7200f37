import { fileURLToPath } from 'node:url'
import { createHost } from 'plugboard'

const program = fileURLToPath(new URL('../../test/support/sdk-skill-server.mjs', import.meta.url))
await using host = await createHost({
  servers: { docs: { command: process.execPath, args: [program] } },
  policy: [{ effect: 'allow', tools: ['*'] }],
})
//- snippet
