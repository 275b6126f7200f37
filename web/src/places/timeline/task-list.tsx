import { useRef, useState } from 'preact/hooks'
import type { RouteAnswer } from '../../../../src/client.ts'
import { Ago, plural } from '../../parts/amounts.tsx'
import { Button } from '../../parts/button.tsx'
import { LongText } from '../../parts/long-text.tsx'
import { ErrorLine } from '../../parts/messages.tsx'
import { cutLong } from '../../parts/result-text.ts'
import { StateMark } from '../../parts/state-mark.tsx'
import { useAction, useAnswer } from '../../state/answers.ts'
import { send } from '../../state/client.ts'

type Task = RouteAnswer<'GET /api/tasks'>['tasks'][number]

/** Calls that servers run in the background, above the other calls; nothing without one. */
export function TaskList() {
  const { value, error } = useAnswer('GET /api/tasks', {}, { on: ['task.changed'] })
  const tasks = value?.tasks ?? []
  const running = tasks.filter(isRunning).length
  // It stays open when the last one has ended: its result is looked for then.
  const isOpen = useRef(false)
  isOpen.current ||= running > 0
  if (tasks.length === 0) return <ErrorLine error={error} />
  return (
    <details class="tasks" open={isOpen.current}>
      <summary>
        {plural(tasks.length, 'task')} in the background, {running} running
      </summary>
      <ul>
        {tasks.slice(0, 50).map((task) => (
          <TaskRow key={task.id} task={task} />
        ))}
      </ul>
    </details>
  )
}

function TaskRow({ task }: { readonly task: Task }) {
  const { id, ref, message, startedAt } = task
  const [text, setText] = useState<string>()
  const cancel = useAction(() => send('POST /api/tasks/:task/cancel', { params: { task: id } }))
  const read = useAction(async () => {
    const answer = await send('GET /api/tasks/:task', { params: { task: id } })
    setText(answer.task.text ?? '')
  })
  return (
    <li>
      <div class="task">
        <StateMark state={task} />
        <span class="mono">{ref}</span>
        <span class="dim grow">{message}</span>
        <span class="dim">
          <Ago at={startedAt} />
        </span>
        {isRunning(task) ? (
          <Button action={cancel} command={`plugboard tasks cancel ${id}`}>
            Cancel
          </Button>
        ) : task.status === 'completed' || task.status === 'failed' ? (
          <Button action={read} command={`plugboard tasks wait ${id}`}>
            Result
          </Button>
        ) : null}
      </div>
      <ErrorLine error={cancel.error ?? read.error} />
      {text !== undefined &&
        (text === '' ? <p class="dim">It left no result.</p> : <LongText {...cutLong(text)} whole={text} />)}
    </li>
  )
}

function isRunning({ status }: Task): boolean {
  return status === 'working' || status === 'input_required'
}
