import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import { createHash } from 'node:crypto'
import type { Approval } from '../model/memory.ts'
import type { Database } from './connect.ts'
import type { StoredMemory } from './store-interface.ts'
import type { ApprovalRow, SwitchRow, Tables } from './tables.ts'
import type { Writing } from './writing.ts'

/** How long a call that relies on an approval waits for a database that is away. */
const recallMs = 2000

type Rows = { readonly switches: readonly SwitchRow[]; readonly approvals: readonly ApprovalRow[] }
type Change = (rows: Rows) => Rows

export async function openMemoryOf(database: Database, { now }: Writing): Promise<StoredMemory> {
  let { rows, version } = await readAll(database)
  /** Changes of this process that are not stored: not yet, or refused. They stay in force here. */
  const unwritten = new Set<Change>()
  let last: Promise<unknown> = Promise.resolve()
  const inOrder = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work)
    last = result.catch(() => undefined)
    return result
  }
  const change = (here: Change, write: (within: Transaction<Tables>) => Promise<unknown>): Promise<void> => {
    rows = here(rows)
    unwritten.add(here)
    return inOrder(async () => {
      await writeCounted(database, write)
      unwritten.delete(here)
    })
  }
  const withUnwritten = (found: Rows) => [...unwritten].reduce((current, each) => each(current), found)
  const readChanges = async () => {
    if ((await readVersion(database, recallMs)) === version) return
    const found = await readAll(database)
    version = found.version
    rows = withUnwritten(found.rows)
  }
  const recall = () =>
    inOrder(() =>
      readChanges().catch(() => {
        // An approval that cannot be confirmed is not relied on: a person is asked. Switches restrict, and stay.
        version = -1
        rows = withUnwritten({ ...rows, approvals: [] })
      }),
    )
  return {
    recall,
    toggles: {
      of: (conversation) =>
        new Map(
          rows.switches
            .filter((row) => row.conversation === conversation)
            .map(({ server, is_on }) => [server, is_on === 1]),
        ),
      set(conversation, server, on) {
        const isIt = (row: SwitchRow) => row.conversation === conversation && row.server === server
        const row = on === undefined ? [] : [{ conversation, server, is_on: on ? 1 : 0, at: now() }]
        return change(
          (before) => ({
            ...before,
            switches: [...before.switches.filter((each) => !isIt(each)), ...row],
          }),
          async (within) => {
            await within
              .deleteFrom('switches')
              .where('conversation', '=', conversation)
              .where('server', '=', server)
              .execute()
            if (row.length > 0) await within.insertInto('switches').values(row).execute()
          },
        )
      },
    },
    approvals: {
      of: (conversation) =>
        rows.approvals
          .filter((row) => row.conversation === null || row.conversation === conversation)
          .map(toApproval),
      add(approval) {
        const row = toRow(approval)
        return change(
          (before) => ({
            ...before,
            approvals: [...before.approvals.filter(({ id }) => id !== row.id), row],
          }),
          (within) => addApproval(within, row),
        )
      },
      async revoke({ ref, conversation } = {}) {
        const isIt = (row: ApprovalRow) =>
          (ref ?? row.ref) === row.ref && (conversation ?? row.conversation) === row.conversation
        const removed = rows.approvals.filter(isIt).length
        await change(
          (before) => ({ ...before, approvals: before.approvals.filter((row) => !isIt(row)) }),
          (within) => {
            let all = within.deleteFrom('approvals')
            if (ref !== undefined) all = all.where('ref', '=', ref)
            if (conversation !== undefined) all = all.where('conversation', '=', conversation)
            return all.execute()
          },
        )
        return removed
      },
    },
  }
}

/** Adds what a memory file had, once. What the store has already stays. */
export async function importMemory(
  database: Database,
  {
    switches,
    approvals,
  }: { readonly switches: readonly SwitchRow[]; readonly approvals: readonly Approval[] },
): Promise<void> {
  await writeCounted(database, async (within) => {
    for (const row of switches)
      await within
        .insertInto('switches')
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    for (const approval of approvals)
      await within
        .insertInto('approvals')
        .values(toRow(approval))
        .onConflict((conflict) => conflict.doNothing())
        .execute()
  })
}

/** Writes a change together with the count by which other processes notice it. */
function writeCounted(
  { run }: Database,
  write: (within: Transaction<Tables>) => Promise<unknown>,
): Promise<void> {
  return run((db) =>
    db.transaction().execute(async (within) => {
      await within
        .updateTable('counters')
        .set({ value: sql`value + 1` })
        .where('name', '=', 'memory')
        .execute()
      await write(within)
    }),
  )
}

async function addApproval(within: Transaction<Tables>, row: ApprovalRow): Promise<void> {
  await within.deleteFrom('approvals').where('id', '=', row.id).execute()
  await within.insertInto('approvals').values(row).execute()
}

function readVersion({ run }: Database, retryMs?: number): Promise<number> {
  return run(async (db) => {
    const row = await db
      .selectFrom('counters')
      .select('value')
      .where('name', '=', 'memory')
      .executeTakeFirst()
    return row?.value ?? 0
  }, retryMs)
}

/** The version first: a change that comes between is read again by the next `recall`. */
async function readAll(database: Database): Promise<{ readonly rows: Rows; readonly version: number }> {
  const version = await readVersion(database)
  const rows = await database.run(async (db) => ({
    switches: await db.selectFrom('switches').selectAll().orderBy('at').execute(),
    approvals: await db.selectFrom('approvals').selectAll().orderBy('at').execute(),
  }))
  return { rows, version }
}

function toRow({ ref, definition, entry, asks, conversation, at }: Approval): ApprovalRow {
  const key = JSON.stringify([ref, definition, entry, asks, conversation ?? null])
  const id = createHash('sha256').update(key).digest('hex')
  return { id, ref, definition, entry, asks: JSON.stringify(asks), conversation: conversation ?? null, at }
}

function toApproval({ ref, definition, entry, asks, conversation, at }: ApprovalRow): Approval {
  return {
    ref,
    definition,
    entry,
    asks: JSON.parse(asks) as readonly string[], // written by `toRow`
    ...(conversation !== null && { conversation }),
    at,
  }
}
