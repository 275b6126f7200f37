import { outputOf } from '../command-context.ts'
import type { Cli, CommonFlags } from '../command-context.ts'

declare const __VERSION__: string

/** The `version` of a JSON document is that of its form, so the program's is under its name. */
export async function version(cli: Cli, flags: CommonFlags): Promise<void> {
  const output = outputOf(cli, flags)
  output.result({ plugboard: __VERSION__, node: process.version }, () => __VERSION__)
  await output.flush()
}
