import { HostError } from '../../../../index.ts'
import type { Json, JsonObject } from '../../../../index.ts'
import { isObject } from '../../../../internal.ts'
import { notKept, openOwnStore } from '../../../../store.ts'
import type { Question, Questions } from '../../../../store.ts'

/** Gives the questions of the person's store, without those that nobody waits for any more. */
export async function withQuestions<T>(work: (questions: Questions) => Promise<T>): Promise<T | undefined> {
  const { store, problems } = await openOwnStore({ mayCreate: false })
  if (!store && problems.some(({ code }) => code === 'store-without-driver')) throw notKept(problems)
  if (!store) return undefined
  try {
    await store.questions.expireLeft()
    return await work(store.questions)
  } finally {
    await store.close()
  }
}

/** Answers the questions for a login to a server, once the person is logged in. They may wait in several programs. */
export async function settleLogins(server: string): Promise<void> {
  await withQuestions(async (questions) => {
    for (const question of await questions.list({ state: 'pending' }))
      if (question.kind === 'login' && question.server === server) await questions.answer(question.id, true)
  })
}

/** The pending question that an id, or the beginning of one, means. */
export async function findQuestion(questions: Questions, id: string): Promise<Question> {
  const pending = await questions.list({ state: 'pending' })
  const found = pending.filter((question) => question.id.startsWith(id))
  if (found.length === 1 && found[0]) return found[0]
  const near = found.map((question) => shortId(question))
  if (near.length > 1)
    throw new HostError('question.unknown', { question: id }, `"${id}" begins more than one question.`, {
      hint: `Write more of it: ${near.join(', ')}`,
    })
  const settled = await questions.get(id)
  if (settled) throw settledBefore(settled)
  throw unknownQuestion(id)
}

export function unknownQuestion(id: string): HostError {
  return new HostError('question.unknown', { question: id }, `There is no pending question "${id}".`, {
    hint: 'See: plugboard questions',
  })
}

const ends: Readonly<Record<Question['state'], string>> = {
  pending: 'still waits',
  answered: 'was answered before',
  expired: 'has expired: what asked it does not wait for it any more',
  withdrawn: 'was withdrawn: the call that asked it was stopped',
}

export function settledBefore({ id, state, kind, asked }: Question): HostError {
  const message = `The question ${shortId({ id })} ${ends[state]}. It asked: ${summaryOf(kind, asked)}`
  return new HostError('question.settled', { question: id, state }, message)
}

/** Enough of the id to name a question. */
export function shortId({ id }: Pick<Question, 'id'>): string {
  return id.slice(0, 8)
}

/** What a question asks, in a line. */
export function summaryOf(kind: Question['kind'], asked: Json): string {
  const fields: JsonObject = isObject(asked) ? asked : {}
  if (kind === 'approval') return `${textOf(fields['ref'])} ${JSON.stringify(fields['args'] ?? {})}`
  if (kind === 'login') return textOf(fields['reason'])
  if (kind === 'url') return `${textOf(fields['message'])} ${textOf(fields['url'])}`
  if (kind === 'elicitation') return textOf(fields['message'])
  const [first] = Array.isArray(fields['messages']) ? (fields['messages'] as readonly Json[]) : [] // isArray does not narrow a readonly union
  return isObject(first) ? textOf(first['text']) : ''
}

export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}
