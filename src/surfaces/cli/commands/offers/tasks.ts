import type { Task } from '../../../../index.ts'
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
    const running = tasks.find(({ status }) => status === 'working' || status === 'input_required')
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

function describe({ id, ref, status, message, isCancelRequested }: Task): string {
  const isAsked = isCancelRequested && (status === 'working' || status === 'input_required')
  const state = isAsked ? 'its end was requested' : words[status]
  return `${id} (${escapeText(ref)}): ${state}${message === undefined ? '' : `. ${escapeText(message)}`}`
}

const words: Readonly<Record<Task['status'], string>> = {
  working: 'runs',
  input_required: 'waits for an answer',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
  lost: 'lost',
}

function draw(tasks: readonly Task[], { style, width }: Canvas): string {
  return renderTable<Task>(
    [
      { title: 'ID', value: ({ id }) => id, fit: 'essential', paint: style.bold },
      { title: 'STATE', value: ({ status }) => words[status] },
      { title: 'TOOL', value: ({ ref }) => ref, fit: { shrinkTo: 14 } },
      { title: 'STARTED', value: ({ startedAt }) => startedAt.slice(0, 16).replace('T', ' ') },
      { title: 'FOLLOWED', value: ({ isFollowed }) => (isFollowed ? 'yes' : ''), paint: style.dim },
      { title: 'MESSAGE', value: ({ message = '' }) => message, fit: { shrinkTo: 12 } },
    ],
    tasks,
    { width, paintTitle: style.dim },
  )
}
