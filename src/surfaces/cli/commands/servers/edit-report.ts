import type { EditResult, FileChange } from '../../../../config.ts'
import { redactWords } from '../../../../internal.ts'
import type { Canvas, Output } from '../../../terminal/terminal-output.ts'
import type { CommonFlags } from '../../command-context.ts'
import { discoverOptions } from '../../discover-servers.ts'
import type { Fault } from '../../errors.ts'
import { hideSecrets } from '../../output/hide-secrets.ts'

export interface EditFlags extends CommonFlags {
  readonly dryRun?: boolean
}

export function editOptions(flags: EditFlags) {
  const { scope, dryRun } = flags
  return { ...discoverOptions(flags), ...(scope && { scope }), ...(dryRun && { dryRun }) }
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

const context = 2

/** The changed lines with some context. Literal secrets are hidden. */
export function drawChanges(changes: readonly FileChange[], canvas: Canvas): string {
  const real = changes.filter(({ before, after }) => before !== after)
  if (real.length === 0) return 'Nothing would change.'
  return real.map((change) => drawChange(change, canvas)).join('\n\n')
}

/** The changes for JSON output, with literal secrets hidden. */
export function hideInChanges(changes: readonly FileChange[]): readonly FileChange[] {
  return changes.map((change) => ({
    ...change,
    before: hideSecrets(change.before),
    after: hideSecrets(change.after),
  }))
}

function drawChange({ file, before, after }: FileChange, { style, path }: Canvas): string {
  const [old, now] = [linesOf(before), linesOf(after)]
  const [oldShown, nowShown] = [linesOf(hideSecrets(before)), linesOf(hideSecrets(after))]
  const start = commonLength(old, now)
  const end = commonLength(old.slice(start).reverse(), now.slice(start).reverse())
  const lines = [
    ...nowShown.slice(Math.max(0, start - context), start).map((line) => `  ${line}`),
    ...oldShown.slice(start, old.length - end).map((line) => style.red(`- ${line}`)),
    ...nowShown.slice(start, now.length - end).map((line) => style.green(`+ ${line}`)),
    ...nowShown.slice(now.length - end, now.length - end + context).map((line) => `  ${line}`),
  ]
  return [style.bold(`${path(file)}${before === '' ? ' (new)' : ''}`), ...lines].join('\n')
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/)
}

function commonLength(a: readonly string[], b: readonly string[]): number {
  let length = 0
  while (length < a.length && length < b.length && a[length] === b[length]) length++
  return length
}
