import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { connectFlags, switchFlag } from '../../arguments/flags.ts'
import { serverArgument } from '../../arguments/positionals.ts'
import type { Cli } from '../../command-context.ts'
import type { LogsFlags } from './logs.ts'

export const logsCommand = buildCommand<LogsFlags, [string], Cli>({
  loader: loadLazily(async () => (await import('./logs.ts')).logs),
  parameters: {
    flags: {
      ...connectFlags,
      follow: switchFlag('Keep printing new lines'),
      lines: {
        kind: 'parsed',
        parse: parseLines,
        optional: true,
        placeholder: 'N',
        brief: 'Number of last lines to show (default 100)',
      },
    },
    positional: { kind: 'tuple', parameters: [serverArgument] },
  },
  docs: { brief: 'Show what a server wrote to stderr' },
})

function parseLines(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw new Error('expected a number of lines')
}
