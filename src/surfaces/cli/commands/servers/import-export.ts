import { exportServers, importServers, writeChanges } from '../../../../config.ts'
import type { Transfer, TransferOptions } from '../../../../config.ts'
import { redactWords } from '../../../../internal.ts'
import type { Output } from '../../../terminal/terminal-output.ts'
import { outputOf } from '../../command-context.ts'
import type { Cli } from '../../command-context.ts'
import { askToWrite } from './consent.ts'
import { drawChanges, hideInChanges } from './edit-report.ts'
import { editOptions } from './edit-report.ts'
import type { EditFlags } from './edit-report.ts'

export interface CopyFlags extends EditFlags {
  readonly only?: readonly string[]
  readonly force?: boolean
  readonly yes?: boolean
}

export async function importClient(cli: Cli, flags: CopyFlags, client: string): Promise<void> {
  await copy(cli, flags, (options) => importServers(client, options))
}

export async function exportClient(cli: Cli, flags: CopyFlags, client: string): Promise<void> {
  await copy(cli, flags, (options) => exportServers(client, options))
}

/** Shows a preview; writes after confirmation, or with `--yes`. */
async function copy(
  cli: Cli,
  flags: CopyFlags,
  run: (options: TransferOptions) => Promise<Transfer>,
): Promise<void> {
  const output = outputOf(cli, flags)
  const options: TransferOptions = {
    ...editOptions(flags),
    ...(flags.only && flags.only.length > 0 && { only: flags.only }),
    ...(flags.force && { force: true }),
  }
  const plan = await run({ ...options, dryRun: true })
  const preview = { ...plan, changes: hideInChanges(plan.changes), dryRun: true }
  if (flags.dryRun || plan.copied.length === 0) {
    output.result(preview, (canvas) => drawChanges(plan.changes, canvas))
    warnSkipped(output, plan)
    return output.flush()
  }
  if (!flags.yes) {
    output.show(drawChanges(plan.changes, output.notes))
    warnSkipped(output, plan)
    const error = await askToWrite(cli, plan, output)
    if (error && flags.json) output.result({ ...preview, error }, () => '')
    if (error) return output.flush()
  }
  const { changes, ...done } = plan
  await writeChanges(changes, options)
  output.result(done, ({ path }) => `${done.copied.join(', ')}: written to ${path(done.file)}`)
  if (flags.yes) warnSkipped(output, plan)
  return output.flush()
}

function warnSkipped(output: Output, { skipped, lost }: Transfer): void {
  for (const { name, reason } of skipped) output.warn(redactWords(`"${name}" was skipped: ${reason}`))
  for (const { field, reason } of lost) output.warn(redactWords(`${field}: ${reason}`))
}
