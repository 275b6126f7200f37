/** Characters of a text that a finding shows. */
const maxEvidence = 160

/** A part of a text for a finding: shortened, with everything invisible escaped. */
export function toEvidence(text: string): string {
  const points = Array.from(text.slice(0, 4 * maxEvidence))
  const shown = points.slice(0, maxEvidence).map(escapeInvisible).join('').trim()
  return points.length > maxEvidence || text.length > 4 * maxEvidence ? `${shown}…` : shown
}

const invisible = /^[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Surrogate}\p{Co}\uFFF9-\uFFFB\u2028\u2029]$/u

function escapeInvisible(point: string): string {
  if (point === '\n' || point === '\t') return ' '
  return invisible.test(point) ? `\\u{${(point.codePointAt(0) ?? 0).toString(16)}}` : point
}
