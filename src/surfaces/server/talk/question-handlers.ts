import { fromRef, HostError } from '../../../index.ts'
import type { ElicitationAnswer } from '../../../index.ts'
import { checkArguments, hashOf, isObject } from '../../../internal.ts'
import type { Question, Questions } from '../../../store.ts'
import type { RouteAnswer, RouteInput } from '../../api/api.ts'
import { checkAnswer } from '../../facts/forms/check-field.ts'
import { areShownAsSent, isShownWhole } from '../../facts/question-facts.ts'
import { readQuestionForm } from '../../facts/question-form.ts'
import {
  fieldsOf,
  holdsSecret,
  notEditable,
  notShownWhole,
  secretInAddress,
  secretInAnswer,
  settledBefore,
  shortId,
  textOf,
  unknownQuestion,
} from '../../facts/question-texts.ts'
import type { Handlers } from '../handler.ts'
import type { ServeContext } from '../serve-context.ts'
import type { PageQuestion } from './page-questions.ts'

const maxSettled = 30

type Body = RouteInput<'POST /api/questions/:question/answer'>['body']
type Problems = RouteAnswer<'POST /api/questions/:question/answer'>['problems']

export const questionHandlers = {
  'GET /api/questions': async ({ desk }) => {
    const { questions } = await desk.kept()
    await questions.expireLeft()
    const pending = await pendingQuestions(desk)
    const newest = await questions.list({ order: 'newest', limit: maxSettled * 3 })
    const settled = newest.filter(({ state }) => state !== 'pending').slice(0, maxSettled)
    return { pending: await desk.describe(pending), settled: await desk.describe(settled) }
  },

  'GET /api/questions/:question': async ({ desk }, { params }) => {
    const { questions } = await desk.kept()
    return describeOne(desk, await findQuestion(desk, questions, params.question))
  },

  'POST /api/questions/:question/answer': async ({ desk, agent }, { params, body }) => {
    const { questions } = await desk.kept()
    const question = await findQuestion(desk, questions, params.question)
    if (question.state !== 'pending') throw settledBefore(question)
    if (agent !== undefined && isYes(body)) throw denied(question, ofAgent(agent, question))
    const here = desk.questions.get(question.id)
    const problems = here ? await answerHere(here, body) : await answerElsewhere(questions, question, body)
    if (problems.length > 0)
      return { isAnswered: false, problems, question: await describeOne(desk, question) }
    desk.questions.noteAnswer(question.id)
    if (!here) desk.changed((await questions.get(question.id)) ?? question)
    const settled = here
      ? await questions.settled(question.id, AbortSignal.timeout(settleMs)).catch(() => undefined)
      : await questions.get(question.id)
    return {
      isAnswered: true,
      problems: [],
      question: await describeOne(desk, settled ?? { ...question, state: 'answered' }),
    }
  },
} satisfies Partial<Handlers>

function isYes(body: Body): boolean {
  return 'grant' in body ? body.grant !== 'no' : body.action === 'accept'
}

function ofAgent(variable: string, question: Question): string {
  return `An agent started this "plugboard serve" (${variable} is set), so only a no is taken here. Answer in a terminal of your own: plugboard answer ${shortId(question)}`
}

/** How long the store may take to settle what was answered here. */
const settleMs = 2000

type Desk = ServeContext['desk']

/** Those of the store, and those of this process that the store does not have. */
export async function pendingQuestions(desk: Desk): Promise<readonly Question[]> {
  const { questions } = await desk.kept()
  const stored = await questions.list({ state: 'pending' })
  const ids = new Set(stored.map(({ id }) => id))
  return [
    ...stored,
    ...desk.questions.all().flatMap(({ question }) => (ids.has(question.id) ? [] : [question])),
  ]
}

async function findQuestion(desk: Desk, questions: Questions, id: string): Promise<Question> {
  const stored = await questions.get(id)
  if (stored) return stored
  const here = desk.questions.get(id)?.question
  if (here) return here
  // The beginning of an id names a question that waits, as in the terminal.
  const near = id.length < 6 ? [] : (await pendingQuestions(desk)).filter((each) => each.id.startsWith(id))
  if (near.length === 1 && near[0]) return near[0]
  throw unknownQuestion(id)
}

async function describeOne(desk: Desk, question: Question) {
  const [facts] = await desk.describe([question])
  if (!facts) throw unknownQuestion(question.id)
  return facts
}

