import type { AnswerInput, Answers } from '../../model/answers.ts'

/** What a person answered counts for as long as somebody holds this; what they did not say they are asked again. */
export function answerOnce(answers: Answers | AnswerInput): Answers | AnswerInput {
  if (typeof answers !== 'function') return answers
  const known = new Map<string, Promise<string | undefined>>()
  return (server, input) => {
    const key = JSON.stringify([server.id, input.id])
    const before = known.get(key)
    if (before) return before
    const answer = answers(server, input)
    known.set(key, answer)
    answer.then(
      (said) => said === undefined && known.delete(key),
      () => known.delete(key),
    )
    return answer
  }
}
