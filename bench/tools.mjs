import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Measures tool handling as ratios within one run: every measure in its own process, in interleaved rounds.
// docs/reference/performance.md says what is measured and how.

const definitions = JSON.parse(
  readFileSync(new URL('../test/fixtures/tools/github.json', import.meta.url), 'utf8'),
)
const program = fileURLToPath(new URL('measure-tools.mjs', import.meta.url))

/** Runs everything and returns the tables as Markdown. `subjects` begins with `raw` and `plugboard`. */
export function measureTools({ subjects, node, rounds, entry, say }) {
  const folder = mkdtempSync(join(tmpdir(), 'plugboard-bench-tools-'))
  const run = (task, home = freshHome(folder)) => measure(task, { node, home, entry })
  try {
    const offered = measureOffered({ subjects, rounds, say, run, folder })
    const kept = measureKept({ rounds, say, run, folder })
    const called = measureCalled({ rounds, say, run })
    return { offered: offeredTable(subjects, offered), own: ownTable([...kept, called]) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** One server with 2,000 tools, and the same with one tool: the difference is the cost of the tools. */
function measureOffered({ subjects, rounds, say, run, folder }) {
  const lists = { one: writeList(folder, 'one', 1, real), many: writeList(folder, 'many', 2000, real) }
  const results = new Map(subjects.map((subject) => [subject, { one: [], many: [] }]))
  for (let round = 0; round < rounds; round++) {
    for (const subject of subjects) {
      say(`round ${round + 1}/${rounds} 2,000 tools ${subject}`)
      const { one, many } = results.get(subject)
      one.push(run({ measure: 'offer', subject, list: lists.one, count: 1 }))
      many.push(run({ measure: 'offer', subject, list: lists.many, count: 2000 }))
    }
  }
  return results
}

/** Servers whose tools are on disk: each figure is compared with parsing the same files in the same process. */
function measureKept({ rounds, say, run, folder }) {
  const crowd = Array.from({ length: 100 }, (_, index) => writeList(folder, `crowd${index}`, 1000, small))
  const few = Array.from({ length: 10 }, (_, index) => writeList(folder, `few${index}`, 50, real))
  const homes = { crowd: freshHome(folder), few: freshHome(folder) }
  say('connecting to every server once')
  run({ measure: 'learn', lists: crowd, count: 100_000 }, homes.crowd)
  run({ measure: 'learn', lists: few, count: 500 }, homes.few)
  const arrange = { measure: 'arrange', lists: crowd, seen: 90_000 }
  const known = { measure: 'known', lists: few, count: 500 }
  const runs = {
    arrange: { task: arrange, home: homes.crowd },
    known: { task: known, home: homes.few },
    late: { task: { ...known, late: true }, home: homes.few },
    again: { task: { ...known, warm: true }, home: homes.few },
  }
  const rows = [
    {
      title: 'filter, name and order 100,000 tools of 100 servers, CPU',
      limit: 'parsing them',
      atMost: 3,
      run: 'arrange',
      figures: ['arrangeMs', 'parseMs'],
    },
    {
      title: 'the same with reading and parsing them',
      limit: 'parsing them',
      run: 'arrange',
      figures: ['wholeMs', 'parseMs'],
    },
    {
      title: 'first `tools()` of 10 known servers with 500 tools, nothing started, CPU',
      limit: 'reading and parsing their files',
      atMost: 3,
      run: 'known',
      figures: ['knownMs', 'readAndParseMs'],
    },
    {
      title: 'the same with what is loaded when first needed',
      limit: 'reading and parsing their files',
      run: 'late',
      figures: ['knownMs', 'readAndParseMs'],
    },
    {
      title: 'the same once another host did it',
      limit: 'reading and parsing their files',
      run: 'again',
      figures: ['knownMs', 'readAndParseMs'],
    },
  ]
  const found = { arrange: [], known: [], late: [], again: [] }
  for (let round = 0; round < rounds; round++) {
    for (const [name, { task, home }] of Object.entries(runs)) {
      say(`round ${round + 1}/${rounds} ${name}`)
      found[name].push(run(task, home))
    }
  }
  return rows.map(({ run: name, figures: [own, limit], ...row }) => ({
    ...row,
    unit: 'ms',
    own: found[name].map((figures) => figures[own]),
    limits: found[name].map((figures) => figures[limit]),
  }))
}

function measureCalled({ rounds, say, run }) {
  const found = []
  for (let round = 0; round < rounds; round++) {
    say(`round ${round + 1}/${rounds} calls`)
    found.push(run({ measure: 'calls', turns: 12, count: 25_000, inFlight: 64 }))
  }
  return {
    title: '`call` of a tool, 64 in flight, CPU',
    limit: '`request` of the same',
    atMost: 1.15,
    unit: 'µs',
    own: found.map(({ callUs }) => callUs),
    limits: found.map(({ requestUs }) => requestUs),
  }
}

function measure(task, { node, home, entry }) {
  const args = ['--max-old-space-size=4096', program, JSON.stringify(task)]
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    TMPDIR: home,
    NODE_ENV: 'production',
    ...(entry && { BENCH_ENTRY: entry }),
  }
  const { status, stdout, stderr } = spawnSync(node, args, {
    cwd: home,
    env,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  const line = stdout.trim().split('\n').at(-1)
  if (status === 0 && line?.startsWith('{')) return JSON.parse(line)
  const failed = `${task.measure} ${task.subject ?? ''} ended with ${status}: ${stderr.slice(-2000)}`
  // A failed peer is reported as failed, and the others go on.
  if (task.subject === undefined || task.subject === 'raw' || task.subject === 'plugboard')
    throw new Error(failed)
  return { failed }
}

let homes = 0

function freshHome(folder) {
  const home = join(folder, `home${++homes}`)
  mkdirSync(home)
  return home
}

function writeList(folder, name, count, toTool) {
  const path = join(folder, `${name}.json`)
  writeFileSync(path, JSON.stringify(Array.from({ length: count }, (_, index) => toTool(index))))
  return path
}

/** A tool definition of a popular server. */
function real(index) {
  const definition = definitions[index % definitions.length]
  return { ...definition, name: `${definition.name}_${index}` }
}

function small(index) {
  return {
    name: `tool_${index}`,
    description: `Does the work of number ${index} and tells what came of it.`,
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'What to look for' },
        limit: { type: 'integer', description: 'How many at most', minimum: 1 },
      },
      required: ['query'],
    },
  }
}

/** The cost of 2,000 tools over that of one. */
function offeredTable(subjects, results) {
  const costOf = (subject, figure) => {
    const { one, many } = results.get(subject)
    const [less, more] = [one, many].map((runs) => runs.filter(({ failed }) => failed === undefined))
    if (less.length === 0 || more.length === 0) return undefined
    return Math.min(...more.map((run) => run[figure])) - Math.min(...less.map((run) => run[figure]))
  }
  const limit = costOf('raw', 'offeredMs')
  const others = subjects.filter((subject) => subject !== 'raw')
  const cell = (subject, figure) => {
    const cost = costOf(subject, figure)
    return cost === undefined ? 'failed' : `×${(cost / limit).toFixed(2)}`
  }
  return table(
    ['measure', 'at most', 'limit', ...others],
    [
      [
        '2,000 tools listed and converted, CPU',
        '×3',
        `${limit.toFixed(1)} ms`,
        ...others.map((subject) => cell(subject, 'offeredMs')),
      ],
      [
        'and closed, with what is kept for the next time',
        '',
        '',
        ...others.map((subject) => cell(subject, 'closedMs')),
      ],
    ],
  )
}

function ownTable(rows) {
  return table(
    ['measure', 'against', 'at most', 'limit', 'plugboard'],
    rows.map(({ title, limit, atMost, unit, own, limits }) => {
      const best = (Math.min(...own) / Math.min(...limits)).toFixed(2)
      const ofRounds = median(own.map((value, round) => value / limits[round])).toFixed(2)
      const bound = `${Math.min(...limits).toFixed(1)} ${unit}`
      return [title, limit, atMost ? `×${atMost}` : '', bound, `×${best} [${ofRounds}]`]
    }),
  )
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
