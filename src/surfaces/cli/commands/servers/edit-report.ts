import type { EditResult, FileChange } from '../../../../config.ts'
import { redactWords } from '../../../../internal.ts'
import type { FileDifference } from '../../../api/shared-shapes.ts'
import { describeChanges } from '../../../facts/file-difference.ts'
import { hideSecrets } from '../../../facts/hide-secrets.ts'
import type { Canvas, Output } from '../../../terminal/terminal-output.ts'
import type { CommonFlags, Cli } from '../../command-context.ts'
import { discoverOptions } from '../../discover-servers.ts'
import type { Fault } from '../../errors.ts'

export interface EditFlags extends CommonFlags {
  readonly dryRun?: boolean
}

export function editOptions(cli: Cli, flags: EditFlags) {
  const { scope, dryRun } = flags
  return { ...discoverOptions(cli, flags), ...(scope && { scope }), ...(dryRun && { dryRun }) }
}

interface Outcome {
  readonly name: string
  readonly action: string
  /** Why nothing was written. */
  readonly error?: Fault | undefined
  /** The lost fields were shown before, with the question. */
  readonly isWarned?: boolean
}

/** Prints what an edit changed, or would change. */
export function report(
  output: Output,
  { name, action, error, isWarned = false }: Outcome,
  { file, changed, lost, changes }: EditResult,
  { dryRun }: EditFlags,
): void {
  const isPlan = dryRun || error !== undefined
  const planned = isPlan ? { dryRun: true, changes: hideInChanges(changes), ...(error && { error }) } : {}
  output.result({ name, action, file, changed, lost, ...planned }, (canvas) => {
    if (dryRun) return drawChanges(changes, canvas)
    return `${name}: ${changed ? '' : 'already '}${action} in ${canvas.path(file)}`
  })
  if (!isWarned) warnLost(output, lost)
}

export function warnLost(output: Output, lost: EditResult['lost']): void {
  for (const { field, reason } of lost) output.warn(redactWords(`${field}: ${reason}`))
}

/** The changed lines with some context. Literal secrets are hidden. */
export function drawChanges(changes: readonly FileChange[], canvas: Canvas): string {
  const differences = describeChanges(changes, canvas.path)
  if (differences.length === 0) return 'Nothing would change.'
  return differences.map((difference) => drawDifference(difference, canvas)).join('\n\n')
}

/** The changes for JSON output, with literal secrets hidden. */
export function hideInChanges(changes: readonly FileChange[]): readonly FileChange[] {
  return changes.map((change) => ({
    ...change,
    before: hideSecrets(change.before),
    after: hideSecrets(change.after),
  }))
}

function drawDifference({ shown, isNew, hunks }: FileDifference, { style }: Canvas): string {
  const draw = {
    same: (text: string) => `  ${text}`,
    removed: (text: string) => style.red(`- ${text}`),
    added: (text: string) => style.green(`+ ${text}`),
  }
  const lines = hunks.flatMap((hunk) => hunk.lines.map(({ kind, text }) => draw[kind](text)))
  return [style.bold(`${shown}${isNew ? ' (new)' : ''}`), ...lines].join('\n')
}
