import type { ArgumentProblem } from '../model/error.ts'
import { isObject } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { factsOf } from './check/schema-facts.ts'
import { checkKeywords } from './check/check-keywords.ts'
import { CheckRun, TooCostly } from './check/check-run.ts'
import { loadMatch } from './check/patterns.ts'
import { isPlainlyRight } from './check/plain-rules.ts'
import { show, showPath } from './check/problem-wording.ts'

export type Checked =
  | { readonly kind: 'valid' }
  | { readonly kind: 'invalid'; readonly problems: readonly ArgumentProblem[] }
  /** Nothing is known of them; the server decides. */
  | { readonly kind: 'unchecked'; readonly reason: string }

const valid: Checked = { kind: 'valid' }

/**
 * Arguments against the schema a server gave for them, as JSON Schema 2020-12 or draft-07. What cannot be checked passes:
 * the server looks at them too, and a wrong no from us would be the last word.
 */
export function checkArguments(schema: JsonObject, args: Json): Checked | Promise<Checked> {
  if (!isObject(args)) {
    return { kind: 'invalid', problems: [{ path: '', message: `expected an object, got ${show(args)}` }] }
  }
  const facts = factsOf(schema)
  if (facts.refusal !== undefined) return { kind: 'unchecked', reason: facts.refusal }
  if (facts.plain && isPlainlyRight(args, facts.plain)) return valid
  const checkWith = (createMatch?: Awaited<ReturnType<typeof loadMatch>>) =>
    look(new CheckRun({ root: schema, facts, keywords: checkKeywords, createMatch }), schema, args)
  return facts.hasPatterns ? loadMatch().then(checkWith) : checkWith()
}

function look(run: CheckRun, schema: JsonObject, args: JsonObject): Checked {
  try {
    run.check(schema, args, undefined)
  } catch (error) {
    if (error instanceof TooCostly) return { kind: 'unchecked', reason: error.message }
    // Arguments nested without end; whoever sends them says so.
    if (error instanceof RangeError) return { kind: 'unchecked', reason: 'they are nested too deep' }
    throw error
  }
  if (run.found.length === 0) return valid
  const problems = run.found.map(({ at, message }) => ({ path: showPath(at), message }))
  return { kind: 'invalid', problems }
}
