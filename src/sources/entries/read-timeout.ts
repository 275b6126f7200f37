import type { Draft } from './server-draft.ts'
import type { Entry } from './raw-entry.ts'
import type { TimeoutRule } from './entry-rules.ts'

/** Milliseconds per unit. */
export const unitMs = { ms: 1, s: 1000, min: 60_000 } as const

export function readTimeout(entry: Entry, rule: TimeoutRule, draft: Draft): void {
  const { key, unit, min = 0, max = Math.floor(Number.MAX_SAFE_INTEGER / unitMs[unit]) } = rule
  let value = entry.number(key)
  if (value === undefined) return
  draft.extra[key] = value // the raw value, in the owner's unit
  if (value === 0 && rule.zeroMeansNone) {
    entry.info('timeout-disabled', `${key} 0 turns the timeout off.`, { key })
  } else if (!(value >= min && value <= max)) {
    const isBelowOnly = value < min && rule.max === undefined
    const range = isBelowOnly ? `below ${min}` : `outside ${min} to ${value < min ? rule.max : max}`
    const message = `${key} ${value} is ${range} ${unit}`
    const isOwnerLimit = value < min || value > (rule.max ?? Infinity) // otherwise only JavaScript cannot represent it
    if (isOwnerLimit && rule.outside === 'refuse') return entry.refuse('out-of-range', `${message}.`, { key })
    const isClamped = isOwnerLimit && rule.outside === 'clamp'
    if (!isClamped) return entry.warn('out-of-range', `${message}; it is ignored.`, { key })
    value = value < min ? min : max
    entry.warn('out-of-range', `${message}; ${value} is used.`, { key })
  } else if (rule.ignoredBelow !== undefined && value < rule.ignoredBelow) {
    return entry.warn(
      'timeout-ignored',
      `${key} below ${rule.ignoredBelow} ${unit} is ignored by the client.`,
      { key },
    )
  } else if (
    (unit === 'ms' && value > 0 && value < 1000) ||
    (unit === 's' && value >= 1000 && rule.max === undefined)
  ) {
    const other = unit === 'ms' ? 'seconds' : 'milliseconds'
    entry.warn('timeout-unit-suspect', `${key} is in ${unit}; ${value} looks like ${other}.`, { key })
  }
  const ms = Math.round(value * unitMs[unit])
  draft.timeouts =
    rule.sets === 'call-and-startup'
      ? { ...draft.timeouts, callMs: ms, startupMs: ms }
      : { ...draft.timeouts, [rule.sets]: ms }
}
