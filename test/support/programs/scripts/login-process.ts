/**
 * A process that calls a tool of `vault` with the stored login, for tests that need several processes. Bundled and run
 * by `processes.ts`. `PLUGBOARD_TEST_STOP` is the number of the write before which it is killed.
 */
import { createHost, HostError } from '../../../../src/index.ts'
import { nodeFiles } from '../../../../src/platform/node/files.ts'

const [home = '', config = ''] = process.argv.slice(2)
const stopAt = Number(process.env['PLUGBOARD_TEST_STOP'] ?? 0)
let writes = 0
const ofTeam = Object.fromEntries(
  Object.entries(process.env).filter(([name]) =>
    /^PLUGBOARD_(?:TEAM|DATABASE_URL|GATEWAY_SECRET)$/.test(name),
  ),
)

const host = await createHost({
  cwd: home,
  config,
  sources: ['plugboard'],
  lifecycle: 'on-demand',
  platform: {
    home,
    env: { HOME: home, PATH: process.env['PATH'], PLUGBOARD_CREDENTIALS: 'file', ...ofTeam },
    files: {
      ...nodeFiles,
      async replace(path, text, options) {
        if (path.includes('/logins/') && ++writes === stopAt) {
          process.kill(process.pid, 'SIGKILL')
          await new Promise(() => undefined)
        }
        return nodeFiles.replace(path, text, options)
      },
    },
  },
})
say('ready')
process.stdin.resume()
await new Promise((resolve) => process.stdin.once('end', resolve))
try {
  await host.request('vault', 'tools/call', { name: 'work' })
  say('done')
} catch (error) {
  say(error instanceof HostError ? `${error.code}: ${error.message} ${describe(error)}` : String(error))
} finally {
  await host.close()
}

function describe({ data }: HostError): string {
  return 'failure' in data ? data.failure.message : ''
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
