import type { Diagnostic, Discovery } from '../../../index.ts'
import type { Problem } from '../../api/shared-shapes.ts'
import { describeProblem } from '../../facts/problem-facts.ts'
import type { ServeContext } from '../serve-context.ts'
import { shortener } from './shown-paths.ts'

/** Notes are shown with their server; errors and warnings are counted. */
export function isProblem({ severity }: Diagnostic): boolean {
  return severity !== 'info'
}

export function countProblems({ diagnostics }: Pick<Discovery, 'diagnostics'>): number {
  return diagnostics.filter(isProblem).length
}

/** Of all problems those that hide what a whole file says. */
export function countBrokenFiles({ diagnostics }: Pick<Discovery, 'diagnostics'>): number {
  return diagnostics.filter(({ code }) => code === 'parse-error' || code === 'unreadable-file').length
}

const order: readonly Diagnostic['severity'][] = ['error', 'warn', 'info']

/** Problems as they are shown, errors first. */
export function describeProblems(found: readonly Diagnostic[], context: ServeContext): readonly Problem[] {
  const shorten = shortener(context)
  return found
    .toSorted((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity))
    .map((each) => describeProblem(each, shorten))
}
