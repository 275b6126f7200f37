import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isWanted, listAllScenarios, listScenarios, report, runScenario, stop } from './conformance-suite.mjs'
import { root } from './run.mjs'

// Runs the client scenarios of the official conformance suite with the built package, one at a time: parallel scenarios
// produce false failures on a busy machine. `npm run conformance [-- SCENARIO…]`.
/**
 * Each revision is tested with the host's own probing and as declared in an entry. `--probed` and `--declared` run one half
 * each: the suite starts two programs for a scenario, and all of it takes as long as a sixth of `npm test`.
 */
const half = process.argv.find((word) => word === '--probed' || word === '--declared')
const protocols = { '2025-11-25': ['auto', 'legacy'], '2026-07-28': ['auto', '2026-07-28'] }
const isInHalf = (protocol) => half === undefined || (half === '--probed') === (protocol === 'auto')

if (!existsSync(join(root, 'dist/index.js'))) stop('dist is missing: run npm run build first')

const rows = []
const seen = []
for (const [revision, settings] of Object.entries(protocols)) {
  for (const scenario of (await listScenarios('client', revision)).filter(({ name }) => isWanted(name))) {
    seen.push(scenario.name)
    for (const protocol of settings.filter(isInHalf)) await add({ revision, protocol, ...scenario })
  }
}
// Extensions and earlier revisions belong to no set of requirements; the suite runs them only when they are named.
const others = isInHalf('auto') ? await listAllScenarios('client') : []
for (const { name, revisions } of others.filter((each) => isWanted(each.name))) {
  if (seen.includes(name)) continue
  const revision = revisions.includes('extension') ? 'extension' : (revisions.at(-1) ?? 'extension')
  await add({ revision, protocol: 'auto', name, isRequired: false })
}
report(rows)

async function add({ revision, protocol, name, isRequired }) {
  // A relative path, because the suite splits the command at spaces.
  const command = `node test/conformance/client.mjs ${protocol}`
  const { code, isGood, passed, total, log } = await runScenario([
    'client',
    '--command',
    command,
    '--scenario',
    name,
    ...(revision === 'extension' ? [] : ['--spec-version', revision]),
  ])
  const verdict = isGood && code === 0 ? 'pass' : 'FAIL'
  rows.push({ verdict })
  const note = isRequired ? '' : ' (not scored)'
  console.log(
    `${revision}  ${protocol.padEnd(10)}  ${name.padEnd(36)} ${`${passed}/${total}`.padStart(6)}  ${verdict}${note}`,
  )
  if (verdict === 'FAIL') console.log(log)
}
