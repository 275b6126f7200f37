import { buildCommand, buildRouteMap, loadLazily } from '../../arguments/define-command.ts'
import { commonFlags, connectFlags } from '../../arguments/flags.ts'
import type { Cli, CommonFlags, WaitFlags } from '../../command-context.ts'

const taskArgument = {
  brief: 'the task, by its id or the beginning of it',
  parse: String,
  placeholder: 'ID',
} as const

export const tasksCommand = buildRouteMap<'list' | 'wait' | 'cancel', Cli>({
  defaultCommand: 'list',
  routes: {
    list: buildCommand<CommonFlags, [], Cli>({
      loader: loadLazily(async () => (await import('./tasks.ts')).listTasks),
      parameters: { flags: commonFlags },
      docs: { brief: 'List the tasks that run, and those that ended in the last week' },
    }),
    wait: buildCommand<WaitFlags, [string], Cli>({
      loader: loadLazily(async () => (await import('./tasks.ts')).waitForTask),
      parameters: { flags: connectFlags, positional: { kind: 'tuple', parameters: [taskArgument] } },
      docs: { brief: 'Wait until a task has ended, and print its result' },
    }),
    cancel: buildCommand<WaitFlags, [string], Cli>({
      loader: loadLazily(async () => (await import('./tasks.ts')).cancelTask),
      parameters: { flags: connectFlags, positional: { kind: 'tuple', parameters: [taskArgument] } },
      docs: { brief: 'Ask the server to end a task' },
    }),
  },
  docs: { brief: 'Follow and cancel calls that servers run in the background' },
})
