import { createRequire } from 'node:module'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { TestRunner, vi } from 'vitest'

// The package that runs tests belongs to vitest: it must be the same copy.
const ofVitest = createRequire(createRequire(import.meta.url).resolve('vitest/package.json'))
const { startTests } = await import(pathToFileURL(ofVitest.resolve('@vitest/runner')).href)

/** A test that asks for its mutant so many times more often than any test does without it does not end. */
const endless = { factor: 10, least: 10_000 }

/** Which mutant is in force (0: none), and which ones were asked for. */
const mutation = { active: 0, asked: new Map(), count: 0, limit: Infinity }

globalThis.mutant = (number) => {
  if (mutation.active === 0) {
    mutation.asked.set(number, (mutation.asked.get(number) ?? 0) + 1)
    return false
  }
  if (number !== mutation.active) return false
  if (++mutation.count > mutation.limit) throw new Error(endlessMessage)
  return true
}
const endlessMessage = 'The mutant does not end.'

/** Runs chosen tests of one file and tells nobody but its creator. */
class ChosenTests extends TestRunner {
  #ids
  #onAfterTest
  failed = undefined

  constructor(outer, { ids, onAfterTest, timeoutMs }) {
    super({ ...outer.config, testTimeout: timeoutMs, hookTimeout: timeoutMs })
    Object.defineProperty(this, 'moduleRunner', { value: outer.moduleRunner })
    this.__setTraces(outer._otel)
    this.#ids = ids
    this.#onAfterTest = onAfterTest
  }

  importFile(path, source) {
    const module = this.workerState.evaluatedModules.getModuleById(path)
    if (module) this.workerState.evaluatedModules.invalidateModule(module)
    return super.importFile(path, source)
  }

  onCollected(files) {
    for (const file of files) this.#choose(file)
  }

  /** Whether a test in it is to run: what a suite prepares is not needed for others. */
  #choose(task) {
    const isChosen =
      task.type === 'test'
        ? this.#ids === undefined || this.#ids.has(task.id)
        : task.tasks.filter((each) => this.#choose(each)).length > 0
    if (!isChosen && task.mode === 'run') task.mode = 'skip'
    return isChosen
  }

  async onBeforeRunTask(test) {
    mutation.count = 0
    if (this.failed) test.mode = 'skip'
    await super.onBeforeRunTask(test)
  }

  onAfterRunTask(test) {
    super.onAfterRunTask(test)
    if (test.result?.state === 'fail' && this.#ids) this.failed = test
    this.#onAfterTest?.(test)
  }
}

/** The first thing that failed in a file: a test, or what a suite or the whole file prepares. */
function failureIn(task) {
  for (const each of task.tasks ?? []) {
    const found = failureIn(each)
    if (found) return found
  }
  return task.result?.state === 'fail' ? task : undefined
}

const isEndless = (task) =>
  (task.result?.errors ?? []).some(
    ({ message }) => message === endlessMessage || /timed out in/.test(message),
  )

/**
 * A runner of vitest that runs no tests by itself. After the file that started it, it does what the process of
 * `mutants.mjs` asks for, until that one ends: the modules of the source stay loaded from one mutant to the next.
 */
export default class MutantRunner extends TestRunner {
  async onAfterRunFiles(files) {
    super.onAfterRunFiles(files)
    const socket = connect(Number(process.env.PLUGBOARD_MUTANTS_PORT), '127.0.0.1')
    const say = (message) => socket.write(`${JSON.stringify(message)}\n`)
    say({ worker: Number(process.env.PLUGBOARD_MUTANTS_WORKER) })
    for await (const line of createInterface({ input: socket })) {
      const task = JSON.parse(line)
      if (task.kind === 'end') break
      say(task.kind === 'cover' ? await this.#cover(task) : await this.#judge(task))
    }
    socket.destroy()
  }

  /** Runs a file without a mutant; says for each test which mutants it reaches. */
  async #cover({ file }) {
    const tests = []
    mutation.asked = new Map()
    let outside
    const onAfterTest = (test) => {
      if (test.mode === 'run')
        tests.push({
          id: test.id,
          ms: Math.ceil(test.result?.duration ?? 0),
          isGood: test.result?.state === 'pass',
          reached: [...mutation.asked],
        })
      mutation.asked = new Map()
    }
    const runner = new ChosenTests(this, { timeoutMs: 60_000, onAfterTest })
    const choose = runner.onCollected.bind(runner)
    runner.onCollected = (files) => {
      choose(files)
      outside = [...mutation.asked.keys()]
      mutation.asked = new Map()
    }
    await startTests([{ filepath: file }], runner)
    return { tests, loaded: outside ?? [] }
  }

  /** Runs the tests of a mutant, file by file, until one fails. */
  async #judge({ number, isStatic, files }) {
    for (const { file, ids, timeoutMs, asked } of files) {
      const run = (active, chosen = ids) => this.#run({ active, file, ids: chosen, timeoutMs, asked })
      if (isStatic) vi.resetModules()
      let failed = await run(number)
      if (isStatic) vi.resetModules()
      if (!failed) continue
      // A mutant may leave behind what makes the next tests fail: the test has to pass without it.
      const again = failed.type === 'test' ? [failed.id] : ids
      if (await run(0, again)) {
        vi.resetModules()
        if (await run(0, again)) return { outcome: 'unclear' }
        failed = await run(number)
        vi.resetModules()
        if (!failed) continue
      }
      return { outcome: isEndless(failed) ? 'timed out' : 'killed', by: failed.id }
    }
    return { outcome: 'survived' }
  }

  async #run({ active, file, ids, timeoutMs, asked }) {
    mutation.count = 0
    mutation.limit = endless.least + endless.factor * asked
    mutation.active = active
    try {
      const runner = new ChosenTests(this, { ids: new Set(ids), timeoutMs })
      const [ran] = await startTests([{ filepath: file }], runner)
      return runner.failed ?? failureIn(ran)
    } finally {
      mutation.active = 0
      mutation.asked = new Map()
    }
  }
}
