import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Compares clients: every measure of every subject runs in its own process, in interleaved rounds, and is a ratio to the
// limit of the same run. docs/reference/performance.md says what is measured and how.

const limit = 'raw'
const us = { unit: 'µs', digits: 1 }
const ms = { unit: 'ms', digits: 1 }
const mb = { unit: 'MB', digits: 1 }

/** The measures to run. `once`: a second round would add nothing. `fresh`: in a home where no server is known. */
const runs = {
  pipe: { measure: 'pipe', calls: 100_000, inFlight: 64 },
  shortPipe: { measure: 'pipe', calls: 40_000, inFlight: 64 },
  sequential: { measure: 'sequential', calls: 10_000 },
  http: { measure: 'http', calls: 12_000, inFlight: 64 },
  large: { measure: 'large', calls: 8, bytes: 5_000_000 },
  start10: { measure: 'start', servers: 10, idleMs: 1000 },
  late10: { measure: 'start', servers: 10, late: true },
  warm10: { measure: 'start', servers: 10, warm: true },
  start50: { measure: 'start', servers: 50 },
  warm50: { measure: 'start', servers: 50, warm: true },
  good: { measure: 'neighbors', bad: false, limitMs: 65_000, fresh: true },
  bad: { measure: 'neighbors', bad: true, limitMs: 65_000, fresh: true },
  cycles: { measure: 'cycles', from: 600, to: 1000, once: true },
}

/** The rows of the tables: a figure of a run, and its largest allowed ratio to the limit. */
const rows = [
  { title: 'stdio, 64 in flight, CPU per call', run: 'pipe', figure: 'cpuUs', ...us, target: 2 },
  { title: 'the same in a shorter run', run: 'shortPipe', figure: 'cpuUs', ...us, target: 2 },
  { title: 'stdio, sequential, p50', run: 'sequential', figure: 'p50Us', ...us, target: 1.3 },
  { title: 'stdio, sequential, CPU per call', run: 'sequential', figure: 'cpuUs', ...us },
  { title: 'HTTP, 64 in flight, CPU per call', run: 'http', figure: 'cpuUs', ...us, target: 4.5 },
  { title: '5 MB result, CPU', run: 'large', figure: 'cpuMs', ...ms, target: 1.8 },
  { title: '5 MB result, peak memory', run: 'large', figure: 'peakMb', ...mb, target: 1.1 },
  { title: '10 servers to all listed, CPU', run: 'start10', figure: 'cpuMs', ...ms, target: 1.4 },
  { title: '10 servers to all listed, wall', run: 'start10', figure: 'wallMs', ...ms },
  { title: '10 servers, with what is loaded when first needed, CPU', run: 'late10', figure: 'cpuMs', ...ms },
  {
    title: '10 servers, CPU of the whole process with its imports',
    run: 'start10',
    figure: 'wholeMs',
    ...ms,
  },
  { title: '10 servers, once another was connected, CPU', run: 'warm10', figure: 'cpuMs', ...ms },
  { title: '50 servers to all listed, CPU', run: 'start50', figure: 'cpuMs', ...ms, target: 1.4 },
  { title: '50 servers to all listed, wall', run: 'start50', figure: 'wallMs', ...ms },
  {
    title: '50 servers, CPU of the whole process with its imports',
    run: 'start50',
    figure: 'wholeMs',
    ...ms,
  },
  { title: '50 servers, once another was connected, CPU', run: 'warm50', figure: 'cpuMs', ...ms },
  {
    title: 'first call of 8 good servers beside a hanging and a missing one, against the 8 alone',
    run: 'bad',
    figure: 'wallMs',
    against: 'good',
    ...ms,
    target: 1.3,
  },
  { title: 'idle memory, 10 servers', run: 'start10', figure: 'idleMb', ...mb, target: 1.25 },
  {
    title: 'heap kept by a connection that ended (600 → 1,000 of them)',
    run: 'cycles',
    figure: 'kbPerCycle',
    unit: 'KB',
    digits: 2,
    atMost: 0.5,
  },
]

