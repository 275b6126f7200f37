import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// First contact and what is done again, through the public API: every figure is the CPU time of a whole process with an
// environment of PATH and HOME only, in interleaved rounds. Ratios are of the best rounds.

const program = fileURLToPath(new URL('measure-contact.mjs', import.meta.url))
const definitions = JSON.parse(
  readFileSync(new URL('../test/fixtures/tools/github.json', import.meta.url), 'utf8'),
)

/** Returns the rows as a Markdown table. `subjects` begins with `raw` and `plugboard`. */
export function measureContact({ subjects, node, rounds, entry, say }) {
  const folder = mkdtempSync(join(tmpdir(), 'plugboard-bench-contact-'))
  const measure = createMeasure({ folder, node, entry })
  try {
    const runs = runsOf({ subjects, folder, measure })
    const found = new Map(Object.keys(runs).map((name) => [name, []]))
    for (let round = 0; round < rounds; round++) {
      for (const [name, run] of Object.entries(runs)) {
        say(`round ${round + 1}/${rounds} ${name}`)
        found.get(name).push(run())
      }
    }
    return table(subjects, (name) => Math.min(...(found.get(name) ?? []).filter((ms) => ms !== undefined)))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Each run returns milliseconds of CPU time. */
function runsOf({ subjects, folder, measure }) {
  const lists = {
    few: writeList(folder, 'few', 10, small),
    crowd: writeList(folder, 'crowd', 10_000, small),
    real: writeList(folder, 'real', 2000, real),
  }
  const known = Object.fromEntries(
    [10, 60].map((servers) => [
      servers,
      learned({ measure, servers, list: writeList(folder, 'one', 5, real) }),
    ]),
  )
  const called = Object.fromEntries(
    ['few', 'crowd'].map((name) => [name, learned({ measure, servers: 1, list: lists[name] })]),
  )
  const runs = { bare: () => measure({ measure: 'nothing' }).wholeMs }
  for (const subject of subjects) {
    for (const servers of [10, 50])
      runs[`${subject} first ${servers}`] = () => measure({ measure: 'first', subject, servers })?.wholeMs
    runs[`${subject} closed 50`] = () => measure({ measure: 'first', subject, servers: 50 })?.closedMs
    runs[`${subject} again`] = () =>
      measure({ measure: 'again', subject, list: lists.real, count: 2000 }, { tools: true })?.againMs
  }
  for (const servers of [10, 60])
    runs[`known ${servers}`] = () => measure({ measure: 'known', ...known[servers] }, known[servers])?.wholeMs
  for (const name of ['few', 'crowd'])
    runs[`call ${name}`] = () => measure({ measure: 'call', ...called[name] }, called[name])?.wholeMs
  return runs
}

function table(subjects, best) {
  const others = subjects.filter((subject) => subject !== 'raw')
  const cells = (ratio) => others.map((subject) => shown(ratio(subject)))
  const further = (subject) => (best(`${subject} first 50`) - best(`${subject} first 10`)) / 40
  const ours = (ratio) => others.map((subject) => (subject === 'plugboard' ? ratio : ''))
  const rows = [
    [
      '10 servers: `createHost`, `ready()`, `tools()`, empty home',
      '×2.2',
      milliseconds(best('raw first 10')),
      ...cells((subject) => best(`${subject} first 10`) / best('raw first 10')),
    ],
    [
      '50 servers',
      '×2.0',
      milliseconds(best('raw first 50')),
      ...cells((subject) => best(`${subject} first 50`) / best('raw first 50')),
    ],
    [
      'each further server',
      '×1.7',
      milliseconds(further('raw')),
      ...cells((subject) => further(subject) / further('raw')),
    ],
    [
      '50 servers, and closed',
      '',
      milliseconds(best('raw closed 50')),
      ...cells((subject) => best(`${subject} closed 50`) / best('raw closed 50')),
    ],
    [
      '2,000 unchanged tools listed again (without the start)',
      '×1.5',
      milliseconds(best('raw again')),
      ...cells((subject) => best(`${subject} again`) / best('raw again')),
    ],
    [
      'first `call` of a process, 10,000 known tools, against 10',
      '×1.5',
      milliseconds(best('call few')),
      ...ours(shown(best('call crowd') / best('call few'))),
    ],
    [
      '`tools()` of 10 known servers, against bare node',
      '×2',
      milliseconds(best('bare')),
      ...ours(shown(best('known 10') / best('bare'))),
    ],
    [
      'each further known server',
      '0.4 ms',
      '',
      ...ours(milliseconds((best('known 60') - best('known 10')) / 50)),
    ],
  ]
  const line = (each) => `| ${each.join(' | ')} |`
  const head = ['measure, CPU of the whole process', 'at most', 'limit', ...others]
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

function shown(ratio) {
  return Number.isFinite(ratio) ? `×${ratio.toFixed(2)}` : 'failed'
}

function milliseconds(ms) {
  return `${ms.toFixed(ms < 10 ? 2 : 0)} ms`
}

/** A home in which the servers were connected once. */
function learned({ measure, servers, list }) {
  const home = newHome()
  const task = { servers, list }
  measure({ measure: 'learn', ...task }, { home })
  return { home, ...task }
}

const homes = { folder: '', count: 0 }

function newHome() {
  const home = join(homes.folder, `home${++homes.count}`)
  mkdirSync(home)
  return home
}

function createMeasure({ folder, node, entry }) {
  homes.folder = folder
  return (task, { home = newHome(), tools = false } = {}) => {
    const file = tools ? fileURLToPath(new URL('measure-tools.mjs', import.meta.url)) : program
    // Nothing else: NODE_EXTRA_CA_CERTS alone triples the time of bare node on Node 20.
    const env = { PATH: process.env.PATH, HOME: home, ...(entry && { BENCH_ENTRY: entry }) }
    const { status, stdout, stderr } = spawnSync(node, [file, JSON.stringify(task)], {
      cwd: home,
      env,
      encoding: 'utf8',
    })
    if (status === 0) return JSON.parse(stdout.trim().split('\n').at(-1))
    if (task.subject === undefined || ['raw', 'plugboard'].includes(task.subject)) throw new Error(stderr)
    return undefined
  }
}

function writeList(folder, name, count, toTool) {
  const path = join(folder, `${name}.json`)
  writeFileSync(path, JSON.stringify(Array.from({ length: count }, (_, index) => toTool(index))))
  return path
}

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
      properties: { query: { type: 'string', description: 'What to look for' } },
    },
  }
}
