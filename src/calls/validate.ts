import type { ArgumentProblem } from '../model/error.ts'
import { isObject } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { factsOf } from './check/schema-facts.ts'
import { checkKeywords } from './check/check-keywords.ts'
import { CheckRun, CheckBudgetExceeded } from './check/check-run.ts'
import { loadPatternMatcher } from './check/patterns.ts'
import { matchesPlainRules } from './check/plain-rules.ts'
import { describeValue, formatPath } from './check/problem-wording.ts'

export type CheckResult =
  | { readonly kind: 'valid' }
  | { readonly kind: 'invalid'; readonly problems: readonly ArgumentProblem[] }
  /** The check could not be done; the server decides. */
  | { readonly kind: 'unchecked'; readonly reason: string }

const valid: CheckResult = { kind: 'valid' }

/**
 * Checks arguments against the server's schema, as JSON Schema 2020-12 or draft-07. What cannot be checked passes: the
 * server checks too, but a wrong rejection here would be final.
 */
export function checkArguments(schema: JsonObject, args: Json): CheckResult | Promise<CheckResult> {
  if (!isObject(args)) {
    return {
      kind: 'invalid',
      problems: [{ path: '', message: `expected an object, got ${describeValue(args)}` }],
    }
  }
  const facts = factsOf(schema)
  if (facts.refusal !== undefined) return { kind: 'unchecked', reason: facts.refusal }
  if (facts.plain && matchesPlainRules(args, facts.plain)) return valid
  const checkWith = (createMatcher?: Awaited<ReturnType<typeof loadPatternMatcher>>) =>
    runCheck(new CheckRun({ root: schema, facts, keywords: checkKeywords, createMatcher }), schema, args)
  return facts.hasPatterns ? loadPatternMatcher().then(checkWith) : checkWith()
}

function runCheck(run: CheckRun, schema: JsonObject, args: JsonObject): CheckResult {
  try {
    run.check(schema, args, undefined)
  } catch (error) {
    if (error instanceof CheckBudgetExceeded) return { kind: 'unchecked', reason: error.message }
    // A stack overflow: the arguments are nested too deep.
    if (error instanceof RangeError) return { kind: 'unchecked', reason: 'they are nested too deep' }
    throw error
  }
  if (run.problems.length === 0) return valid
  const problems = run.problems.map(({ at, message }) => ({ path: formatPath(at), message }))
  return { kind: 'invalid', problems }
}