/** Runs everything and returns the tables as Markdown. */
export function measureWire({ subjects, node, rounds, isQuick, only, entry, say }) {
  const home = mkdtempSync(join(tmpdir(), 'plugboard-bench-home-'))
  const chosen = Object.entries(runs).filter(([name]) => !only || only.includes(name))
  const results = new Map(subjects.map((subject) => [subject, {}]))
  try {
    for (let round = 0; round < rounds; round++) {
      for (const [name, task] of chosen) {
        for (const subject of subjects) {
          const earlier = (results.get(subject)[name] ??= [])
          if (earlier.length > 0 && (task.once || earlier[0].isLate)) continue
          say(`round ${round + 1}/${rounds} ${name} ${subject}`)
          const place = task.fresh ? mkdtempSync(join(home, 'fresh-')) : home
          const figures = measure(
            { subject, ...(isQuick ? shortened(task) : task) },
            { node, home: place, entry },
          )
          if (figures.failed !== undefined) say(figures.failed)
          earlier.push(figures)
        }
      }
    }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
  const shownRows = rows.filter(({ run, against }) =>
    [run, against ?? run].every((name) => chosen.some(([n]) => n === name)),
  )
  return {
    ratios: ratioTable(shownRows, subjects, results),
    figures: figureTable(shownRows, subjects, results),
  }
}

function shortened(task) {
  if (task.measure === 'cycles') return { ...task, from: 180, to: 300 }
  if (task.measure === 'neighbors') return { ...task, limitMs: 20_000 }
  return task
}

/** Runs in an empty home and with a minimal environment, so that no subject finds the user's own config. */
function measure(task, { node, home, entry }) {
  const file = fileURLToPath(new URL('measure.mjs', import.meta.url))
  const { status, stdout, stderr } = spawnSync(node, ['--expose-gc', file, JSON.stringify(task)], {
    cwd: home,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      TMPDIR: home,
      NODE_ENV: 'production',
      ...(entry && { BENCH_ENTRY: entry }),
    },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  const line = stdout.split('\n').findLast((text) => text.includes('"importMs"'))
  if (status === 0 && line) return JSON.parse(line)
  const failed = `${JSON.stringify(task)} ended with ${status}: ${stderr.slice(-2000)}`
  // A failed peer is reported as failed, and the others go on.
  if (task.subject === limit || task.subject === 'plugboard') throw new Error(failed)
  return { failed }
}

function ratioTable(shownRows, subjects, results) {
  const others = subjects.filter((subject) => subject !== limit)
  const head = ['measure', 'at most', 'limit', ...others]
  const body = shownRows.map((row) => {
    const { title, target, atMost, unit, digits, against } = row
    const most = atMost === undefined ? (target === undefined ? '' : `×${target}`) : `${atMost} ${unit}`
    const bound = `${best(row, results.get(limit)).toFixed(digits)} ${unit}`
    return [title, most, against ? '' : bound, ...others.map((subject) => ratioCell(row, results, subject))]
  })
  return table(head, body)
}

/** The ratio of the best rounds, and the median of the ratios round by round. */
function ratioCell(row, results, subject) {
  const own = results.get(subject)
  if (figuresOf(row, own).length === 0) return 'failed'
  if (row.atMost !== undefined) return `${best(row, own).toFixed(row.digits)} ${row.unit}`
  if (own[row.run][0].isLate) return `over ${own[row.run][0].wallMs / 1000} s`
  const compared = row.against ? { ...row, run: row.against } : row
  const bounds = row.against ? own : results.get(limit)
  const paired = own[row.run].map(
    (figures, round) => figures[row.figure] / bounds[compared.run][round]?.[row.figure],
  )
  const ofRounds = median(paired.filter((ratio) => !Number.isNaN(ratio)))
  return `×${(best(row, own) / best(compared, bounds)).toFixed(2)} [${ofRounds.toFixed(2)}]`
}

function figureTable(shownRows, subjects, results) {
  const body = shownRows.map((row) => [
    `${row.title}, ${row.unit}`,
    ...subjects.map((subject) => {
      const values = figuresOf(row, results.get(subject))
      if (values.length === 0) return 'failed'
      return `${Math.min(...values).toFixed(row.digits)} (${median(values).toFixed(row.digits)})`
    }),
  ])
  return table(['measure', ...subjects], body)
}

/** Figures of the rounds that did not fail. */
function figuresOf({ run, figure }, own) {
  return own[run].filter((figures) => figures.failed === undefined).map((figures) => figures[figure])
}

function best(row, own) {
  return Math.min(...figuresOf(row, own))
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

function table(head, body) {
  const line = (cells) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...body.map(line)].join('\n')
}
