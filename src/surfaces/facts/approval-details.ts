import type { Annotations, ApprovalQuestion, JsonObject } from '../../index.ts'
import { isObject, listOf } from '../../internal.ts'
import { escapeLine } from '../terminal/escape.ts'
import { marksOf } from './tool-marks.ts'

/** The parts of an approval beside its arguments. */
export interface ApprovalAbout {
  readonly tool: Partial<Pick<ApprovalQuestion['tool'], 'annotations'>>
  readonly rule?: ApprovalQuestion['rule']
}

/** A rule in a line: `github__create_* → ask`. */
export function ruleText({
  effect,
  tools,
}: Pick<NonNullable<ApprovalQuestion['rule']>, 'effect' | 'tools'>): string {
  return escapeLine(`${tools.join(', ')} → ${effect}`)
}

/** What a person should know of a call beside its arguments: what the tool declares, and the rule that asks. */
export function approvalDetails({ tool: { annotations }, rule }: ApprovalAbout): readonly string[] {
  const marks = annotations ? marksOf(annotations) : []
  const place =
    rule?.origin && `${rule.origin.file}${rule.origin.line === undefined ? '' : `:${rule.origin.line}`}`
  return [
    // The reason says whether it writes.
    ...(marks.length > 1 ? [`It declares: ${marks.join(', ')}.`] : []),
    ...(rule ? [`The rule: ${ruleText(rule)}${place === undefined ? '' : ` · ${escapeLine(place)}`}`] : []),
  ]
}

/** The annotations of the tool and the rule, as a stored question has them. Those of earlier versions have neither. */
export function readApproval({ annotations, rule }: JsonObject): {
  readonly annotations?: Annotations
  readonly rule?: NonNullable<ApprovalQuestion['rule']>
} {
  const { effect, tools, file, line, pointer } = isObject(rule) ? rule : {}
  const origin = typeof file === 'string' && {
    file,
    ...(typeof line === 'number' && { line }),
    ...(typeof pointer === 'string' && { pointer }),
  }
  return {
    ...(isObject(annotations) && { annotations }),
    ...(effect === 'ask' && {
      rule: {
        effect,
        tools: listOf(tools).filter((tool) => typeof tool === 'string'),
        ...(origin && { origin }),
      },
    }),
  }
}
