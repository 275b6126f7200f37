import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { nodePlatform } from '../platform/node/node-platform.ts'
import { createFakeClock } from '../testing/fake-clock.ts'
import { AuditFiles } from './audit-files.ts'
import { compareRows, sealRow } from './audit-row.ts'
import type { Json } from '../model/json.ts'
import type { AuditCall, AuditRow } from './audit-row.ts'
import { ChainedTrail } from './audit-trail.ts'
import { verifyAudit } from './verify-audit.ts'

const { files, lock } = nodePlatform({})
let directory: string
let clock: ReturnType<typeof createFakeClock>

beforeEach(() => {
  directory = join(mkdtempSync(join(tmpdir(), 'audit-')), 'audit')
  clock = createFakeClock()
})
afterEach(() => rmSync(join(directory, '..'), { recursive: true, force: true }))

const call: AuditCall = {
  kind: 'call',
  by: { surface: 'cli', user: 'ada' },
  ref: 'files/read',
  server: 'files',
  tool: 'read',
  outcome: 'done',
  ms: 3,
  argsBytes: 14,
  resultBytes: 20,
  shape: { path: 'string(3)' },
}

const trailFiles = () => new AuditFiles({ directory, files, lock, clock })
const newWriter = (sink = trailFiles()) => new ChainedTrail({ sink, clock, redact: (text) => text })
const open = () => join(directory, 'open.jsonl')
const linesOf = (file: string) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
const readAll = async () => (await trailFiles().read()).rows
const verify = async (head?: string) => {
  const rows = await readAll()
  return verifyAudit(() => rows, { head })
}

async function record(writer: ChainedTrail, times: number): Promise<void> {
  await clock.advance(1)
  for (let at = 0; at < times; at++) writer.record({ ...call, ref: `files/read-${at}` })
  await writer.flush()
}

/** Two programs, the second of which began after the first had written. */
async function twoWriters(): Promise<void> {
  await record(newWriter(), 3)
  await record(newWriter(), 2)
}

describe('the audit trail: ends of writers, and what is written at once', () => {
  test('T143 a writer that was closed has a closing row; one that was not is told with its last row', async () => {
    const closed = newWriter()
    await record(closed, 2)
    await closed.close()
    await closed.close()
    expect(await verify()).toMatchObject({ rows: 2, problems: [] })
    expect((await verify()).open).toBe(undefined)
    expect(linesOf(open())).toHaveLength(3)
    await record(closed, 1)
    const killed = newWriter()
    await record(killed, 3)
    const last = (await readAll())
      .filter(({ kind }) => kind === 'call')
      .map(({ writer, seq, at }) => ({ writer, seq, at }))
    const found = await verify()
    expect(found.problems).toEqual([])
    expect(found.open).toEqual(
      expect.arrayContaining([last.find(({ seq }) => seq === 4), last.findLast(({ seq }) => seq === 3)]),
    )
    expect(found.open).toHaveLength(2)
  })

  test('T143 writers of earlier versions have no closing row, and are not told', async () => {
    const seal = (seq: number, prev: string | null) =>
      sealRow({ writer: 'old', seq, prev, at: '2026-01-01T00:00:00.000Z', ...call })
    const first = seal(1, null)
    expect(await verifyAudit(() => [first, seal(2, first.hash)])).toMatchObject({ rows: 2, problems: [] })
    expect((await verifyAudit(() => [first])).open).toBe(undefined)
  })

  test('T143 a writer that recorded nothing writes nothing when it is closed', async () => {
    await newWriter().close()
    expect(existsSync(open())).toBe(false)
  })

  test('T142 recordNow: the row is written without a pause, also beside others', async () => {
    const writer = newWriter()
    await writer.recordNow(call)
    expect(linesOf(open())).toHaveLength(1)
    await Promise.all(Array.from({ length: 50 }, () => writer.recordNow(call)))
    expect(linesOf(open())).toHaveLength(51)
    expect((await verify()).problems).toEqual([])
  })

  test('T142 recordNow: a row that cannot be written holds up no answer, and is written later', async () => {
    let isFull = true
    const rows: AuditRow[] = []
    const append = async (more: readonly AuditRow[]) => {
      if (isFull) throw new Error('full')
      rows.push(...more)
    }
    const writer = newWriter({ append, newest: async () => undefined } as never)
    await writer.recordNow(call)
    expect(rows).toEqual([])
    isFull = false
    await writer.recordNow(call)
    expect(rows.map(({ seq }) => seq)).toEqual([1, 2])
  })

  test('T144 a row with a second key of one name does not verify', async () => {
    await record(newWriter(), 3)
    const lines = linesOf(open())
    const twice = lines.map((line) => line.replace('"outcome":"done"', '"outcome":"denied","outcome":"done"'))
    expect(twice).not.toEqual(lines)
    writeFileSync(open(), `${twice.join('\n')}\n`)
    const reading = await trailFiles().read()
    const { problems } = await verifyAudit(() => reading.rows, reading)
    expect([reading.rows, problems.map(({ kind }) => kind)]).toEqual([[], ['changed']])
  })

  test('T144 a row that was the newest when a file was closed, and is gone, is told', async () => {
    await record(newWriter(), 2)
    const known = await trailFiles().newest()
    expect(await verifyAudit(() => [], { known })).toMatchObject({
      rows: 0,
      problems: [{ kind: 'cut', seq: 2 }],
    })
  })
})

