import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { isRunning, untilGone } from './support/programs/alive.ts'
import { startProgram } from './support/programs/program.ts'

const script = fileURLToPath(new URL('../scripts/flaky.mjs', import.meta.url))

/** Starts `npm run test:flaky` in a folder with these tests; what it leaves in its folder for temporary files is `left`. */
function start(args: readonly string[], files: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'plugboard-flaky-test-'))
  const temporary = mkdtempSync(join(folder, 'tmp-'))
  const config = 'export default { test: { globals: true, testTimeout: 0 } }'
  for (const [name, content] of Object.entries({ ...files, 'vitest.config.mjs': config }))
    writeFileSync(join(folder, name), content)
  // The tests of this process are no part of those.
  const own = Object.entries(process.env).filter(([name]) => !/^(?:VITEST|NODE_ENV)/.test(name))
  const program = startProgram(process.execPath, [script, ...args], {
    cwd: folder,
    env: { ...Object.fromEntries(own), TMPDIR: temporary, NO_COLOR: '1' },
  })
  onTestFinished(async () => {
    await program[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  })
  const left = () => readdirSync(temporary).filter((name) => name.startsWith('plugboard-flaky-'))
  return { program, left }
}

async function run(args: readonly string[], files: Readonly<Record<string, string>>) {
  const { program, left } = start(args, files)
  const { stdout, code } = await program.result
  return { stdout, code, left: left() }
}

const steady = `test('steady', () => {})`
const flaky = `import { existsSync, writeFileSync } from 'node:fs'
  describe('a list', () => test('changes its mind', () => {
    if (existsSync('first')) throw new Error('not again\\nmore')
    writeFileSync('first', '')
  }))`
const wrong = `test('wrong', () => { throw new Error('never') })`

test('npm run test:flaky: names tests with different results, and apart those that fail each time', async () => {
  const { stdout, code, left } = await run(['--load', '1', '--json'], {
    'a.test.mjs': steady,
    'b.test.mjs': flaky,
    'c.test.mjs': wrong,
  })
  expect(JSON.parse(stdout)).toMatchObject({
    isStable: false,
    runs: 3,
    load: 1,
    tests: 3,
    unstable: [
      {
        test: 'b.test.mjs > a list > changes its mind',
        states: ['passed', 'failed', 'failed'],
        reasons: ['Error: not again'],
      },
    ],
    failing: [{ test: 'c.test.mjs > wrong', reasons: ['Error: never'] }],
    broken: [],
  })
  expect({ code, left }).toEqual({ code: 1, left: [] })
})

test('npm run test:flaky --files: runs these files only, and ends with 0 when all pass each time', async () => {
  const files = { 'a.test.mjs': steady, 'c.test.mjs': wrong }
  const { stdout, code, left } = await run(['--runs', '2', '--load', '0', '--files', 'a.test.mjs'], files)
  expect(stdout).toContain('1 test, 2 times beside 0 busy processes\nAll passed each time.')
  expect({ code, left }).toEqual({ code: 0, left: [] })
})

test('npm run test:flaky: a file that cannot be loaded and an error outside of tests are no success', async () => {
  const { stdout, code } = await run(['--runs', '1', '--load', '0', '--json'], {
    'a.test.mjs': `import './missing.mjs'`,
  })
  expect(JSON.parse(stdout)).toMatchObject({ isStable: false, failing: [{ test: 'a.test.mjs' }] })
  expect(code).toBe(1)
  const late = `test('early', () => void setImmediate(() => { throw new Error('late') }))
    test('waits for it', () => new Promise((resolve) => setImmediate(() => setImmediate(resolve))))`
  const other = await run(['--runs', '1', '--load', '0', '--json'], { 'a.test.mjs': late })
  expect(JSON.parse(other.stdout)).toMatchObject({
    isStable: false,
    failing: [],
    broken: [{ run: 1, code: 1 }],
  })
  expect(other.code).toBe(1)
})

test.each(['SIGINT', 'SIGTERM'] as const)(
  'npm run test:flaky: the busy processes and its temporary files are gone after %s',
  async (signal) => expect(await killedBy(signal)).toEqual({ running: [], left: [] }),
)

test('npm run test:flaky: the busy processes end even when it is killed', async () => {
  expect((await killedBy('SIGKILL')).running).toEqual([])
})

/** Starts it with two busy processes and sends it a signal. */
async function killedBy(signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL') {
  const hanging = { 'a.test.mjs': `test('hangs', () => new Promise(() => setInterval(() => {}, 1000)))` }
  const { program, left } = start(['--load', '2'], hanging)
  const found = await program.printed(/2 busy processes: (\d+) (\d+)\n/)
  const ids = found.slice(1).map(Number)
  // Its tests may hold its output open when it is killed, so its end is waited for alone.
  const exited = once(program.child, 'exit')
  program.child.kill(signal)
  await exited
  await untilGone(...ids)
  return { running: ids.filter(isRunning), left: left() }
}
