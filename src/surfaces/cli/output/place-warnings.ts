import type { Diagnostic } from '../../../index.ts'
import { outputOf } from '../command-context.ts'
import type { Cli, CommonFlags } from '../command-context.ts'
import { drawProblem } from './draw.ts'

export function printPlaces(
  diagnostics: readonly Diagnostic[],
  cli: Cli,
  flags: Pick<CommonFlags, 'cwd' | 'quiet' | 'json'>,
): void {
  const output = outputOf(cli, flags)
  for (const found of diagnostics) output.note(drawProblem(found, output.notes))
}
