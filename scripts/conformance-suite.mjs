import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { root } from './run.mjs'

// What the runs of the official conformance suite share: starting it, reading its checks, and the verdict.
const suite = join(root, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
const shim = join(root, 'test/conformance/glob-shim.mjs')

/** Whether a scenario was named on the command line, or none was. */
export function isWanted(name) {
  const wanted = process.argv.slice(2).filter((word) => !word.startsWith('--'))
  return wanted.length === 0 || wanted.includes(name)
}

/** The scenarios of one side that a revision requires, and those added to the suite after its release. */
export async function listScenarios(side, revision) {
  const { stdout } = await runSuite(['list', `--${side}`, '--requirements', revision])
  const [required = '', unscored = ''] = stdout.split('Run and reported, but never scored:')
  const [beforeClients = '', clients = ''] = required.split('Client scenarios')
  const names = side === 'client' ? clients : (beforeClients.split('Server scenarios')[1] ?? '')
  const added =
    unscored
      .split('added-after-release')[1]
      ?.split('):')[1]
      ?.split(/^ {2}\w/m)[0] ?? ''
  const scenarios = [
    ...[...names.matchAll(/^ +- (\S+)$/gm)].map(([, name]) => ({ name, isRequired: true })),
    ...[...added.matchAll(/^ +- (\S+) \[(\w+)\]$/gm)]
      .filter(([, , of]) => of === side)
      .map(([, name]) => ({ name, isRequired: false })),
  ]
  if (scenarios.length === 0) stop(`The suite lists no ${side} scenarios for ${revision}:\n${stdout}`)
  return scenarios
}

/** Every scenario of one side with the revisions that it belongs to, also those that no revision requires. */
export async function listAllScenarios(side) {
  const { stdout } = await runSuite(['list', `--${side}`])
  const scenarios = [...stdout.matchAll(/^ +- (\S+) \[([^\]]+)\]$/gm)].map(([, name, revisions]) => ({
    name,
    revisions: revisions.split(','),
  }))
  if (scenarios.length === 0) stop(`The suite lists no ${side} scenarios:\n${stdout}`)
  return scenarios
}

/** Runs one scenario. A warning counts as a failure: it is a SHOULD of the specification. */
export async function runScenario(args) {
  const { code, stdout, stderr } = await runInOneProcess([...args, '--verbose'])
  const scored = parseChecks(stdout).filter(({ status }) =>
    ['SUCCESS', 'FAILURE', 'WARNING'].includes(status),
  )
  const failures = scored.filter(({ status }) => status !== 'SUCCESS')
  const log = failures
    .map(({ id, status, errorMessage }) => `    ${status} ${id}: ${errorMessage}`)
    .join('\n')
  return {
    code,
    passed: scored.length - failures.length,
    total: scored.length,
    isGood: scored.length > 0 && failures.length === 0,
    log: log || stderr || stdout,
  }
}

/** Prints the outcome and ends the program. No failure is excused. */
export function report(rows) {
  const bad = rows.filter(({ verdict }) => verdict === 'FAIL')
  console.log(
    bad.length === 0
      ? `\nAll ${rows.length} runs passed.`
      : `\n${bad.length} of ${rows.length} failed: ${bad.map(({ title }) => title).join(', ')}.`,
  )
  process.exit(bad.length === 0 && rows.length > 0 ? 0 : 1)
}

export function stop(message) {
  console.error(message)
  process.exit(1)
}

/** The checks are a JSON list in the output, with other lines before and after it. */
function parseChecks(stdout) {
  const end = stdout.indexOf('\n]\n')
  try {
    return JSON.parse(stdout.slice(stdout.indexOf('['), end < 0 ? undefined : end + 2))
  } catch {
    return []
  }
}

let runs

/** Runs a command of the suite in a process that stays for the next one. */
async function runInOneProcess(args) {
  runs ??= fork(join(root, 'scripts/conformance-runs.mjs'), { cwd: root, execArgv: ['--import', shim] })
  const child = runs
  const listening = new AbortController()
  const answer = once(child, 'message', listening).then(([result]) => result)
  const end = once(child, 'exit', listening).then(([code]) => {
    runs = undefined
    return { code, stdout: '', stderr: `The suite ended with ${code}.` }
  })
  child.send({ suite, args })
  try {
    return await Promise.race([answer, end])
  } finally {
    listening.abort()
    await Promise.allSettled([answer, end])
  }
}

function runSuite(args) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--import', shim, suite, ...args], { cwd: root })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (chunk) => (stdout += chunk))
    child.stderr.setEncoding('utf8').on('data', (chunk) => (stderr += chunk))
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
}
