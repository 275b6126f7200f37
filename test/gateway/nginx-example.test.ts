import { createServer } from 'node:http'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { freePorts } from '../support/programs/free-ports.ts'
import { noNginx, startNginx } from '../support/programs/nginx.ts'
import { startProgram } from '../support/programs/program.ts'

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
    await using stopped = startProgram(process.execPath, ['-e', silent, String(gone)])
    await stopped.printed('listening')
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
      for (const socket of queued) socket.destroy()
      server.close()
      server.closeAllConnections()
    }
  },
)
