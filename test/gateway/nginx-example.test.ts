import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { freePorts, noNginx, startNginx } from '../support/programs/nginx.ts'

/** Listens, accepts nothing and drops what connects: as a machine that is gone. */
const silent = `
  require('node:net').createServer().listen({ port: Number(process.argv[1]), host: '127.0.0.1', backlog: 1 }, () => {
    console.log('listening')
    process.kill(process.pid, 'SIGSTOP')
  })`

test.skipIf(noNginx || process.platform !== 'linux')(
  `nginx soon uses the other gateway when one does not answer at all${noNginx ? ` (${noNginx})` : ''}`,
  async () => {
    const [front = 0, gone = 0, alive = 0] = await freePorts(3)
    const child = spawn(process.execPath, ['-e', silent, String(gone)], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    await once(child.stdout, 'data')
    const queued = Array.from({ length: 8 }, () => connect(gone, '127.0.0.1').on('error', () => undefined))
    const server = createServer((_request, response) => response.end('alive')).listen(alive, '127.0.0.1')
    try {
      await using _nginx = await startNginx(front, [gone, alive])
      const ask = async () => {
        const signal = AbortSignal.timeout(30_000)
        return (await fetch(`http://127.0.0.1:${front}/mcp`, { method: 'POST', body: '{}', signal })).text()
      }
      expect(await Promise.all([ask(), ask()])).toEqual(['alive', 'alive'])
    } finally {
      child.kill('SIGKILL')
      for (const socket of queued) socket.destroy()
      server.close()
      server.closeAllConnections()
    }
  },
)
