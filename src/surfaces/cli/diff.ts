import type { FileChange } from '../../config.ts'
import { redactText } from '../../config.ts'
import type { Canvas } from '../terminal/output.ts'
import { shortPath } from './draw.ts'

const context = 2

/** What would be written, as changed lines with their neighbors. Literal secrets are hidden. */
export function drawChanges(changes: readonly FileChange[], canvas: Canvas): string {
  if (changes.length === 0) return 'Nothing would change.'
  return changes.map((change) => drawChange(change, canvas)).join('\n\n')
}

function drawChange({ file, before, after }: FileChange, { style }: Canvas): string {
  const [old, now] = [before.split(/\r?\n/), after.split(/\r?\n/)]
  const start = commonLength(old, now)
  const end = commonLength(old.slice(start).reverse(), now.slice(start).reverse())
  const hide = (line: string) =>
    redactText(
      line.replace(
        /("?[\w-]*(?:token|secret|password|authorization|api[-_]?key)[\w-]*"?\s*[:=]\s*)"[^"$]*"/i,
        '$1"•••"',
      ),
    )
  const lines = [
    ...now.slice(Math.max(0, start - context), start).map((line) => `  ${hide(line)}`),
    ...old.slice(start, old.length - end).map((line) => style.red(`- ${hide(line)}`)),
    ...now.slice(start, now.length - end).map((line) => style.green(`+ ${hide(line)}`)),
    ...now.slice(now.length - end, now.length - end + context).map((line) => `  ${hide(line)}`),
  ]
  return [style.bold(`${shortPath(file)}${before === '' ? ' (new)' : ''}`), ...lines].join('\n')
}

function commonLength(a: readonly string[], b: readonly string[]): number {
  let length = 0
  while (length < a.length && length < b.length && a[length] === b[length]) length++
  return length
}
