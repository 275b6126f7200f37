import type { Diagnostic } from '../../index.ts'
import { toListedDiagnostics } from '../../internal.ts'
import type { Output } from '../terminal/terminal-output.ts'
import { setExit } from './command-context.ts'
import type { Cli } from './command-context.ts'
import { exitForFiles, isBrokenFile } from './discover-servers.ts'
import { drawProblem } from './output/draw.ts'

/** `fail`: the result may be incomplete, so the command fails. `warn`: the command needs only what it was asked for. */
export type FileRule = 'fail' | 'warn'

/** Reports the files that could not be used, on stderr and for `--json`. Errors are printed with `--quiet` too. */
export function reportBrokenFiles(
  cli: Cli,
  diagnostics: readonly Diagnostic[],
  output: Output,
  rule: FileRule = 'fail',
): void {
  for (const found of diagnostics.filter(isBrokenFile)) {
    cli.brokenFiles?.push(found)
    if (rule === 'fail') output.fault(drawProblem(found, output.notes))
    else output.note(drawProblem({ ...found, severity: 'warn' }, output.notes))
  }
}

/** Sets the exit of a command that depends on these files, unless it has failed for another reason already. Damage comes first. */
export function exitIfFilesBroken(cli: Cli, diagnostics: readonly Diagnostic[]): void {
  const exit = exitForFiles(diagnostics)
  if (exit === 'damaged' || (exit !== undefined && !cli.process.exitCode)) setExit(cli, exit)
}

/** An output that adds the broken files to the `diagnostics` of each JSON document. */
export function withFileDiagnostics(output: Output, diagnostics: readonly Diagnostic[]): Output {
  if (diagnostics.length === 0) return output
  return {
    ...output,
    get notes() {
      return output.notes
    },
    result: (fields, draw) => output.result(addDiagnostics(fields, diagnostics), draw),
  }
}

/** The fields with these problems, first, in `diagnostics`; a problem that is there already is not repeated. */
export function addDiagnostics<Fields extends Readonly<Record<string, unknown>>>(
  fields: Fields,
  found: readonly Diagnostic[],
): Fields {
  const before: readonly unknown[] = Array.isArray(fields['diagnostics']) ? fields['diagnostics'] : []
  const known = new Set(before.map((each) => JSON.stringify(each)))
  const added = toListedDiagnostics(found).filter((each) => !known.has(JSON.stringify(each)))
  return { ...fields, diagnostics: [...added, ...before] }
}