/** Answers a question of this process: everything of it was shown, and nothing of the answer passes the store. */
async function answerHere(here: PageQuestion, body: Body): Promise<Problems> {
  switch (here.kind) {
    case 'approval': {
      const { grant, args } = approvalIn(body)
      const before = fieldsOf(fieldsOf(here.question.asked)['args'])
      if (grant === 'no' || args === undefined || hashOf(args) === hashOf(before)) {
        here.settle(grant)
        return []
      }
      if (!areShownAsSent(fieldsOf(here.question.asked))) throw denied(here.question, notEditable)
      const problems = await checkEdited(here, args)
      if (problems.length === 0 && isObject(args)) here.settle({ grant, args })
      return problems
    }
    case 'sampling':
      here.settle(sampleGrantIn(body))
      return []
    case 'login':
      here.settle(actionIn(body).action === 'accept')
      return []
    case 'elicitation':
    case 'url': {
      const { answer, problems } = await readElicitation(here.question, body)
      if (answer) here.settle(answer)
      return problems
    }
    default:
      return here satisfies never
  }
}

/** Answers a question of another process, as `plugboard answer` does: only what is shown whole may be allowed (T48). */
async function answerElsewhere(questions: Questions, question: Question, body: Body): Promise<Problems> {
  const { id, kind, asked } = question
  const store = async (answer: Parameters<Questions['answer']>[1]): Promise<Problems> => {
    if (await questions.answer(id, answer)) return []
    throw settledBefore((await questions.get(id)) ?? { ...question, state: 'expired' })
  }
  switch (kind) {
    case 'approval': {
      const { grant, args } = approvalIn(body)
      if (grant !== 'no') refuseHidden(question)
      if (args !== undefined)
        throw usage('The arguments can be changed only where the question was asked.', 'Answer it there.')
      if (grant === 'always' && fieldsOf(asked)['grants'] === 'once')
        throw usage('This call is of another caller: it can be allowed once.', 'Send { "grant": "once" }.')
      return store(grant)
    }
    case 'sampling': {
      const grant = sampleGrantIn(body)
      if (grant !== 'no') refuseHidden(question)
      return store(grant)
    }
    case 'login':
      return store(actionIn(body).action === 'accept')
    case 'elicitation':
    case 'url': {
      const { answer, problems } = await readElicitation(question, body)
      if (!answer) return problems
      const fields = fieldsOf(asked)
      if (answer.action === 'accept' && kind === 'url' && hashOf(textOf(fields['url'])) !== fields['urlHash'])
        throw denied(question, secretInAddress)
      if (holdsSecret(answer)) throw denied(question, secretInAnswer)
      return store({ ...answer })
    }
    default:
      return kind satisfies never
  }
}

function approvalIn(body: Body) {
  if ('grant' in body) return body
  throw usage(
    'An approval is answered with a grant.',
    'Send { "grant": "once" | "conversation" | "always" | "no" }.',
  )
}

function sampleGrantIn(body: Body): 'once' | 'conversation' | 'no' {
  const { grant } = approvalIn(body)
  if (grant !== 'always') return grant
  throw usage('A server may use the model once or in this conversation.', 'Its budget limits it there.')
}

function actionIn(body: Body) {
  if ('action' in body) return body
  throw usage(
    'A question of a server is answered with an action.',
    'Send { "action": "accept" | "decline" | "cancel" }.',
  )
}

async function readElicitation(
  { kind, asked }: Question,
  body: Body,
): Promise<{ readonly answer?: ElicitationAnswer; readonly problems: Problems }> {
  const { action, content = {} } = actionIn(body)
  if (action !== 'accept') return { answer: { action }, problems: [] }
  if (kind === 'url') return { answer: { action }, problems: [] }
  if (!isObject(content)) return { problems: [{ pointer: '', message: 'It should be an object.' }] }
  const fields = readQuestionForm(fieldsOf(fieldsOf(asked)['schema']))
  if (typeof fields === 'string') throw usage(`This form cannot be answered: ${fields}.`, 'Decline it.')
  const problems = await checkAnswer(fields, content)
  return problems.length > 0 ? { problems } : { answer: { action, content }, problems: [] }
}

/** In the words of the command line, before anything is decided. The call checks them again. */
async function checkEdited({ tool }: PageQuestion, args: unknown): Promise<Problems> {
  if (!isObject(args)) return [{ pointer: '', message: 'It should be an object.' }]
  const result = await checkArguments(tool?.inputSchema ?? {}, args)
  if (result.kind !== 'invalid') return []
  return result.problems.map(({ path, message }) => ({ pointer: path, message }))
}

function refuseHidden(question: Question): void {
  if (!isShownWhole(question.asked)) throw denied(question, notShownWhole)
}

function denied({ asked }: Question, message: string): HostError {
  const ref = textOf(fieldsOf(asked)['ref'])
  return new HostError('call.denied', { ref: fromRef(ref) ? ref : '', reason: 'not shown whole' }, message)
}

function usage(message: string, hint: string): HostError {
  return new HostError('usage', {}, message, { hint })
}
