import type { Task } from '../../../../index.ts'
import { isTaskEnded } from '../../../../internal.ts'
import { taskState } from '../../../facts/task-state.ts'
import { escapeText } from '../../../terminal/escape.ts'
import { renderTable } from '../../../terminal/table.ts'
import type { Canvas } from '../../../terminal/terminal-output.ts'
import { setExit } from '../../command-context.ts'
import type { Cli, CommonFlags, WaitFlags } from '../../command-context.ts'
import { withHost } from '../../with-host.ts'

/** Lists tasks. Connects to no server. */
export async function listTasks(cli: Cli, flags: CommonFlags): Promise<void> {
  await withHost(cli, flags, async ({ host, output }) => {
    const tasks = (await host.tasks.list()).map(({ text: _text, ...task }) => task)
    if (flags.json || tasks.length > 0) output.result({ tasks }, (canvas) => draw(tasks, canvas))
    const running = tasks.find((task) => !isTaskEnded(task))
    output.note(running ? `Wait for one: plugboard tasks wait ${running.id}` : 'No task runs.')
  })
}

/** Waits for a task; the exit code is that of its call. */
export async function waitForTask(cli: Cli, flags: WaitFlags, id: string): Promise<void> {
  await withHost(
    cli,
    flags,
    async ({ host, output, signal }) => {
      const task = await host.tasks.wait(id, { signal })
      output.result({ task }, () => escapeText(task.text ?? describe(task)))
      if (task.status === 'failed') setExit(cli, 'refused')
      else if (task.status !== 'completed') setExit(cli, 'failed')
    },
    { mayAsk: true },
  )
}

export async function cancelTask(cli: Cli, flags: WaitFlags, id: string): Promise<void> {
  await withHost(cli, flags, async ({ host, output }) => {
    const task = await host.tasks.cancel(id)
    output.result({ task }, () => describe(task))
  })
}

function describe(task: Task): string {
  const { id, ref, message } = task
  const said = message === undefined ? '' : `. ${escapeText(message)}`
  return `${id} (${escapeText(ref)}): ${taskState(task).word}${said}`
}

function draw(tasks: readonly Task[], { style, width }: Canvas): string {
  return renderTable<Task>(
    [
      { title: 'ID', value: ({ id }) => id, fit: 'essential', paint: style.bold },
      { title: 'STATE', value: (task) => taskState(task).word },
      { title: 'TOOL', value: ({ ref }) => ref, fit: { shrinkTo: 14 } },
      { title: 'STARTED', value: ({ startedAt }) => startedAt.slice(0, 16).replace('T', ' ') },
      { title: 'FOLLOWED', value: ({ isFollowed }) => (isFollowed ? 'yes' : ''), paint: style.dim },
      { title: 'MESSAGE', value: ({ message = '' }) => message, fit: { shrinkTo: 12 } },
    ],
    tasks,
    { width, paintTitle: style.dim },
  )
}
