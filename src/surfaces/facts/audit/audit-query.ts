import { parseAge } from '../parse-age.ts'

/** How a recorded call may have ended. */
export const auditOutcomes = ['done', 'failed', 'denied', 'cancelled', 'refused'] as const

/** Parses an age or a date to ISO 8601. */
export function parseSince(text: string): string {
  if (/^\d{1,5}[hdw]$/.test(text)) return new Date(Date.now() - parseAge(text)).toISOString()
  const ms = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(ms)) return new Date(ms).toISOString()
  throw new Error('expected an age such as 2d or 36h, or a date such as 2026-11-16')
}
