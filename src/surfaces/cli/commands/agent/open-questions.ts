import { HostError } from '../../../../index.ts'
import { notKept, openOwnStore } from '../../../../store.ts'
import type { Question, Questions } from '../../../../store.ts'
import { settledBefore, shortId, unknownQuestion } from '../../../facts/question-texts.ts'
import { worldOf } from '../../command-context.ts'
import type { Cli } from '../../command-context.ts'

/** Gives the questions of the person's store, without those that nobody waits for any more. */
export async function withQuestions<T>(
  cli: Cli,
  work: (questions: Questions) => Promise<T>,
): Promise<T | undefined> {
  const { store, problems } = await openOwnStore({ mayCreate: false, ...worldOf(cli) })
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
export async function settleLogins(cli: Cli, server: string): Promise<void> {
  await withQuestions(cli, async (questions) => {
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
