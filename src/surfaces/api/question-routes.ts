import type { Question } from '../../store.ts'
import type { Field } from './form-field.ts'
import type { Route } from './route.ts'
import type { TypeOf } from './schema-builder.ts'
import {
  described,
  either,
  flag,
  list,
  object,
  oneOf,
  ref,
  text,
  texts,
  typed,
  whole,
} from './schema-builder.ts'
import { json, place, shownFinding } from './shared-shapes.ts'

const approval = object({
  kind: oneOf('approval'),
  ref: text,
  name: text,
  args: json,
  /** `writes`, `reaches outside`, … */
  marks: texts,
  reason: described('Why it is asked.', text),
  'rule?': object({ text, 'place?': place }),
  'always?': described('What `always` would store.', text),
  /** Something was taken out of the arguments: it can be refused here, and allowed where it was asked. */
  isWhole: flag,
  canEdit: described('Other arguments may be sent with the answer.', flag),
})
const elicitation = object({
  kind: oneOf('elicitation'),
  message: text,
  form: ref<Field>('Field'),
  'unsupported?': text,
})
const url = object({ kind: oneOf('url'), message: text, url: text, host: text, warnings: texts })
const login = object({ kind: oneOf('login'), reason: text })
const sampling = object({
  kind: oneOf('sampling'),
  'model?': text,
  'system?': text,
  messages: list(object({ role: text, text })),
  'maxTokens?': whole,
  isWhole: flag,
})

/** A question as it is drawn, in the chat and in Waiting. */
export const questionFacts = object({
  id: text,
  'server?': text,
  /** Where the server is declared. */
  'from?': text,
  'client?': described('The client of the gateway that it is asked for.', text),
  'conversation?': text,
  'conversationTitle?': text,
  title: described('`github wants to run create_issue`.', text),
  state: typed<Question['state']>(text),
  askedAt: text,
  'settledAt?': text,
  'decision?': described('What was decided, in words.', text),
  'answeredIn?': described('Where it was answered, if this `serve` saw it.', oneOf('page', 'terminal')),
  /** Whether a program waits for the answer now. */
  isWaiting: flag,
  asked: either(approval, elicitation, url, login, sampling),
  'findings?': described('What the scanner found in its texts, the worst first.', list(shownFinding)),
  command: text,
})
export type QuestionFacts = TypeOf<typeof questionFacts>

/** The answers, by kind of question. */
export const answerBody = either(
  object({ grant: oneOf('once', 'conversation', 'always', 'no'), 'args?': json }),
  object({ action: oneOf('accept', 'decline', 'cancel'), 'content?': json }),
)

export const questionRoutes = {
  'GET /api/questions': {
    summary: 'What waits for a person, and what was decided lately.',
    command: 'plugboard questions',
    answer: object({ pending: list(questionFacts), settled: list(questionFacts) }),
  },
  'GET /api/questions/:question': { summary: 'One question.', answer: questionFacts },
  'POST /api/questions/:question/answer': {
    summary: 'Answers a question. Forms are checked first, in the words of the command line.',
    command: 'plugboard answer ID',
    body: answerBody,
    answer: object({
      isAnswered: flag,
      /** Of a form that was not accepted. */
      problems: list(object({ pointer: text, message: text })),
      question: questionFacts,
    }),
  },
} as const satisfies Readonly<Record<string, Route>>
