import type { Json, JsonObject } from '../../model/json.ts'
import { listOf } from './lists.ts'
import type { Looking, Problem } from './check-run.ts'
import type { Place } from './argument-path.ts'

/** The keywords that combine schemas. */
export function checkForms(schema: JsonObject, value: Json, at: Place | undefined, looking: Looking): void {
  const { allOf, anyOf, oneOf, not } = schema
  for (const each of listOf(allOf)) looking.check(each, value, at)
  if (anyOf !== undefined) checkAny(listOf(anyOf), value, at, looking)
  if (oneOf !== undefined) checkOne(listOf(oneOf), value, at, looking)
  if (not !== undefined) checkNot(not, value, at, looking)
  if (schema['if'] !== undefined) checkIf(schema, value, at, looking)
}

function checkAny(forms: readonly Json[], value: Json, at: Place | undefined, looking: Looking): void {
  const failures: (readonly Problem[])[] = []
  for (const form of forms) {
    const wrong = looking.problemsOf(form, value, at)
    if (wrong.length === 0) return
    failures.push(wrong)
  }
  if (failures.length > 0) explain(failures, value, at, looking)
}

function checkOne(forms: readonly Json[], value: Json, at: Place | undefined, looking: Looking): void {
  const unsure = looking.unsure
  const failures = forms.map((form) => looking.problemsOf(form, value, at))
  const fitting = failures.flatMap((wrong, index) => (wrong.length === 0 ? [index + 1] : []))
  if (fitting.length === 0 && forms.length > 0) return explain(failures, value, at, looking)
  if (fitting.length <= 1 || looking.unsure > unsure) return
  looking.report(at, `fits ${fitting.length} of its ${forms.length} forms, and may fit only one`)
}

function checkNot(form: Json, value: Json, at: Place | undefined, looking: Looking): void {
  const unsure = looking.unsure
  const isForbidden = looking.problemsOf(form, value, at).length === 0
  if (!isForbidden || looking.unsure > unsure) return
  looking.report(at, `is of a form that is not allowed: ${JSON.stringify(form).slice(0, 100)}`)
}

function checkIf(schema: JsonObject, value: Json, at: Place | undefined, looking: Looking): void {
  const unsure = looking.unsure
  const holds = looking.problemsOf(schema['if'], value, at).length === 0
  if (holds && looking.unsure > unsure) return
  looking.check(schema[holds ? 'then' : 'else'], value, at)
}

/** What to say when none of several forms fits: what all of them expect, or what the nearest one misses. */
function explain(
  failures: readonly (readonly Problem[])[],
  value: Json,
  at: Place | undefined,
  looking: Looking,
): void {
  // A form of another kind is not what was meant.
  const meant = failures.filter(([first]) => !isOfOtherKind(first, at))
  if (meant.length === 0)
    return looking.expected(
      at,
      failures.flatMap(([first]) => first?.expected ?? []),
      value,
    )
  const [nearest = []] = [...meant].sort((a, b) => distance(a, at) - distance(b, at))
  if (meant.length > 1) looking.report(at, `fits none of its ${failures.length} forms; of the nearest one:`)
  looking.reportAll(nearest)
}

function isOfOtherKind(first: Problem | undefined, at: Place | undefined): boolean {
  return first?.at === at && first?.expected !== undefined
}

/** A property that must have one certain value tells forms apart, so missing it counts most. */
function distance(problems: readonly Problem[], at: Place | undefined): number {
  const isOtherForm = problems.some((problem) => problem.at?.above === at && problem.expected?.length === 1)
  return problems.length + (isOtherForm ? 100 : 0)
}
