import type { Route } from './route.ts'
import { described, flag, list, object, oneOf, text } from './schema-builder.ts'

/** A call that a server runs in the background. */
export const taskFacts = object({
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
})

export const taskRoutes = {
  'GET /api/tasks': {
    summary: 'The tasks that run, and those that ended in the last week, without their results.',
    command: 'plugboard tasks',
    answer: object({ tasks: list(taskFacts) }),
  },
  'POST /api/tasks/:task/cancel': {
    summary: 'Asks the server to end a task. It may still complete.',
    command: 'plugboard tasks cancel ID',
    answer: object({ task: taskFacts }),
  },
} as const satisfies Readonly<Record<string, Route>>
