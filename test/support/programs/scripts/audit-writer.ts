/** A process that records calls until it is killed, for tests that need several. Bundled and run by `processes.ts`. */
import { AuditFiles } from '../../../../src/audit/audit-files.ts'
import { ChainedTrail } from '../../../../src/audit/audit-trail.ts'
import { nodePlatform } from '../../../../src/platform/node/node-platform.ts'

const [directory = '', rows = 'Infinity'] = process.argv.slice(2)
const { files, lock, clock } = nodePlatform({})
const trail = new ChainedTrail({
  sink: new AuditFiles({ directory, files, lock, clock }),
  clock,
  redact: (text) => text,
})

const count = Number(rows)
for (let at = 0; at < count; at++) {
  trail.record({
    kind: 'call',
    by: { surface: 'test' },
    ref: `files/read-${at}`,
    outcome: 'done',
    ms: 1,
    argsBytes: 2,
    resultBytes: 2,
    shape: { text: 'x'.repeat(500) },
  })
  if (at % 20 === 19) {
    await trail.flush()
    process.stdout.write(`${at + 1}\n`)
  }
}
await trail.flush()
process.stdout.write('end\n')
