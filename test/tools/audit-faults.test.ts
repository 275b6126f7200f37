import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { AuditFiles } from '../../src/audit/audit-files.ts'
import { verifyAudit } from '../../src/audit/verify-audit.ts'
import { nodePlatform } from '../../src/platform/node/node-platform.ts'
import { runProgram } from '../support/programs/program.ts'
import { bundleScript, runScript } from '../support/programs/processes.ts'

const { files, lock, clock } = nodePlatform({})
let script: string
let root: string
let directory: string

beforeAll(async () => {
  script = await bundleScript('audit-writer.ts')
  root = mkdtempSync(join(tmpdir(), 'audit-faults-'))
})
beforeEach(() => {
  directory = join(mkdtempSync(join(root, 'x-')), 'audit')
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

async function verify(head?: string) {
  const { rows, unreadable, torn } = await new AuditFiles({ directory, files, lock, clock }).read()
  const found = await verifyAudit(() => rows, { unreadable, torn, head })
  return { rows: rows.length, writers: found.writers, found, kinds: found.problems.map(({ kind }) => kind) }
}

const openFile = () => join(directory, 'open.jsonl')

describe('the audit trail under real faults', () => {
  test('programs that are killed while they write lose at most their last rows, and harm no other', async () => {
    let acknowledged = 0
    for (let round = 0; round < 4; round++) {
      const writers = [1, 2].map(() => runScript(script, [directory]))
      const counts = await Promise.all(
        writers.map(async (writer) => {
          let last = 0
          for (let lines = 0; lines <= round; lines++) last = Number(await writer.nextLine())
          writer.child.kill('SIGKILL')
          await writer.ended
          return last
        }),
      )
      acknowledged += counts.reduce((sum, each) => sum + each, 0)
    }
    const { rows, writers, kinds } = await verify()
    expect(writers).toBe(8)
    expect(rows).toBeGreaterThanOrEqual(acknowledged)
    expect(kinds.filter((kind) => kind !== 'lost')).toEqual([])
  })

  test('two programs that write at once tear no row of the other', async () => {
    const ends = [1, 2].map(() => runScript(script, [directory, '2000']).ended)
    expect(await Promise.all(ends)).toEqual(ends.map(() => ({ code: 0, signal: null })))
    expect(await verify()).toMatchObject({ rows: 4000, writers: 2, kinds: [] })
  })

  test.skipIf(process.platform !== 'linux')(
    'a file that cannot grow any more leaves half a line; the program goes on, and the next one too',
    async () => {
      // A limit of the kernel on the size of files; a write is cut off exactly there, as on a full disk.
      const limited = `trap '' XFSZ; ulimit -f 8; exec "$0" "$@"`
      const args = ['-c', limited, process.execPath, script, directory, '40']
      expect(await runProgram('bash', args)).toEqual({
        code: 0,
        stdout: expect.stringContaining('end') as string,
        stderr: '',
      })
      const text = readFileSync(openFile(), 'utf8')
      expect(text.endsWith('\n')).toBe(false)
      expect(await runScript(script, [directory, '20']).ended).toEqual({ code: 0, signal: null })
      const { rows, kinds } = await verify()
      expect(kinds).toEqual(['lost'])
      expect(rows).toBe(text.split('\n').length - 1 + 20)
    },
  )

  test('a file that was cut off is found by the half line, and by a hash that was kept', async () => {
    await runScript(script, [directory, '20']).ended
    const { found } = await verify()
    truncateSync(openFile(), readFileSync(openFile()).length - 100)
    expect((await verify()).kinds).toEqual(['lost'])
    expect((await verify(found.head?.hash)).kinds).toEqual(['cut', 'lost'])
  })

  test.each<[string, (lines: string[]) => string[], string[]]>([
    ['rows whose contents were swapped', swapContents, Array<string>(6).fill('changed')],
    ['a range that was deleted', (lines) => lines.toSpliced(4, 10), ['missing']],
    ['lines in another order, which is no change', (lines) => lines.toReversed(), []],
    ['rows of another trail among them', (lines) => [...lines, foreignRow(lines)], ['changed', 'cut']],
  ])('verification finds %s', async (_, tamper, kinds) => {
    await runScript(script, [directory, '20']).ended
    const lines = readFileSync(openFile(), 'utf8').trimEnd().split('\n')
    writeFileSync(openFile(), `${tamper(lines).join('\n')}\n`)
    expect((await verify()).kinds).toEqual(kinds)
  })
})

/** Two rows keep their places and hashes, and exchange the rest. */
function swapContents(lines: readonly string[]): string[] {
  const rows = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  const [one, other] = [rows[3]!, rows[7]!]
  const swap = (row: typeof one, by: typeof one) => ({ ...by, seq: row['seq'] })
  return rows
    .with(3, swap(one, other))
    .with(7, swap(other, one))
    .map((row) => JSON.stringify(row))
}

/** A row in the middle of a chain whose beginning is not here. */
function foreignRow(lines: readonly string[]): string {
  const { hash: _hash, ...row } = JSON.parse(lines[5]!) as Record<string, unknown>
  return JSON.stringify({ ...row, writer: 'ffffffffffffffff', hash: 'sha256:00' })
}
