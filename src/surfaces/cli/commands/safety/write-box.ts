import { writeChanges } from '../../../../config.ts'
import type { Json } from '../../../../index.ts'
import { boxDeclaration } from '../../../../internal.ts'
import { serverCommand } from '../../../facts/server-command.ts'
import type { Output } from '../../../terminal/terminal-output.ts'
import type { Cli } from '../../command-context.ts'
import type { Exit } from '../../exit-codes.ts'
import { askToWrite } from '../servers/consent.ts'
import { drawChanges, editOptions, hideInChanges } from '../servers/edit-report.ts'
import type { SandboxFlags } from './sandbox.ts'

interface WrittenBox {
  /** For `--json`. */
  readonly fields: Readonly<Record<string, unknown>>
  readonly exit?: Exit
}

/** Shows what the entry would become, asks, and writes it. A project's entry then waits for trust again. */
export async function writeBox(
  cli: Cli,
  flags: SandboxFlags,
  { name, runner }: { readonly name: string; readonly runner: Json },
  output: Output,
): Promise<WrittenBox> {
  const plan = await boxDeclaration(name, runner, { ...editOptions(cli, flags), dryRun: true })
  const { file, changes, changed } = plan
  const planned = { file, changed: false, changes: hideInChanges(changes), dryRun: true }
  if (!changed) {
    output.note(`${name}: its entry has this box already.`)
    return { fields: { file, changed: false } }
  }
  output.show(drawChanges(changes, output.notes))
  if (flags.dryRun) return { fields: planned }
  if (!flags.yes) {
    const error = await askToWrite(cli, { file }, output)
    if (error) return { fields: { ...planned, error }, exit: error.code }
  }
  await writeChanges(changes, editOptions(cli, flags))
  output.note(`${name}: its box was written to ${output.notes.path(file)}`)
  output.note(output.notes.proposed(`See what it opens: ${serverCommand('sandbox', name)}`))
  return { fields: { file, changed: true } }
}
