import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// A long conversation of the store, and calls that are recorded. Every round is a process of its own.
// docs/reference/performance.md says what is measured and how.

const program = fileURLToPath(new URL('measure-store.mjs', import.meta.url))
const messages = 10_000

/** Runs everything and returns a table as Markdown. */
export function measureStore({ node, rounds, entry, isQuick, say }) {
  const found = []
  for (let round = 0; round < rounds; round++) {
    say(`round ${round + 1}/${rounds} store`)
    found.push(measure({ node, entry, turns: isQuick ? 3 : 10 }))
  }
  const [{ driver }] = found
  const rows = [
    row(
      found,
      `a conversation of ${messages.toLocaleString('en')} messages (\`${driver}\`)`,
      '×1.5',
      'rowsMs',
      'openMs',
    ),
    row(found, 'one call, and its record', '×1.05', 'plainMs', 'recordedMs'),
    row(found, 'the whole time of 2,000 calls, by call', '', 'plainAllMs', 'recordedAllMs'),
  ]
  const head = ['', 'at most', 'limit', 'ours', 'ratio']
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function measure({ node, entry, turns }) {
  const folder = mkdtempSync(join(tmpdir(), 'plugboard-bench-store-'))
  try {
    const { status, stdout, stderr } = spawnSync(node, [program, folder, String(messages), String(turns)], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, ...(entry && { BENCH_ENTRY: entry }) },
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`measure-store.mjs ended with ${status}: ${stderr.slice(-2000)}`)
    return JSON.parse(stdout.trim().split('\n').at(-1))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function row(found, title, atMost, limit, ours) {
  const best = (side) => Math.min(...found.map((round) => round[side]))
  const ratios = found.map((round) => round[ours] / round[limit]).sort((a, b) => a - b)
  const middle = ratios[Math.floor(ratios.length / 2)]
  return [
    title,
    atMost,
    `${best(limit).toPrecision(3)} ms`,
    `${best(ours).toPrecision(3)} ms`,
    `×${(best(ours) / best(limit)).toFixed(2)} [${middle.toFixed(2)}]`,
  ]
}
