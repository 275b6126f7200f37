import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { commonFlags, dryRunFlag, switchFlag, textFlag, textsFlag } from '../../arguments/flags.ts'
import type { Cli } from '../../command-context.ts'
import type { AddFlags } from './add.ts'

export const addCommand = buildCommand<AddFlags, string[], Cli>({
  loader: loadLazily(async () => (await import('./add.ts')).add),
  parameters: {
    flags: {
      ...commonFlags,
      json: switchFlag("Print the result as JSON; --json '{…}' gives the entry itself"),
      url: textFlag('URL', 'The address of a remote server'),
      token: textFlag('T', 'A bearer token for it; ${VAR} names a variable'),
      header: textsFlag('K=V', 'A header for it; may be repeated'),
      type: textFlag('TYPE', 'http (default) or sse'),
      env: textsFlag('K=V', 'An environment variable for a command; may be repeated'),
      entry: textFlag('JSON', "The entry itself; --json '{…}' is the same"),
      from: textFlag('FILE', 'A server.json, a .mcpb, or a snippet of any client; - reads stdin'),
      input: textsFlag('ID=VALUE', 'An answer to what the file asks for; may be repeated'),
      choice: textFlag('N', 'Which one, where the file offers several'),
      force: switchFlag('Replace an entry of the same name'),
      yes: switchFlag('Add what a file of the project offers without asking'),
      ...dryRunFlag,
    },
    positional: {
      kind: 'array',
      parameter: {
        brief: 'NAME, then after -- the command and its arguments',
        parse: String,
        placeholder: 'NAME',
      },
    },
  },
  docs: {
    brief: 'Add a server: a wizard in a terminal, or in one line',
    customUsage: [
      'NAME --url URL [--token T] [--header K=V] [--type sse]',
      'NAME [--env K=V] -- command args…',
      "NAME --json '{…}'",
      '--from FILE [NAME]',
    ],
  },
})
