import { countOf } from '../../facts/count-word.ts'
import type { Diagnostic, Place, ResolvedValues } from '../../../index.ts'
import { describeProblem, problemSentence } from '../../facts/problem-facts.ts'
import { describeResolved } from '../../facts/resolved-facts.ts'
import { escapeLine } from '../../terminal/escape.ts'
import type { Canvas } from '../../terminal/terminal-output.ts'

export function placeOf({ file, line }: Place, { path }: Pick<Canvas, 'path'>): string {
  return line === undefined ? path(file) : `${path(file)}:${line}`
}

/** Resolved values, one line each; secrets are hidden. */
export function drawResolved(resolved: ResolvedValues): readonly string[] {
  return describeResolved(resolved).map(({ field, name, value }) =>
    name === undefined ? `${field} ${value}` : `${name}=${value}`,
  )
}

/**
 * One line per problem, errors first; equal problems of one file are one line. Notes appear only in `why` and `--json`;
 * variables that are not used were printed before the command ran.
 */
export function drawProblems(diagnostics: readonly Diagnostic[], canvas: Canvas): readonly string[] {
  const shown = diagnostics.filter(({ code }) => code !== 'directory-in-project')
  return ['error', 'warn'].flatMap((severity) =>
    drawEqualProblems(
      shown.filter((found) => found.severity === severity),
      canvas,
    ),
  )
}

/** One line per problem, in the given order; equal problems of one file are one line. */
export function drawEqualProblems(diagnostics: readonly Diagnostic[], canvas: Canvas): readonly string[] {
  return groupEqual(diagnostics).map((equal) => drawEqual(equal, canvas))
}

type Equal = readonly [Diagnostic, ...Diagnostic[]]

/** Groups problems of one file that say the same about different entries, in the order of the first of each group. */
function groupEqual(diagnostics: readonly Diagnostic[]): readonly Equal[] {
  const groups = new Map<string, [Diagnostic, ...Diagnostic[]]>()
  for (const found of diagnostics) {
    const { code, message, hint = '', origin } = found
    const key = JSON.stringify([origin?.file, code, message, hint])
    const group = groups.get(key)
    if (group) group.push(found)
    else groups.set(key, [found])
  }
  return [...groups.values()]
}

const maxServers = 5

function drawEqual(equal: Equal, canvas: Canvas): string {
  const [first] = equal
  if (equal.length === 1) return drawProblem(first, canvas)
  const { server: _, ...about } = first
  const servers = [...new Set(equal.flatMap(({ server }) => server ?? []))]
  const more = servers.length > maxServers ? ` and ${servers.length - maxServers} more` : ''
  const where = servers.length === 0 ? '' : `: ${servers.slice(0, maxServers).join(', ')}${more}`
  return drawProblem(about, canvas, ` (${equal.length} times${escapeLine(where)})`)
}

export function drawProblem(found: Diagnostic, canvas: Canvas, times = ''): string {
  const { style } = canvas
  const problem = describeProblem(found, canvas.path)
  const labels = { error: style.red('error'), warn: style.yellow('warning'), info: style.dim('note') }
  const where = problem.place ? `${problem.place.shown}: ` : ''
  const code = style.dim(`[${problem.code}]`)
  return `${labels[problem.severity]}: ${where}${problemSentence(problem)}${times} ${code}`
}

export { countOf as count }
