import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { commonFlags, switchFlag, textFlag } from '../../arguments/flags.ts'
import { serverArgument } from '../../arguments/positionals.ts'
import type { Cli, CommonFlags } from '../../command-context.ts'
import type { TrustFlags } from './trust.ts'

export const trustCommand = buildCommand<TrustFlags, string[], Cli>({
  loader: loadLazily(async () => (await import('./trust.ts')).trust),
  parameters: {
    flags: {
      ...commonFlags,
      hash: textFlag('HASH', 'Trust exactly the entry with this hash, without asking'),
      all: switchFlag('Review every untrusted server here, one by one'),
    },
    positional: { kind: 'array', parameter: serverArgument },
  },
  docs: { brief: 'Review what a project’s server would run, and trust it' },
})

export const untrustCommand = buildCommand<CommonFlags, [string], Cli>({
  loader: loadLazily(async () => (await import('./trust.ts')).untrust),
  parameters: {
    flags: commonFlags,
    positional: { kind: 'tuple', parameters: [serverArgument] },
  },
  docs: { brief: 'Stop trusting a server' },
})
