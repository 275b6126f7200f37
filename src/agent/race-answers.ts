import type { Json } from '../index.ts'
import { onAbort, raceAbort } from '../model/abort.ts'
import type { NewQuestion, Question, Questions } from '../store.ts'
import type { QuestionEvent } from './question-desk.ts'

/** How one question is asked here, and how its answer is read and kept. */
export interface AnsweredQuestion<T> {
  readonly signal: AbortSignal | undefined
  /** The prompt of this process; absent if there is none. `id` is that of the stored question, if there is one by then. */
  readonly here: ((until: AbortSignal, id: string | undefined) => Promise<T>) | undefined
  /** Reads an answer that another process stored to what it could see. */
  readonly read: (answer: Json, asked: Json) => T
  /** What the store keeps of an answer. */
  readonly keep: (answer: T) => Json
  /** The answer if there is no prompt and the question expires, or the signal aborts. */
  readonly otherwise: T
}

interface RaceOptions {
  readonly questions: () => Promise<Questions | undefined>
  readonly closing: AbortSignal
  readonly on: (event: QuestionEvent) => void
  /** Receives work that goes on after the answer. */
  readonly track: (work: Promise<void>) => void
  readonly storeMs?: number | undefined
}

/** How long a prompt waits for a store that is away: the store may hold the answer to the same question of before. */
const usualStoreMs = 1000

/** Asks here and in the store at once. The first answer counts; the store decides which one that is. */
export async function raceAnswers<T>(
  question: NewQuestion,
  { signal, here, read, keep, otherwise }: AnsweredQuestion<T>,
  { questions, closing, on, track, storeMs = usualStoreMs }: RaceOptions,
): Promise<T> {
  const over = new AbortController()
  const until = AbortSignal.any([over.signal, closing, ...(signal ? [signal] : [])])
  const { kind, server } = question
  /** Who stops the call has nothing left to decide; the connection of a server's own question may also be gone. */
  const isOfCall = kind === 'approval' || kind === 'login'
  const about = (id: string) => ({ id, kind, ...(server !== undefined && { server }) })

  const stored = store(question, questions)
  /** Whether the answer of the prompt was the first; set while the store decides that. */
  let isFirst: Promise<boolean> | undefined
  const watch = async (): Promise<Settled<T> | undefined> => {
    const row = await stored
    if (!row) return undefined
    on({ type: 'question.asked', ...about(row.id) })
    const settled = await row.questions.settled(row.id, until)
    if (settled?.state !== 'answered' || (isFirst && (await isFirst))) return undefined
    const answer = read(settled.answer ?? null, settled.asked)
    const isTaken = await row.questions.take(row.id, keep(answer))
    return isTaken ? { answer, by: 'elsewhere' } : undefined
  }
  const elsewhere = watch().catch(() => undefined)
  const prompt = async (): Promise<Settled<T> | undefined> => {
    if (!here) return undefined
    const before = await Promise.race([stored, pause(storeMs, until)])
    if (until.aborted || before?.isAnswered) return elsewhere
    const answer = await ignoreWithdrawn(here(until, before?.id), until)
    // A prompt that was withdrawn has no answer, whatever it returns.
    if (until.aborted || !answer) return undefined
    const row = await stored
    if (!row) return { ...answer, by: 'here' }
    const kept = keep(answer.answer)
    isFirst = row.questions.answer(row.id, kept).catch(() => true)
    if (!(await isFirst)) return elsewhere
    await row.questions.take(row.id, kept).catch(() => false)
    return { ...answer, by: 'here' }
  }
  let settled: Settled<T> | undefined
  try {
    settled = await raceAbort(
      firstOf([elsewhere, prompt()]),
      AbortSignal.any([closing, ...(signal ? [signal] : [])]),
    )
    return settled ? settled.answer : otherwise
  } finally {
    over.abort()
    const by = settled?.by
    const finish = async () => {
      const row = await stored
      if (!row) return
      if (by) return on({ type: 'question.answered', by, ...about(row.id) })
      const isStopped = isOfCall && signal?.aborted
      // The next process asks the same question again, and takes over this row.
      if (!isStopped && closing.aborted && question.key !== undefined) return row.questions.leave(row.id)
      const end = isStopped ? row.questions.withdraw(row.id) : row.questions.expire(row.id)
      if (await end) on({ type: 'question.expired', ...about(row.id) })
    }
    track(finish().catch(() => undefined))
  }
}

interface Settled<T> {
  readonly answer: T
  readonly by: 'here' | 'elsewhere'
}

/** `undefined`: there is no store, or it cannot be written. The prompt of this process does not depend on it. */
async function store(question: NewQuestion, open: RaceOptions['questions']) {
  try {
    const questions = await open()
    const row: Question | undefined = await questions?.ask(question)
    return questions && row && { questions, id: row.id, isAnswered: row.state === 'answered' }
  } catch {
    return undefined
  }
}

/** A prompt may end in its own way when it is withdrawn. Any other failure is the caller's. */
async function ignoreWithdrawn<T>(
  prompt: Promise<T>,
  until: AbortSignal,
): Promise<{ readonly answer: T } | undefined> {
  try {
    return { answer: await prompt }
  } catch (error) {
    if (until.aborted) return undefined
    throw error
  }
}

/** The first defined value; `undefined` if there is none. Rejects as soon as a prompt fails. */
function firstOf<T>(attempts: readonly Promise<T | undefined>[]): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    let left = attempts.length
    for (const attempt of attempts)
      attempt.then((value) => {
        if (value !== undefined || --left === 0) resolve(value)
      }, reject)
  })
}

/** Resolves after some time, or when the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), ms)
    onAbort(signal, () => {
      clearTimeout(timer)
      resolve(undefined)
    })
  })
}
