import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// The command line beside a server that hangs: every run is a process of its own, alone and beside it in turns.
// docs/reference/performance.md says what is measured and how.

const exits = { done: 0, timedOut: 9 }

/** Runs everything and returns a table as Markdown. */
export function measureWaiting({ root, node, rounds, say }) {
  const folder = mkdtempSync(join(tmpdir(), 'plugboard-bench-waiting-'))
  const good = { command: 'sh', args: [join(root, 'bench/servers/quick.sh')] }
  const hangs = { command: 'sh', args: [join(root, 'bench/servers/hang.sh')] }
  const run = (home, args, exit = exits.done) =>
    runOnce(node, [join(root, 'dist/cli/plugboard.cjs'), ...args], home, exit)
  const call = ['call', 'good__echo', 'text=x']
  const cold = { alone: [], beside: [] }
  const warm = { alone: [], beside: [] }
  const lists = []
  try {
    for (let round = 0; round < rounds; round++) {
      say(`round ${round + 1}/${rounds} call beside a hanging server`)
      for (const [side, servers] of Object.entries({ alone: { good }, beside: { good, hangs } })) {
        const home = freshHome(folder, servers)
        cold[side].push(run(home, call))
        warm[side].push(run(home, call))
      }
    }
    say('a hanging server gets its whole start-up time')
    const home = freshHome(folder, { good, hangs })
    run(home, ['test', 'hangs'], exits.timedOut)
    // The first list learns the good server.
    run(home, ['tools'])
    for (let round = 0; round < rounds; round++) lists.push(run(home, ['tools']))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return table([
    ratioRow('`plugboard call` beside a hanging server, cold', cold),
    ratioRow('the same, warm', warm),
    ['second `plugboard tools` with a server that hung before', '1.5 s', '', timeOf(lists), ''],
  ])
}

function ratioRow(title, { alone, beside }) {
  const ratios = beside.map((ms, round) => ms / alone[round])
  const ratio = `×${(Math.min(...beside) / Math.min(...alone)).toFixed(2)} [${median(ratios).toFixed(2)}]`
  return [title, '×1.3', timeOf(alone), timeOf(beside), ratio]
}

function timeOf(times) {
  return `${Math.min(...times).toFixed(0)} ms (${median(times).toFixed(0)})`
}

let homes = 0

function freshHome(folder, mcpServers) {
  const home = join(folder, `home${++homes}`)
  mkdirSync(join(home, '.config/plugboard'), { recursive: true })
  mkdirSync(join(home, 'project'))
  writeFileSync(join(home, '.config/plugboard/mcp.json'), JSON.stringify({ mcpServers }))
  return home
}

/** The wall time of one run, in milliseconds. */
function runOnce(node, args, home, exit) {
  const begin = performance.now()
  const { status, stderr } = spawnSync(node, args, {
    cwd: join(home, 'project'),
    env: { PATH: process.env.PATH, HOME: home },
    encoding: 'utf8',
  })
  const ms = performance.now() - begin
  if (status !== exit) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr.slice(-2000)}`)
  return ms
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

function table(body) {
  const line = (cells) => `| ${cells.join(' | ')} |`
  const head = ['measure', 'at most', 'alone', 'beside it', 'ratio']
  return [line(head), line(head.map(() => '---')), ...body.map(line)].join('\n')
}
