import type { Route } from './route.ts'
import { described, flag, list, object, oneOf, text } from './schema-builder.ts'
import type { TypeOf } from './schema-builder.ts'

/** A call that a server runs in the background. */
const taskFields = {
  id: text,
  ref: text,
  server: text,
  status: oneOf('working', 'input_required', 'completed', 'failed', 'cancelled', 'lost'),
  'message?': described('What the server said last, or why the task is lost.', text),
  'conversation?': text,
  'agent?': text,
  startedAt: text,
  updatedAt: text,
  'isCancelRequested?': flag,
  isFollowed: described('A running process polls it.', flag),
  'text?': described('The result, once it has ended.', text),
} as const
export const taskFacts = object(taskFields)

const taskRow = object({
  ...taskFields,
  tone: oneOf('ok', 'dim', 'warn', 'bad', 'ask'),
  word: described('The status in words.', text),
})
export type TaskRow = TypeOf<typeof taskRow>

export const taskRoutes = {
  'GET /api/tasks': {
    summary:
      'The tasks that run, then those that ended in the last week, without their results; the newest first.',
    command: 'plugboard tasks',
    answer: object({ tasks: list(taskRow) }),
  },
  'GET /api/tasks/:task': {
    summary: 'One task, with its result once it has ended.',
    answer: object({ task: taskRow }),
  },
  'POST /api/tasks/:task/cancel': {
    summary: 'Asks the server to end a task. It may still complete.',
    command: 'plugboard tasks cancel ID',
    answer: object({ task: taskRow }),
  },
} as const satisfies Readonly<Record<string, Route>>
