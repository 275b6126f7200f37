import type { PresetName } from '../../../index.ts'
import { buildCommand, loadLazily } from '../arguments/define-command.ts'
import { commonFlags } from '../arguments/flags.ts'
import { optional, presetArgument } from '../arguments/positionals.ts'
import type { Cli, CommonFlags } from '../command-context.ts'

export const presetsCommand = buildCommand<CommonFlags, [PresetName?], Cli>({
  loader: loadLazily(async () => (await import('./presets.ts')).presets),
  parameters: {
    flags: commonFlags,
    positional: { kind: 'tuple', parameters: [optional(presetArgument)] },
  },
  docs: { brief: 'Show the rules of each system for --preset' },
})
