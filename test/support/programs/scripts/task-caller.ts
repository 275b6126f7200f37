/** A process that calls `peer/brew`, says the id of its task, and waits. Bundled and run by `processes.ts`. */
import { createHost } from '../../../../src/index.ts'

const [home = '', config = '', asks = ''] = process.argv.slice(2)
const host = await createHost({
  cwd: home,
  config,
  sources: ['plugboard'],
  lifecycle: 'on-demand',
  platform: { home, env: { HOME: home, PATH: process.env['PATH'] } },
})
const say = (text: string) => process.stdout.write(`${text}\n`)
process.stdin.resume()
process.stdin.once('end', () => void host.close().then(() => process.exit(0)))
host
  .call(
    'peer/brew',
    { what: 'coffee', ...(asks !== '' && { asks: true }) },
    { onTask: (id) => say(`task ${id}`) },
  )
  .then(
    ({ text }) => say(`done ${text}`),
    (error: unknown) => say(`failed ${String(error)}`),
  )
