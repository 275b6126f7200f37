import { HostError } from '../../../index.ts'
import type { Task } from '../../../index.ts'
import { isTaskEnded } from '../../../internal.ts'
import type { TaskRow } from '../../api/task-routes.ts'
import { clean } from '../../facts/result-facts.ts'
import { taskState } from '../../facts/task-state.ts'
import type { Handlers } from '../handler.ts'

export const taskHandlers = {
  async 'GET /api/tasks'({ host }) {
    const tasks = (await host.tasks.list()).toSorted((a, b) => b.startedAt.localeCompare(a.startedAt))
    const shown = [...tasks.filter((task) => !isTaskEnded(task)), ...tasks.filter(isTaskEnded)]
    return { tasks: shown.map(({ text: _text, ...task }) => toTaskRow(task)) }
  },

  async 'GET /api/tasks/:task'({ host }, { params }) {
    const task = (await host.tasks.list()).find(({ id }) => id === params.task)
    if (task) return { task: toTaskRow(task) }
    throw new HostError('task.unknown', { task: params.task }, `There is no task "${params.task}".`, {
      hint: 'See the tasks: plugboard tasks',
    })
  },

  async 'POST /api/tasks/:task/cancel'({ host }, { params }) {
    return { task: toTaskRow(await host.tasks.cancel(params.task)) }
  },
} satisfies Partial<Handlers>

export function toTaskRow(task: Task): TaskRow {
  const { message, text } = task
  return {
    ...task,
    ...taskState(task),
    ...(message !== undefined && { message: clean(message) }),
    ...(text !== undefined && { text: clean(text) }),
  }
}
