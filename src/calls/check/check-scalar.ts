import type { JsonObject } from '../../model/json.ts'
import type { CheckRun } from './check-run.ts'
import type { ArgumentPath } from './problem-wording.ts'
import { describeValue } from './problem-wording.ts'

export function checkString(
  schema: JsonObject,
  value: string,
  at: ArgumentPath | undefined,
  run: CheckRun,
): void {
  const { minLength, maxLength, pattern } = schema
  if (typeof minLength === 'number' && lengthOf(value, minLength) < minLength) {
    run.report(at, `expected at least ${characters(minLength)}, got ${describeValue(value)}`)
  }
  if (typeof maxLength === 'number' && lengthOf(value, maxLength) > maxLength) {
    run.report(at, `expected at most ${characters(maxLength)}, got ${value.length}`)
  }
  if (typeof pattern !== 'string') return
  const matches = run.match(pattern, value)
  if (matches === undefined) run.uncheckedCount++
  if (matches === false) run.report(at, `expected text matching /${pattern}/, got ${describeValue(value)}`)
}

function characters(count: number): string {
  return count === 1 ? '1 character' : `${count} characters`
}

/** The length in code points, as JSON Schema defines it; counted only where it matters for the limit. */
function lengthOf(text: string, limit: number): number {
  if (text.length < limit || text.length / 2 > limit) return text.length
  let length = 0
  for (let index = 0; index < text.length; index++) {
    length++
    if ((text.codePointAt(index) ?? 0) > 0xffff) index++
  }
  return length
}

export function checkNumber(
  schema: JsonObject,
  value: number,
  at: ArgumentPath | undefined,
  run: CheckRun,
): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  const expect = (isValid: boolean, what: string) => {
    if (!isValid) run.report(at, `expected ${what}, got ${value}`)
  }
  if (typeof minimum === 'number') expect(value >= minimum, `at least ${minimum}`)
  if (typeof maximum === 'number') expect(value <= maximum, `at most ${maximum}`)
  if (typeof exclusiveMinimum === 'number') expect(value > exclusiveMinimum, `more than ${exclusiveMinimum}`)
  if (typeof exclusiveMaximum === 'number') expect(value < exclusiveMaximum, `less than ${exclusiveMaximum}`)
  if (typeof multipleOf === 'number' && multipleOf > 0) {
    expect(isMultiple(value, multipleOf), `a multiple of ${multipleOf}`)
  }
}

/** Tolerates rounding of binary floating point: 0.3 is a multiple of 0.1. */
function isMultiple(value: number, divisor: number): boolean {
  const times = value / divisor
  if (!Number.isFinite(times)) return true
  return Math.abs(times - Math.round(times)) <= Math.abs(times) * Number.EPSILON * 4
}
