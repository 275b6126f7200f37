import type { Field, ShownArgumentProblem } from '../../../src/client.ts'
import type { Json } from '../../../src/model/json.ts'
import { fromPointer, valueAt } from '../../../src/model/json.ts'

/**
 * The messages that stand at a level: those of its own place, and those below it that belong to none of the fields drawn
 * within it. Every problem is so shown once, at the nearest field that is drawn.
 */
export function messagesAt(
  problems: readonly ShownArgumentProblem[],
  pointer: string,
  drawn: readonly string[] = [],
): readonly string[] {
  return problems
    .filter((each) => isAt(each, pointer) && !drawn.some((inner) => isAt(each, inner)))
    .map((each) =>
      each.pointer === pointer ? each.message : `${each.pointer.slice(pointer.length + 1)} ${each.message}`,
    )
}

export function hasProblem(problems: readonly ShownArgumentProblem[], pointer: string): boolean {
  return problems.some((each) => isAt(each, pointer))
}

/** Before the first try to send, a field that was not touched yet is not called wrong. */
export function shownProblems(
  problems: readonly ShownArgumentProblem[],
  { value, isTried }: { readonly value: Json | undefined; readonly isTried: boolean },
): readonly ShownArgumentProblem[] {
  return isTried
    ? problems
    : problems.filter(({ pointer }) => pointer !== '' && valueAt(value, fromPointer(pointer)) !== undefined)
}

/** What a value must be, in few words: `integer, 1 to 100`. */
export function limitsOf(field: Field): string {
  switch (field.kind) {
    case 'number':
      return [field.isInteger ? 'integer' : 'number', range(field)].filter(Boolean).join(', ')
    case 'text': {
      const length = range(field, 'character')
      return [field.format, length, field.pattern && `matches ${field.pattern}`].filter(Boolean).join(', ')
    }
    case 'list':
    case 'choices':
      return range(field, 'item')
    default:
      return ''
  }
}

function range(
  { min, max }: { readonly min?: number | undefined; readonly max?: number | undefined },
  unit = '',
): string {
  const counted = (words: string, last: number) =>
    unit === '' ? words : `${words} ${last === 1 ? unit : `${unit}s`}`
  if (min !== undefined && max !== undefined)
    return counted(min === max ? `exactly ${min}` : `${min} to ${max}`, max)
  if (min !== undefined) return counted(`at least ${min}`, min)
  return max === undefined ? '' : counted(`at most ${max}`, max)
}

function isAt({ pointer }: ShownArgumentProblem, level: string): boolean {
  return pointer === level || pointer.startsWith(`${level}/`)
}
