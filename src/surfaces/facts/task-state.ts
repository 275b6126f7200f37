import type { Task } from '../../index.ts'
import { isTaskEnded } from '../../internal.ts'
import type { StateFacts } from '../api/server-routes.ts'

/** The state of a task, in the words of terminal and page. */
export function taskState({
  status,
  isCancelRequested,
}: Pick<Task, 'status' | 'isCancelRequested'>): Pick<StateFacts, 'tone' | 'word'> {
  const state = states[status]
  const isEnding = isCancelRequested && !isTaskEnded({ status })
  return isEnding ? { ...state, word: 'its end was requested' } : state
}

const states: Readonly<Record<Task['status'], Pick<StateFacts, 'tone' | 'word'>>> = {
  working: { tone: 'dim', word: 'runs' },
  input_required: { tone: 'ask', word: 'waits for an answer' },
  completed: { tone: 'ok', word: 'completed' },
  failed: { tone: 'bad', word: 'failed' },
  cancelled: { tone: 'dim', word: 'cancelled' },
  lost: { tone: 'warn', word: 'lost' },
}
