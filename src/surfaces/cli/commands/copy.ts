import { exportServers, importServers } from '../../../config.ts'
import type { Transfer, TransferOptions } from '../../../config.ts'
import { isInteractive, leave, outputOf, promptsOf } from '../context.ts'
import type { Cli } from '../context.ts'
import { drawChanges } from '../diff.ts'
import { shortPath } from '../draw.ts'
import { editOptions } from './edit.ts'
import type { EditFlags } from './edit.ts'

export interface CopyFlags extends EditFlags {
  readonly only?: readonly string[]
  readonly force?: boolean
  readonly yes?: boolean
}

export async function importClient(this: Cli, flags: CopyFlags, client: string): Promise<void> {
  await copy(this, flags, (options) => importServers(client, options))
}

export async function exportClient(this: Cli, flags: CopyFlags, client: string): Promise<void> {
  await copy(this, flags, (options) => exportServers(client, options))
}

/** Shows what would be written first; writes after a yes, or with `--yes`. */
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
  for (const { name, reason } of plan.skipped) output.warn(`"${name}" is left out: ${reason}`)
  for (const { field, reason } of plan.lost) output.warn(`${field}: ${reason}`)
  if (flags.dryRun || plan.copied.length === 0) {
    output.result({ ...plan, dryRun: true }, (_value, canvas) => drawChanges(plan.changes, canvas))
    return output.flush()
  }
  if (!flags.yes && !(await agreed(cli, plan, output.note, drawChanges(plan.changes, output.notes)))) {
    leave(cli, isInteractive(cli) ? 'cancelled' : 'untrusted')
    output.error(
      isInteractive(cli) ? 'Nothing was written.' : 'Nobody is here to ask. Add --yes to write it.',
    )
    return output.flush()
  }
  const { changes: _none, ...done } = await run(options)
  output.result(done, () => `${done.copied.join(', ')}: written to ${shortPath(done.file)}`)
  return output.flush()
}

async function agreed(
  cli: Cli,
  { file }: Transfer,
  note: (text: string) => void,
  preview: string,
): Promise<boolean> {
  note(preview)
  if (!isInteractive(cli)) return false
  const answer = await promptsOf(cli).confirm({ message: `Write this to ${shortPath(file)}?`, initial: true })
  return !answer.cancelled && answer.value
}
