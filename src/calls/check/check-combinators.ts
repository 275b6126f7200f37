import { listOf } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { CheckRun, Problem } from './check-run.ts'
import type { ArgumentPath } from './problem-wording.ts'

/** The keywords that combine schemas. */
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
    const wrong = run.problemsOf(form, value, at)
    if (wrong.length === 0) return
    failures.push(wrong)
  }
  if (failures.length > 0) explain(failures, value, at, run)
}

function checkOne(forms: readonly Json[], value: Json, at: ArgumentPath | undefined, run: CheckRun): void {
  const uncheckedBefore = run.uncheckedCount
  const failures = forms.map((form) => run.problemsOf(form, value, at))
  const fitting = failures.flatMap((wrong, index) => (wrong.length === 0 ? [index + 1] : []))
  if (fitting.length === 0 && forms.length > 0) return explain(failures, value, at, run)
  if (fitting.length <= 1 || run.uncheckedCount > uncheckedBefore) return
  run.report(at, `fits ${fitting.length} of its ${forms.length} forms, and may fit only one`)
}

function checkNot(form: Json, value: Json, at: ArgumentPath | undefined, run: CheckRun): void {
  const uncheckedBefore = run.uncheckedCount
  const isForbidden = run.problemsOf(form, value, at).length === 0
  if (!isForbidden || run.uncheckedCount > uncheckedBefore) return
  run.report(at, `is of a form that is not allowed: ${JSON.stringify(form).slice(0, 100)}`)
}

function checkIf(schema: JsonObject, value: Json, at: ArgumentPath | undefined, run: CheckRun): void {
  const uncheckedBefore = run.uncheckedCount
  const holds = run.problemsOf(schema['if'], value, at).length === 0
  if (holds && run.uncheckedCount > uncheckedBefore) return
  run.check(schema[holds ? 'then' : 'else'], value, at)
}

/** What to say when none of several forms fits: what all of them expect, or what the nearest one misses. */
function explain(
  failures: readonly (readonly Problem[])[],
  value: Json,
  at: ArgumentPath | undefined,
  run: CheckRun,
): void {
  // A form of another kind is not what was meant.
  const meant = failures.filter(([first]) => !isOfOtherKind(first, at))
  if (meant.length === 0)
    return run.reportExpected(
      at,
      failures.flatMap(([first]) => first?.expected ?? []),
      value,
    )
  const [nearest = []] = [...meant].sort((a, b) => distance(a, at) - distance(b, at))
  if (meant.length > 1) run.report(at, `fits none of its ${failures.length} forms; of the nearest one:`)
  run.reportAll(nearest)
}

function isOfOtherKind(first: Problem | undefined, at: ArgumentPath | undefined): boolean {
  return first?.at === at && first?.expected !== undefined
}

/** A property that must have one certain value tells forms apart, so missing it counts most. */
function distance(problems: readonly Problem[], at: ArgumentPath | undefined): number {
  const isOtherForm = problems.some((problem) => problem.at?.above === at && problem.expected?.length === 1)
  return problems.length + (isOtherForm ? 100 : 0)
}
