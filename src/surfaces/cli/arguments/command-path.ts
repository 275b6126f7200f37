import { commands } from '../app.ts'

/** The commands below a command; none for most. */
export function subcommandsOf(name = ''): readonly string[] {
  const command = Object.hasOwn(commands, name) ? commands[name as keyof typeof commands] : undefined // checked here
  if (!command || !('getAllEntries' in command)) return []
  return command.getAllEntries().map(({ name: { original } }) => original)
}

/** How many of the words name the command: two for `sources enable`. */
export function pathLength([first = '', second = '']: readonly string[]): 1 | 2 {
  return subcommandsOf(first).includes(second) ? 2 : 1
}
