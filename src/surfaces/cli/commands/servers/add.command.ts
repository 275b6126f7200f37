import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { commonFlags, dryRunFlag, switchFlag, textFlag, textsFlag } from '../../arguments/flags.ts'
import type { Cli } from '../../command-context.ts'
import type { AddFlags } from './add.ts'

export const addCommand = buildCommand<AddFlags, string[], Cli>({
  loader: loadLazily(async () => (await import('./add.ts')).add),
  parameters: {
    flags: {
      ...commonFlags,
      json: switchFlag("Print the result as JSON; --json '{…}' is the entry to add"),
      url: textFlag('URL', 'URL of a remote server; same as NAME URL'),
      token: textFlag('T', 'Bearer token; ${VAR} names a variable'),
      header: textsFlag('K=V', 'HTTP header; may be repeated'),
      type: textFlag('TYPE', 'http (default) or sse'),
      env: textsFlag('K=V', 'Environment variable for the command; may be repeated'),
      entry: textFlag('JSON', "The entry to add; same as --json '{…}'"),
      from: textFlag(
        'FILE',
        'Add from a server.json, a .mcpb, a snippet of any client, - for stdin, or registry:NAME[@VERSION]',
      ),
      input: textsFlag(
        'ID=VALUE',
        'Value for an input of the file; may be repeated. Commas separate the values of a list',
      ),
      as: textFlag('NAME', 'The name for the server, instead of the one in the file'),
      choice: textFlag('N', 'Which server to add, if the file has several'),
      force: switchFlag('Replace an entry of the same name'),
      yes: switchFlag('Add from the registry or a file of the project without asking'),
      ...dryRunFlag,
    },
    positional: {
      kind: 'array',
      parameter: {
        brief: 'the server’s name; put the command and its arguments after --',
        parse: String,
        placeholder: 'NAME',
      },
    },
  },
  docs: {
    brief: 'Add a server, in one line or with a wizard',
    customUsage: [
      'NAME URL [--token T] [--header K=V] [--type sse]',
      'NAME [--env K=V] -- command args…',
      "NAME --json '{…}'",
      '--from FILE [NAME]',
      '--from registry:NAME[@VERSION] [NAME]',
    ],
  },
})
