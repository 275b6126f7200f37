/** The commands below a command. */
export const subcommands: Readonly<Record<string, readonly string[]>> = {
  sources: ['list', 'enable', 'disable'],
  conversations: ['list', 'show', 'export', 'delete'],
  store: ['status', 'backup', 'export', 'prune'],
  cache: ['clear'],
  gateway: ['serve', 'status', 'stop', 'logs'],
  models: ['list', 'add', 'use', 'remove', 'test'],
}

/** How many of the words name the command: two for `sources enable`. */
export function pathLength([first = '', second = '']: readonly string[]): 1 | 2 {
  return Object.hasOwn(subcommands, first) && subcommands[first]?.includes(second) ? 2 : 1
}
