import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// One step of the agent beside the loop of the AI SDK, with 500 tools, and a long conversation. Every round is a process of its own.
// docs/reference/performance.md says what is measured and how.

const program = fileURLToPath(new URL('measure-agent.mjs', import.meta.url))
const definitions = JSON.parse(
  readFileSync(new URL('../test/fixtures/tools/github.json', import.meta.url), 'utf8'),
)
const count = 500

/** Runs everything and returns a table as Markdown. */
export function measureAgent({ node, rounds, entry, isQuick, say }) {
  const folder = mkdtempSync(join(tmpdir(), 'plugboard-bench-agent-'))
  const list = join(folder, 'tools.json')
  writeFileSync(list, JSON.stringify(Array.from({ length: count }, (_, index) => toTool(index))))
  const task = { list, count, steps: 20, turns: isQuick ? 4 : 12, messages: 10_000 }
  try {
    const found = []
    for (let round = 0; round < rounds; round++) {
      say(`round ${round + 1}/${rounds} agent`)
      found.push(measure(task, { node, entry, home: join(folder, `home${round}`) }))
    }
    return toTable(found)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function toTool(index) {
  const { name, description } = definitions[index % definitions.length]
  const { inputSchema } = definitions[index % definitions.length]
  // Any arguments fit: the model calls one tool with arguments of its own.
  return { name: `${name}_${index}`, description, inputSchema: { ...inputSchema, required: [] } }
}

function measure(task, { node, entry, home }) {
  mkdirSync(home)
  const { status, stdout, stderr } = spawnSync(node, [program, JSON.stringify(task)], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, NODE_ENV: 'production', ...(entry && { BENCH_ENTRY: entry }) },
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`measure-agent.mjs ended with ${status}: ${stderr.slice(-2000)}`)
  return JSON.parse(stdout.trim().split('\n').at(-1))
}

function toTable(found) {
  const best = (side) => Math.min(...found.map((round) => round[side]))
  const row = (title, atMost, own, limit) => {
    const differences = found.map((round) => round[own] - round[limit])
    const ratios = found.map((round) => round[own] / round[limit])
    return [
      title,
      atMost,
      `${best(limit).toFixed(2)} ms`,
      `${best(own).toFixed(2)} ms`,
      `${signed(best(own) - best(limit))} ms [${signed(median(differences))}]`,
      `×${(best(own) / best(limit)).toFixed(2)} [${median(ratios).toFixed(2)}]`,
    ]
  }
  const rows = [
    row('one step with 500 tools, against the loop with tools that do nothing', '+5 ms', 'agentMs', 'bareMs'),
    row('the same, against the loop with the same calls by `host.request`', '', 'agentMs', 'requestMs'),
    row('the same in search mode, against the loop with the same calls', '', 'searchMs', 'requestMs'),
    row('the same with a store, against the agent without one', '', 'keptMs', 'agentMs'),
    row('opening a conversation of 10,000 messages, against reading its rows', '×1.5', 'openMs', 'rowsMs'),
  ]
  const line = (cells) => `| ${cells.join(' | ')} |`
  const head = ['measure, CPU', 'at most', 'limit', 'agent', 'difference', 'ratio']
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

function signed(value) {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(2)}`
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