describe('the audit trail', () => {
  test('rows are written after a timer that found nothing left to write', async () => {
    const sink = trailFiles()
    let isFirst = true
    const writer: ChainedTrail = newWriter(
      Object.assign(sink, {
        append: async (rows: readonly AuditRow[]) => {
          // Ends while the first row is written: the same write takes it along, and its timer comes too late.
          if (isFirst) writer.record({ ...call, ref: 'files/during' })
          isFirst = false
          return AuditFiles.prototype.append.call(sink, rows)
        },
      }),
    )
    writer.record(call)
    await writer.flush()
    await clock.advance(1000)
    writer.record({ ...call, ref: 'files/after' })
    await writer.flush()
    const rows = await readAll()
    expect(rows.map((row) => row.kind === 'call' && row.ref)).toEqual([
      'files/read',
      'files/during',
      'files/after',
    ])
  })

  test('a row holds the hash of the one before it, and the first row names the newest row of others', async () => {
    await twoWriters()
    const rows = linesOf(open()).map((line) => JSON.parse(line) as AuditRow)
    const [first, second, third, other] = rows
    expect(rows.map(({ seq, prev, after }) => ({ seq, prev, after }))).toEqual([
      { seq: 1, prev: null, after: undefined },
      { seq: 2, prev: first?.hash, after: undefined },
      { seq: 3, prev: second?.hash, after: undefined },
      { seq: 1, prev: null, after: { writer: third?.writer, seq: 3, hash: third?.hash } },
      { seq: 2, prev: other?.hash, after: undefined },
    ])
    expect(await verify()).toEqual({
      rows: 5,
      writers: 2,
      head: { writer: other?.writer, seq: 2, hash: rows[4]?.hash, at: rows[4]?.at },
      open: expect.any(Array) as unknown[],
      problems: [],
    })
  })

  test.each<[string, (lines: string[]) => string[], string[]]>([
    [
      'a changed text',
      (lines) => lines.map((line) => line.replace('read-1', 'read-9')),
      ['changed', 'changed'],
    ],
    ['a row that is gone', (lines) => lines.toSpliced(1, 1), ['missing']],
    ['the beginning that is gone', (lines) => lines.slice(1), ['cut']],
    ['the end of a writer whom another knew', (lines) => lines.toSpliced(2, 1), ['cut']],
    ['all rows of a writer whom another knew', (lines) => lines.slice(3), ['cut']],
    [
      'a row written twice with another text',
      (lines) => [...lines, String(lines[0]).replace('"ms":3', '"ms":4')],
      ['changed'],
    ],
  ])('verification finds %s', async (_, tamper, kinds) => {
    await twoWriters()
    writeFileSync(open(), `${tamper(linesOf(open())).join('\n')}\n`)
    expect((await verify()).problems.map(({ kind }) => kind)).toEqual(kinds)
  })

  test('the end of the whole trail can be cut unseen, unless a hash was kept elsewhere', async () => {
    await twoWriters()
    const { head } = await verify()
    writeFileSync(open(), `${linesOf(open()).slice(0, -1).join('\n')}\n`)
    expect((await verify()).problems).toEqual([])
    expect((await verify(head?.hash)).problems).toEqual([
      { kind: 'cut', writer: '', seq: 0, message: `There is no row with the hash ${head?.hash}.` },
    ])
  })

  test('a line that was cut off by a crash costs no other row', async () => {
    await twoWriters()
    writeFileSync(open(), `{"writer":"half\n${readFileSync(open(), 'utf8')}`)
    expect(await trailFiles().read()).toMatchObject({ unreadable: 1 })
    expect((await verify()).problems).toEqual([])
  })

  test('half a line that a killed program left is not joined with the next row, and is said', async () => {
    await record(newWriter(), 2)
    appendFileSync(open(), '{"writer":"half')
    await record(newWriter(), 2)
    expect(await trailFiles().read()).toMatchObject({ unreadable: 1, rows: { length: 4 } })
    const { unreadable, torn, rows } = await trailFiles().read()
    expect((await verifyAudit(() => rows, { unreadable, torn })).problems).toEqual([
      {
        kind: 'lost',
        writer: '',
        seq: 0,
        message: '1 line is cut off: a program was killed, or the disk was full.',
      },
    ])
  })

  test.each<[string, object]>([
    ['a checkpoint without ends', { kind: 'checkpoint' }],
    ['a checkpoint whose ends are no places', { kind: 'checkpoint', before: '', removed: 1, ends: [null] }],
    ['a caller that is null', { by: null }],
    ['no ref', { ref: undefined }],
    ['a decision that is a word', { decision: 'allow' }],
    ['a gap without a number', { kind: 'gap' }],
    ['an unknown kind', { kind: 'note' }],
    ['a first row that names no place', { after: {} }],
    ['a number that no double holds', { kind: 'gap', lost: 'INFINITE' }],
    ['a value that is too deep to be written again', { shape: 'DEEP' }],
  ])('a row with %s is no row, and verification says that a line was changed', async (_, changed) => {
    await record(newWriter(), 2)
    const last = JSON.parse(String(linesOf(open()).at(-1))) as AuditRow
    const line = JSON.stringify({ ...last, ...changed })
      .replace('"INFINITE"', '1e999')
      .replace('"DEEP"', `${'['.repeat(100_000)}${']'.repeat(100_000)}`)
    writeFileSync(open(), `${linesOf(open())[0]}\n${line}\n`)
    const { rows, unreadable, torn } = await trailFiles().read()
    expect([rows.length, unreadable, torn]).toEqual([1, 1, 0])
    expect((await verifyAudit(() => rows, { unreadable, torn })).problems).toEqual([
      {
        kind: 'changed',
        writer: '',
        seq: 0,
        message: '1 line is no row: changed, or written by something else.',
      },
    ])
  })

  test('a byte that is no text damages its own row only', async () => {
    await twoWriters()
    const bytes = readFileSync(open())
    bytes[bytes.indexOf('read-1')] = 0xff
    writeFileSync(open(), bytes)
    expect((await verify()).problems).toMatchObject([
      { kind: 'changed', seq: 2, message: 'Row 2 was changed after it was written.' },
    ])
  })

  test.each<[string, () => Promise<unknown>]>([
    ['taken into a store', () => trailFiles().take(async () => undefined)],
    [
      'pruned',
      async () => {
        await clock.advance(1000)
        const before = new Date(clock.now()).toISOString()
        await trailFiles().prune(before, (entry) => newWriter().checkpoint(entry))
      },
    ],
  ])('lines that are no rows are still found after the rows beside them were %s', async (_, remove) => {
    await record(newWriter(), 2)
    appendFileSync(open(), 'changed by hand\n{"writer":"half\n')
    await remove()
    await remove()
    expect(await trailFiles().read()).toMatchObject({ unreadable: 2, torn: 1 })
  })

  test('a file that cannot be read is neither taken nor pruned away', async () => {
    await record(newWriter(), 1)
    const large = join(directory, 'closed-1-large.jsonl')
    writeFileSync(large, readFileSync(open()))
    truncateSync(large, 40 * 1024 * 1024)
    const taken: AuditRow[] = []
    await trailFiles().take(async (rows) => void taken.push(...rows))
    expect([taken.length, readdirSync(directory).sort()]).toEqual([1, ['closed-1-large.jsonl', 'head.json']])
  })

  test('10,000 calls that end at once are all written, each once', async () => {
    await record(newWriter(), 10_000)
    const rows = await readAll()
    expect(rows).toHaveLength(10_000)
    expect((await verifyAudit(() => rows)).problems).toEqual([])
  })

  test('T49 a row dated in the future is not the newest one, and a clock that is set back breaks no chain', async () => {
    await clock.advance(1_000_000_000)
    const writer = newWriter()
    clock.setWallClock(20 * 365 * 86_400_000)
    await record(writer, 1)
    clock.setWallClock(-20 * 365 * 86_400_000)
    await record(writer, 1)
    clock.setWallClock(-3_600_000)
    await record(writer, 1)
    const rows = await readAll()
    const { head, problems } = await verifyAudit(() => rows, { now: clock.now() + 3_600_000 })
    expect([head?.seq, problems]).toEqual([2, []])
    // The row dated later stays, and so do those after it: a hole would look like rows that were removed.
    const files = trailFiles()
    await files.prune(new Date(clock.now() + 60_000).toISOString(), (entry) => newWriter().checkpoint(entry))
    expect(await verify()).toMatchObject({ rows: 3, problems: [] })
  })

  const writerOn = (disk: { isFull: boolean }, onFailure?: (rows: number, error: unknown) => void) => {
    const sink = trailFiles()
    return new ChainedTrail({
      sink: {
        append: (rows) => (disk.isFull ? Promise.reject(new Error('disk full')) : sink.append(rows)),
        newest: () => sink.newest(),
      },
      clock,
      redact: (text) => text,
      ...(onFailure && { onFailure }),
    })
  }

  test('rows that could not be written are counted in a row of their own, and the chain goes on', async () => {
    const disk = { isFull: true }
    const writer = writerOn(disk)
    await record(writer, 20_005)
    disk.isFull = false
    await writer.flush()
    const rows = await readAll()
    expect(rows).toHaveLength(20_001)
    expect(rows.at(-1)).toMatchObject({ kind: 'gap', lost: 5 })
    expect((await verify()).problems.map(({ kind, message }) => [kind, message])).toEqual([
      ['lost', '5 rows could not be written.'],
    ])
  })

  test('rows that cannot be written are reported once, with the reason, and again after writing went well', async () => {
    const disk = { isFull: true }
    const failures: unknown[] = []
    const writer = writerOn(disk, (rows, error) => failures.push([rows, String(error)]))
    await record(writer, 2)
    await record(writer, 1)
    expect(failures).toEqual([[2, 'Error: disk full']])
    disk.isFull = false
    await writer.flush()
    disk.isFull = true
    await record(writer, 1)
    expect(failures).toEqual([
      [2, 'Error: disk full'],
      [1, 'Error: disk full'],
    ])
  })

  test('taking moves rows once; a writer whose file was taken while it wrote loses nothing', async () => {
    await twoWriters()
    const taken = new Map<string, AuditRow>()
    const add = async (rows: readonly AuditRow[]) => {
      for (const row of rows) taken.set(row.hash, row)
    }
    let isTaken = false
    const slow = new AuditFiles({
      directory,
      lock,
      clock,
      files: {
        ...files,
        async append(path, text) {
          if (isTaken) return files.append(path, text)
          isTaken = true
          // It had opened the file, which is read and removed before it writes: what it writes is in no file.
          await trailFiles().take(add)
        },
      },
    })
    await record(newWriter(slow), 1)
    expect([taken.size, (await readAll()).length]).toEqual([5, 1])
    await trailFiles().take(add)
    expect(taken.size).toBe(6)
    expect(readdirSync(directory).sort()).toEqual(['head.json'])
    expect((await verifyAudit(() => [...taken.values()].sort(compareRows))).problems).toEqual([])
    // A new writer knows the newest row though no file holds it any more.
    await record(newWriter(), 1)
    const [row] = await readAll()
    expect(taken.get(row?.after?.hash ?? '')).toMatchObject({ ref: 'files/read-0', seq: 1 })
  })

  test('pruning leaves a checkpoint, and the rest can be verified, also after a second prune', async () => {
    await clock.advance(1000)
    await record(newWriter(), 2)
    const long = newWriter()
    await record(long, 2)
    await clock.advance(1000)
    const before = new Date(clock.now()).toISOString()
    await record(long, 2)
    const files = trailFiles()
    const checkpoint = await files.prune(before, (entry) => newWriter(files).checkpoint(entry))
    expect(checkpoint).toMatchObject({ kind: 'checkpoint', before, removed: 4, ends: [{ seq: 2 }] })
    expect(await verify()).toMatchObject({ rows: 3, problems: [] })
    await clock.advance(1000)
    await record(long, 1)
    const later = new Date(clock.now()).toISOString()
    await files.prune(later, (entry) => newWriter(files).checkpoint(entry))
    expect(await verify()).toMatchObject({ rows: 2, problems: [] })
    // Without the checkpoint, what is left looks cut, and so does the closing row after it.
    writeFileSync(
      open(),
      `${linesOf(open())
        .filter((line) => !line.includes('"checkpoint"'))
        .join('\n')}\n`,
    )
    expect((await verify()).problems.map(({ kind }) => kind)).toEqual(['cut', 'cut'])
  })

  test.each<[string, Json]>([
    ['with a number that no double holds', { a: JSON.parse('1e999') as number }],
    ['that are too deep to be written', JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`) as Json],
  ])('arguments %s are left out, and later calls are recorded', async (_, args) => {
    const writer = newWriter()
    writer.record({ ...call, args })
    writer.record({ ...call, args: { a: 1 } })
    await writer.flush()
    expect((await readAll()).map((row) => row.kind === 'call' && row.args)).toEqual([undefined, { a: 1 }])
    expect((await verify()).problems).toEqual([])
  })

  test('T35 texts are masked before they are hashed, so that a masked row is still whole', async () => {
    const writer = new ChainedTrail({
      sink: trailFiles(),
      clock,
      redact: (text) => text.replaceAll('s3cret-value', '•••'),
    })
    writer.record({ ...call, ref: 'files/s3cret-value', args: { token: 's3cret-value' } })
    await writer.flush()
    expect(readFileSync(open(), 'utf8')).not.toContain('s3cret')
    expect((await verify()).problems).toEqual([])
  })
})
