import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './run.mjs'

// Runs the client scenarios of the official conformance suite with the built package, one at a time: parallel scenarios
// produce false failures on a busy machine. `npm run conformance [-- SCENARIO…]`.
const suite = join(root, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
const shim = join(root, 'test/conformance/glob-shim.mjs')
/** Each revision is tested with the host's own probing and as declared in an entry. */
const protocols = { '2025-11-25': ['auto', 'legacy'], '2026-07-28': ['auto', '2026-07-28'] }
/** Protocol extensions that we implement; the suite runs them only when named. */
const extensions = ['client-credentials-basic', 'client-credentials-jwt', 'dpop', 'dpop-nonce']
const wanted = process.argv.slice(2)

if (!existsSync(join(root, 'dist/index.js'))) stop('dist is missing: run npm run build first')

const rows = []
for (const [revision, settings] of Object.entries(protocols)) {
  for (const scenario of await listScenarios(revision)) {
    for (const protocol of settings) await add({ revision, protocol, ...scenario })
  }
}
for (const name of extensions.map((each) => `auth/${each}`).filter(isWanted)) {
  await add({ revision: 'extension', protocol: 'auto', name, isRequired: false })
}
report()

async function add(scenario) {
  const row = { ...scenario, ...(await runScenario(scenario)) }
  rows.push(row)
  console.log(line(row))
  if (row.verdict === 'FAIL') console.log(row.log)
}

function isWanted(name) {
  return wanted.length === 0 || wanted.includes(name)
}

/** The required scenarios of a revision, and those added to the suite after its release. */
async function listScenarios(revision) {
  const { stdout } = await node(['list', '--client', '--requirements', revision])
  const [required = '', unscored = ''] = stdout.split('Run and reported, but never scored:')
  const [, client = ''] = required.split('Client scenarios')
  const added =
    unscored
      .split('added-after-release')[1]
      ?.split('):')[1]
      ?.split(/^ {2}\w/m)[0] ?? ''
  const names = [
    ...[...client.matchAll(/^ +- (\S+)$/gm)].map(([, name]) => ({ name, isRequired: true })),
    ...[...added.matchAll(/^ +- (\S+) \[client\]$/gm)].map(([, name]) => ({ name, isRequired: false })),
  ]
  if (names.length === 0) stop(`The suite lists no scenarios for ${revision}:\n${stdout}`)
  return names.filter(({ name }) => isWanted(name))
}

async function runScenario({ name, revision, protocol }) {
  // A relative path, because the suite splits the command at spaces.
  const command = `node test/conformance/client.mjs ${protocol}`
  const { code, stdout, stderr } = await node([
    'client',
    '--command',
    command,
    '--scenario',
    name,
    ...(revision === 'extension' ? [] : ['--spec-version', revision]),
    '--verbose',
  ])
  const checks = parseChecks(stdout)
  const scored = checks.filter(({ status }) => ['SUCCESS', 'FAILURE', 'WARNING'].includes(status))
  const passed = scored.filter(({ status }) => status === 'SUCCESS').length
  const isGood = code === 0 && scored.length > 0 && passed === scored.length
  return { passed, total: scored.length, verdict: isGood ? 'pass' : 'FAIL', log: stderr }
}

function parseChecks(stdout) {
  try {
    return JSON.parse(stdout.slice(stdout.indexOf('[')))
  } catch {
    return []
  }
}

function node(args) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--import', shim, suite, ...args], { cwd: root })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (chunk) => (stdout += chunk))
    child.stderr.setEncoding('utf8').on('data', (chunk) => (stderr += chunk))
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
}

function line({ revision, protocol, name, isRequired, passed, total, verdict }) {
  const note = isRequired ? '' : ' (not scored)'
  return `${revision}  ${protocol.padEnd(10)}  ${name.padEnd(36)} ${`${passed}/${total}`.padStart(6)}  ${verdict}${note}`
}

function report() {
  const bad = rows.filter(({ verdict }) => verdict === 'FAIL')
  console.log(
    bad.length === 0 ? `\nAll ${rows.length} runs passed.` : `\n${bad.length} of ${rows.length} failed.`,
  )
  process.exit(bad.length === 0 && rows.length > 0 ? 0 : 1)
}

function stop(message) {
  console.error(message)
  process.exit(1)
}
