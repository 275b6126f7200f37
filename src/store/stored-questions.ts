import { randomUUID } from 'node:crypto'
import { isObject } from '../model/json.ts'
import type { Json } from '../model/json.ts'
import { describeAsker, isAskerGone, leftAsker, takenAsker } from './asker.ts'
import type { Database } from './connect.ts'
import type { Question, QuestionKind, Questions } from './question.ts'
import type { QuestionRow } from './tables.ts'
import type { StoreOptions } from './store-interface.ts'
import { readJson } from './stored-json.ts'
import type { Writing } from './writing.ts'

const dayMs = 24 * 3_600_000
/** A question that can wait is given up after this time. */
const longestMs = 7 * dayMs
/** An answer that no process has used counts for this time: a later call that is equal asks again. */
const answerMs = 7 * dayMs

/** How often an answer of another process is looked for. */
const pollMs = 500

export function createQuestions(
  { run }: Database,
  { json, now }: Writing,
  { clock, processes }: Pick<StoreOptions['platform'], 'clock' | 'processes'>,
): Questions {
  const isGone = (row: QuestionRow) => isAskerGone(row, { processes, clock })
  const isOver = (row: QuestionRow) =>
    row.state === 'answered'
      ? Date.parse(row.settled_at ?? row.asked_at) < clock.now() - answerMs
      : Date.parse(row.asked_at) < clock.now() - longestMs
  /** Those that wait in this process for an answer, which may come from this process too. */
  const waiting = new Map<string, Set<() => void>>()
  const wake = (id: string) => {
    for (const each of waiting.get(id) ?? []) each()
  }
  /** Marks what hides something from the person who reads it. */
  const describe = (asked: Json): string => {
    const masked = json(asked)
    return isObject(asked) && masked !== JSON.stringify(asked) ? json({ ...asked, masked: true }) : masked
  }
  const get = async (id: string) => {
    const row = await run((db) =>
      db.selectFrom('questions').selectAll().where('id', '=', id).executeTakeFirst(),
    )
    return row && toQuestion(row)
  }
  const settle = async (id: string, state: Question['state'], answer: Json | undefined) => {
    const settled_at = now()
    const isSettled = await run(async (db) => {
      const [updated] = await db
        .updateTable('questions')
        .set({ state, settled_at, ...(answer !== undefined && { answer: json(answer) }) })
        .where('id', '=', id)
        .where('state', '=', 'pending')
        .execute()
      return Number(updated?.numUpdatedRows ?? 0) === 1
    })
    if (isSettled) wake(id)
    return isSettled
  }
  const update = async (
    row: Pick<QuestionRow, 'id' | 'state'>,
    change: Partial<QuestionRow>,
    from?: string,
  ) => {
    const [updated] = await run((db) => {
      const all = db
        .updateTable('questions')
        .set(change)
        .where('id', '=', row.id)
        .where('state', '=', row.state)
      return (
        from === undefined ? all.where('asker', '!=', takenAsker) : all.where('asker', '=', from)
      ).execute()
    })
    return Number(updated?.numUpdatedRows ?? 0) === 1
  }
  /** The question of a process that is gone, pending or answered, which is this process's now. */
  const takeOver = async (key: string, asker: string): Promise<Question | undefined> => {
    const rows = await run((db) =>
      db
        .selectFrom('questions')
        .selectAll()
        .where('key', '=', key)
        .where('state', 'in', ['pending', 'answered'])
        .where('asker', '!=', takenAsker)
        .orderBy('asked_at', 'desc')
        .execute(),
    )
    for (const row of rows)
      if (!isOver(row) && (await isGone(row)) && (await update(row, { asker }, row.asker)))
        return toQuestion(row)
    return undefined
  }
  return {
    get,

    async ask({ kind, server, conversation, asked, key }) {
      const asker = await describeAsker(processes)
      const left = key === undefined ? undefined : await takeOver(key, asker)
      if (left) return left
      const row: QuestionRow = {
        id: randomUUID(),
        kind,
        server: server ?? null,
        conversation: conversation ?? null,
        asked: describe(asked),
        state: 'pending',
        asker,
        asked_at: now(),
        answer: null,
        settled_at: null,
        key: key ?? null,
      }
      await run((db) =>
        db
          .insertInto('questions')
          .values(row)
          // The second attempt after a lost connection; the id is this question's alone.
          .onConflict((conflict) => conflict.doNothing())
          .execute(),
      )
      return toQuestion(row)
    },

    async list({ state, limit = 200, order = 'oldest' } = {}) {
      const rows = await run((db) => {
        const direction = order === 'newest' ? 'desc' : 'asc'
        const all = db.selectFrom('questions').selectAll().orderBy('asked_at', direction).limit(limit)
        return (state === undefined ? all : all.where('state', '=', state)).execute()
      })
      return rows.map(toQuestion)
    },

    answer: (id, answer) => settle(id, 'answered', answer),
    take: (id, kept) => update({ id, state: 'answered' }, { asker: takenAsker, answer: json(kept) }),
    expire: (id) => settle(id, 'expired', undefined),
    withdraw: (id) => settle(id, 'withdrawn', undefined),
    async leave(id) {
      await update({ id, state: 'pending' }, { asker: leftAsker })
    },
    async expireLeft() {
      const rows = await run((db) =>
        db
          .selectFrom('questions')
          .selectAll()
          .where('state', 'in', ['pending', 'answered'])
          .where('asker', '!=', takenAsker)
          .execute(),
      )
      for (const row of rows) {
        if (row.asker === leftAsker ? !isOver(row) : !(await isGone(row))) continue
        const isOpen = row.state === 'pending'
        if (isOpen && (row.key === null || isOver(row))) await settle(row.id, 'expired', undefined)
        else if (isOver(row)) await update(row, { state: 'expired', answer: null }, row.asker)
        else await update(row, { asker: leftAsker }, row.asker)
      }
    },

    async settled(id, signal) {
      for (;;) {
        const question = await get(id)
        if (question?.state !== 'pending') return question
        await new Promise<void>((resolve) => {
          const wakers = waiting.get(id) ?? new Set()
          const woken = new AbortController()
          const end = () => {
            wakers.delete(end)
            if (wakers.size === 0) waiting.delete(id)
            woken.abort()
            resolve()
          }
          wakers.add(end)
          waiting.set(id, wakers)
          const until = signal ? AbortSignal.any([woken.signal, signal]) : woken.signal
          clock.sleep(pollMs, until).then(end, end)
        })
        signal?.throwIfAborted()
      }
    },
  }
}

function toQuestion(row: QuestionRow): Question {
  return {
    id: row.id,
    kind: row.kind as QuestionKind, // written by `ask`
    ...(row.server !== null && { server: row.server }),
    ...(row.conversation !== null && { conversation: row.conversation }),
    asked: readJson(row.asked),
    state: row.state as Question['state'], // written by `ask` and `settle`
    canWait: row.key !== null,
    isWaiting: row.state === 'pending' && row.asker !== leftAsker,
    askedAt: row.asked_at,
    ...(row.answer !== null && { answer: readJson(row.answer) }),
    ...(row.settled_at !== null && { settledAt: row.settled_at }),
  }
}
