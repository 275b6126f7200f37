import type { Handlers } from '../handler.ts'

export const taskHandlers = {
  async 'GET /api/tasks'({ host }) {
    return { tasks: (await host.tasks.list()).map(({ text: _text, ...task }) => task) }
  },

  async 'POST /api/tasks/:task/cancel'({ host }, { params }) {
    return { task: await host.tasks.cancel(params.task) }
  },
} satisfies Partial<Handlers>
