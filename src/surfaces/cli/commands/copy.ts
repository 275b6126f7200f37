import { exportServers, importServers, redactWords, writeChanges } from '../../../config.ts'
import type { Transfer, TransferOptions } from '../../../config.ts'
import { isInteractive, leave, outputOf, promptsOf } from '../context.ts'
import type { Cli } from '../context.ts'
import { drawChanges, hideInChanges } from '../diff.ts'
import type { Output } from '../../terminal/output.ts'
import { editOptions } from './edit.ts'
import type { EditFlags } from './edit.ts'

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
  for (const { name, reason } of plan.skipped) output.warn(redactWords(`"${name}" is left out: ${reason}`))
  for (const { field, reason } of plan.lost) output.warn(redactWords(`${field}: ${reason}`))
  if (flags.dryRun || plan.copied.length === 0) {
    const shown = { ...plan, changes: hideInChanges(plan.changes), dryRun: true }
    output.result(shown, (_value, canvas) => drawChanges(plan.changes, canvas))
    return output.flush()
  }
  if (!flags.yes) {
    output.note(drawChanges(plan.changes, output.notes))
    if (!(await agreed(cli, plan, output))) return output.flush()
  }
  const { changes, ...done } = plan
  await writeChanges(changes, options)
  output.result(done, (_value, { path }) => `${done.copied.join(', ')}: written to ${path(done.file)}`)
  return output.flush()
}

interface Question {
  readonly file: string
  /** The answer of a person who only presses Enter. */
  readonly initial?: boolean
}

export async function agreed(cli: Cli, { file, initial = true }: Question, output: Output): Promise<boolean> {
  if (!isInteractive(cli)) {
    leave(cli, 'untrusted')
    output.error('Nobody is here to ask. Add --yes to write it.')
    return false
  }
  const message = `Write this to ${output.notes.path(file)}?`
  const answer = await promptsOf(cli).confirm({ message, initial })
  if (!answer.cancelled && answer.value) return true
  leave(cli, answer.cancelled ? 'cancelled' : 'untrusted')
  output.note('Nothing was written.')
  return false
}
