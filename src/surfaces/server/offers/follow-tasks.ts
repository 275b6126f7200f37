import type { ServeContext } from '../serve-context.ts'
import { toTaskRow } from './task-handlers.ts'

/** How often the tasks of other programs are read, while a page is open. */
const lookMs = 1000

/** Publishes changes of tasks: those that this process follows at once, those of other programs by their files. */
export function followTasks({ host, feed }: ServeContext): Disposable {
  /** When each task was last changed, as far as it is published. */
  let known: ReadonlyMap<string, string> | undefined
  let looking: Promise<void> | undefined
  const look = async () => {
    const tasks = await host.tasks.list()
    const before = known
    known = new Map(tasks.map(({ id, updatedAt }) => [id, updatedAt]))
    if (!before) return
    for (const { text: _text, ...task } of tasks)
      if (before.get(task.id) !== task.updatedAt)
        feed.publish({ type: 'task.changed', task: toTaskRow(task) })
  }
  const lookOnce = () => {
    if (!feed.hasReaders) return
    looking ??= look()
      // A folder that cannot be read is said by the route.
      .catch(() => undefined)
      .finally(() => (looking = undefined))
  }
  const events = host.on(({ type }) => {
    if (type === 'task.changed') lookOnce()
  })
  const timer = setInterval(lookOnce, lookMs)
  timer.unref()
  const readers = feed.onReaders((hasReaders) => hasReaders && lookOnce())
  return {
    [Symbol.dispose]() {
      clearInterval(timer)
      events[Symbol.dispose]()
      readers[Symbol.dispose]()
    },
  }
}
