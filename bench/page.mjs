import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// `plugboard serve` and its page in a browser, beside the Inspector. Every measure is a process of its own.
// docs/reference/performance.md says what is measured and how.

const program = fileURLToPath(new URL('measure-page.mjs', import.meta.url))
const callsPerSecond = 60

/**
 * Runs everything and returns tables as Markdown. Rows that cannot be measured here are taken from `earlier`, the section of
 * the last run, and the reason is said.
 */
export function measurePage({ root, node, rounds, minutes = 2, isQuick, earlier, say }) {
  const why = whyNot()
  if (why) return kept(earlier, why)
  const run = (task) => {
    say(`page: ${task.measure}`)
    return measure({ node, ...task })
  }
  // It needs Node 22.
  const hasInspector =
    Number(versionOf(node).slice(1).split('.')[0]) >= 22 &&
    existsSync(join(root, 'bench/node_modules/@modelcontextprotocol/inspector'))
  const starts = [...new Set([process.execPath, node])].flatMap((each) =>
    startRows(each, run({ measure: 'start', node: each, rounds: rounds * 2 })),
  )
  const idle = Array.from({ length: isQuick ? 1 : 3 }, () => run({ measure: 'idle' }))
  const load = run({ measure: 'load', rounds: rounds * 2, withInspector: hasInspector })
  const frames = run({ measure: 'frames', seconds: isQuick ? 3 : 15, callsPerSecond })
  const memory = run({ measure: 'memory', seconds: isQuick ? 15 : minutes * 60, callsPerSecond: 20 })
  return [
    `Measured on ${new Date().toISOString().slice(0, 10)} with Node ${versionOf(node)}.`,
    table(
      ['measure', 'at most', 'limit', 'plugboard'],
      [...starts, ...idleRows(idle), ...frameRows(frames), ...memoryRows(memory)],
    ),
    hasInspector
      ? besideTable(load)
      : kept(
          besideOf(earlier),
          'The Inspector was not run: `npm run bench -- --peers` installs it and a Node that it needs.',
        ),
  ].join('\n\n')
}

function whyNot() {
  const isLinux = process.platform === 'linux' && process.arch === 'x64'
  return isLinux ? undefined : `The browser of these measures is for linux-x64, not ${process.platform}.`
}

/** What an earlier run found, and why this one did not. */
function kept(earlier, why) {
  return earlier ? `${why} The figures are those of an earlier run.\n\n${earlier}` : why
}

const besideHead = ['the first page, nothing cached', 'at most', 'Inspector 2.12.0', 'plugboard', 'ratio']

/** The table beside the Inspector of an earlier section. */
function besideOf(earlier = '') {
  const begin = earlier.indexOf(`| ${besideHead[0]}`)
  return begin < 0 ? undefined : earlier.slice(begin).split('\n\n')[0]
}

function startRows(node, { bareMs, pageMs, snapshotMs }) {
  const row = (title, atMost, own) => [
    title,
    atMost,
    `${Math.min(...bareMs).toFixed(0)} ms`,
    ratio(own, bareMs),
  ]
  return [
    row(`\`serve\` to its first answer, the page; CPU, bare node ${versionOf(node)}`, '×4', pageMs),
    row('the same to the state of ten servers', '', snapshotMs),
  ]
}

function idleRows(found) {
  const least = (side) => `${Math.min(...found.map((each) => each[side])).toFixed(0)} MB`
  return [
    ['`serve` with ten servers, none started, resident memory', '90 MB', '', least('noneMb')],
    [
      'the same with all ten running, idle for 15 s',
      '90 MB',
      '',
      `${least('allMb')} (just started ${least('startedMb')})`,
    ],
  ]
}

function frameRows({ one, two, missed, hidden, eventsPerSecond, framesPerSecond, p50Ms, p99Ms }) {
  const percent = (share) => `${(share * 100).toFixed(1)} %`
  return [
    [
      `events drawn in the next frame, at ${eventsPerSecond.toFixed(0)} events and ${framesPerSecond.toFixed(0)} frames a second`,
      'all',
      '',
      `${percent(one)} (in two frames ${percent(two)}, never ${missed}; ${hidden} were not in sight)`,
    ],
    [
      'from the arrival of an event to its row, median and 99 %',
      '',
      '',
      `${p50Ms.toFixed(0)} ms, ${p99Ms.toFixed(0)} ms`,
    ],
  ]
}

function memoryRows({ serveMb, rssMb, pageMb, idleMb, seconds, calls }) {
  const row = (title, [first, second, last], atMost = '') => [
    title,
    atMost,
    `${second.toFixed(1)} MB`,
    `${last.toFixed(1)} MB (${first.toFixed(1)} after the first third)`,
  ]
  const time = seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} minutes`
  return [
    row(
      `heap of \`serve\` after ${time} and ${calls.toLocaleString('en')} calls, and after two thirds of it`,
      serveMb,
      '×1.05',
    ),
    row('heap of the page, the same', pageMb, '×1.05'),
    row('resident memory of `serve`, the same', rssMb),
    ['and when it then was idle for 15 s', '', '', `${idleMb.toFixed(1)} MB`],
  ]
}

function besideTable({ plugboard, inspector }) {
  const row = (title, atMost, figure, shown) => {
    const [own, theirs] = [plugboard, inspector].map((found) => found.map((each) => each[figure]))
    return [title, atMost, shown(Math.min(...theirs)), shown(Math.min(...own)), ratio(own, theirs)]
  }
  return table(besideHead, [
    row('until it is usable', '×0.25', 'usableMs', (ms) => `${ms.toFixed(0)} ms`),
    row('requests', '5', 'requests', String),
    row('bytes', '', 'bytes', (bytes) => `${(bytes / 1000).toFixed(0)} kB`),
    row('resident memory of the program that serves it', '', 'rssMb', (mb) => `${mb.toFixed(0)} MB`),
  ])
}

/** Of the best rounds; in brackets the median of the ratios of each round. */
function ratio(own, limits) {
  const ratios = own.map((value, round) => value / limits[round]).sort((a, b) => a - b)
  const best = Math.min(...own) / Math.min(...limits)
  return `×${best.toFixed(2)} [${ratios[ratios.length >> 1].toFixed(2)}]`
}

function measure(task) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, JSON.stringify(task)], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: process.env.TMPDIR ?? '/tmp' },
  })
  if (status !== 0) throw new Error(`${task.measure} ended with ${status}: ${stderr.slice(-2000)}`)
  return { ...JSON.parse(stdout.trim().split('\n').at(-1)), seconds: task.seconds }
}

function versionOf(node) {
  return spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim()
}

function table(head, body) {
  const line = (cells) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...body.map(line)].join('\n')
}
