import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { connectFlags, noStartFlag, noTextsFlag, switchFlag } from '../../arguments/flags.ts'
import { serverArgument } from '../../arguments/positionals.ts'
import type { Cli } from '../../command-context.ts'
import { severityNames } from './severity-names.ts'
import type { ScanFlags } from './scan.ts'

export const scanCommand = buildCommand<ScanFlags, string[], Cli>({
  loader: loadLazily(async () => (await import('./scan.ts')).scan),
  parameters: {
    flags: {
      ...connectFlags,
      ...noStartFlag,
      ...noTextsFlag,
      sarif: switchFlag('Print the findings as SARIF 2.1.0, for code scanning'),
      failOn: {
        kind: 'enum',
        values: severityNames,
        optional: true,
        brief: 'Exit with 14 from this severity on (default high)',
      },
    },
    positional: {
      kind: 'array',
      parameter: {
        ...serverArgument,
        brief: 'a server, a file with definitions of tools or with servers, or - for the standard input',
        placeholder: 'NAME|FILE',
      },
    },
  },
  docs: { brief: 'Scan declarations and what servers offer for text that would mislead a model' },
})
