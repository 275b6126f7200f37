import { listOf } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { CheckRun, Problem } from './check-run.ts'
import type { ArgumentPath } from './problem-wording.ts'

/** Checks the keywords that combine schemas. */
export function checkCombinators(
  schema: JsonObject,
  value: Json,
  at: ArgumentPath | undefined,
  run: CheckRun,
): void {
  const { allOf, anyOf, oneOf, not } = schema
  for (const each of listOf(allOf)) run.check(each, value, at)
  if (anyOf !== undefined) checkAny(listOf(anyOf), value, at, run)
  if (oneOf !== undefined) checkOne(listOf(oneOf), value, at, run)
  if (not !== undefined) checkNot(not, value, at, run)
  if (schema['if'] !== undefined) checkIf(schema, value, at, run)
}

function checkAny(forms: readonly Json[], value: Json, at: ArgumentPath | undefined, run: CheckRun): void {
  const failures: (readonly Problem[])[] = []
  for (const form of forms) {
    const problems = run.problemsOf(form, value, at)
    if (problems.length === 0) return
    failures.push(problems)
  }
  if (failures.length > 0) reportNoMatch(failures, value, at, run)
}

function checkOne(forms: readonly Json[], value: Json, at: ArgumentPath | undefined, run: CheckRun): void {
  const uncheckedBefore = run.uncheckedCount
  const failures = forms.map((form) => run.problemsOf(form, value, at))
  const matching = failures.filter((problems) => problems.length === 0).length
  if (matching === 0 && forms.length > 0) return reportNoMatch(failures, value, at, run)
  if (matching <= 1 || run.uncheckedCount > uncheckedBefore) return
  run.report(at, `matches ${matching} of its ${forms.length} forms, but must match exactly one`)
}

function checkNot(form: Json, value: Json, at: ArgumentPath | undefined, run: CheckRun): void {
  const uncheckedBefore = run.uncheckedCount
  const isForbidden = run.problemsOf(form, value, at).length === 0
  if (!isForbidden || run.uncheckedCount > uncheckedBefore) return
  run.report(at, `matches a form that is not allowed: ${JSON.stringify(form).slice(0, 100)}`)
}

function checkIf(schema: JsonObject, value: Json, at: ArgumentPath | undefined, run: CheckRun): void {
  const uncheckedBefore = run.uncheckedCount
  const holds = run.problemsOf(schema['if'], value, at).length === 0
  if (holds && run.uncheckedCount > uncheckedBefore) return
  run.check(schema[holds ? 'then' : 'else'], value, at)
}

/** Reports a value that matches none of several forms: what all of them expect, or the problems with the closest one. */
function reportNoMatch(
  failures: readonly (readonly Problem[])[],
  value: Json,
  at: ArgumentPath | undefined,
  run: CheckRun,
): void {
  // A form of another type is not the intended one.
  const likely = failures.filter(([first]) => !isOfOtherType(first, at))
  if (likely.length === 0)
    return run.reportExpected(
      at,
      failures.flatMap(([first]) => first?.expected ?? []),
      value,
    )
  const [closest = []] = [...likely].sort((a, b) => distance(a, at) - distance(b, at))
  if (likely.length > 1)
    run.report(at, `matches none of its ${failures.length} forms; problems with the closest one:`)
  run.reportAll(closest)
}

function isOfOtherType(first: Problem | undefined, at: ArgumentPath | undefined): boolean {
  return first?.at === at && first?.expected !== undefined
}

/** Counts problems. A wrong value for a property with a single allowed value weighs most: such properties tell forms apart. */
function distance(problems: readonly Problem[], at: ArgumentPath | undefined): number {
  const isOtherForm = problems.some((problem) => problem.at?.above === at && problem.expected?.length === 1)
  return problems.length + (isOtherForm ? 100 : 0)
}
