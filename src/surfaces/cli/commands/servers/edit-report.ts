import { removeDeclaration, switchDeclaration } from '../../../../config.ts'
import { redactWords } from '../../../../internal.ts'
import type { Edited } from '../../../../config.ts'
import { explain } from '../../../../index.ts'
import type { Output } from '../../../terminal/terminal-output.ts'
import { discoverFor, discoverOptions, outputOf } from '../../command-context.ts'
import type { Cli, CommonFlags } from '../../command-context.ts'
import { drawChanges, hideInChanges } from '../../diff.ts'
import { placeOf } from '../../output/draw.ts'
import type { Fault } from '../../errors.ts'

export interface EditFlags extends CommonFlags {
  readonly dryRun?: boolean
}

export async function remove(cli: Cli, flags: EditFlags, name: string): Promise<void> {
  const output = outputOf(cli, flags)
  const edited = await removeDeclaration(name, editOptions(flags))
  report(output, { name, action: 'removed' }, edited, flags)
  await sayWhoCounts(output, flags, name)
  await output.flush()
}

export async function enable(cli: Cli, flags: EditFlags, name: string): Promise<void> {
  await turn(cli, flags, name, true)
}

export async function disable(cli: Cli, flags: EditFlags, name: string): Promise<void> {
  await turn(cli, flags, name, false)
}

async function turn(cli: Cli, flags: EditFlags, name: string, on: boolean): Promise<void> {
  const output = outputOf(cli, flags)
  const edited = await switchDeclaration(name, on, editOptions(flags))
  report(output, { name, action: on ? 'enabled' : 'disabled' }, edited, flags)
  await output.flush()
}

export function editOptions(flags: EditFlags) {
  const { scope, dryRun } = flags
  return { ...discoverOptions(flags), ...(scope && { scope }), ...(dryRun && { dryRun }) }
}

interface Outcome {
  readonly name: string
  readonly action: string
  /** Why it was only planned. */
  readonly error?: Fault | undefined
}

export function report(
  output: Output,
  { name, action, error }: Outcome,
  { file, changed, lost, changes }: Edited,
  { dryRun }: EditFlags,
): void {
  const isPlan = dryRun || error !== undefined
  const planned = isPlan ? { dryRun: true, changes: hideInChanges(changes), ...(error && { error }) } : {}
  output.result({ name, action, file, changed, lost, ...planned }, (_value, canvas) => {
    if (dryRun) return drawChanges(changes, canvas)
    return `${name}: ${changed ? '' : 'already '}${action} in ${canvas.path(file)}`
  })
  for (const { field, reason } of lost) output.warn(redactWords(`${field} could not be written. ${reason}`))
}

/** Removing one declaration may bring another of the same name to light. */
async function sayWhoCounts(output: Output, flags: EditFlags, name: string): Promise<void> {
  if (flags.dryRun) return
  const [next] = explain(await discoverFor(flags), name)
  if (next?.winner) output.note(`"${name}" is now the one in ${placeOf(next.winner.origin, output.notes)}.`)
}
