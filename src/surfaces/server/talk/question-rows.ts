import type { Conversations, Question } from '../../../store.ts'
import type { QuestionFacts } from '../../api/question-routes.ts'
import type { ShortenPath } from '../../facts/place-facts.ts'
import { describeQuestion } from '../../facts/question-facts.ts'
import type { PageQuestions } from './page-questions.ts'

interface DescribeOptions {
  readonly waiting: Pick<PageQuestions, 'get' | 'answeredIn'>
  readonly conversations: Pick<Conversations, 'get'>
  readonly shorten: ShortenPath
}

/** Questions with the titles of their conversations. Those that wait in this process are shown whole. */
export async function describeQuestions(
  questions: readonly Question[],
  { waiting, conversations, shorten }: DescribeOptions,
): Promise<readonly QuestionFacts[]> {
  const titles = new Map<string, Promise<string | undefined>>()
  const titleOf = (id: string) => {
    const title = titles.get(id) ?? conversations.get(id).then((found) => found?.title)
    titles.set(id, title)
    return title
  }
  return Promise.all(
    questions.map(async (question) => {
      const { id, conversation } = question
      const here = question.state === 'pending' ? waiting.get(id) : undefined
      const conversationTitle = conversation === undefined ? undefined : await titleOf(conversation)
      return describeQuestion(here ? { ...question, asked: here.question.asked } : question, {
        shorten,
        conversationTitle,
        isHere: here !== undefined,
        answeredIn: waiting.answeredIn(question),
      })
    }),
  )
}
