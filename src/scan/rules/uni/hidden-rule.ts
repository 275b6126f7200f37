import type { HiddenKind } from '../../../model/hidden-kinds.ts'
import type { RawText } from '../../engine/raw-text.ts'
import type { Match } from '../rule.ts'

/** A match if the text has hidden characters of one of these kinds that the text around them does not need. */
export function findHidden(
  raw: RawText,
  kinds: readonly HiddenKind[],
  score: number,
  message: string,
): readonly Match[] {
  if (!kinds.some((kind) => raw.hidden.includes(kind))) return []
  const at = raw.text.search(/[\p{Cc}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/u)
  const isShown = (unit: string) => unit !== '\n' && unit !== '\t'
  const from = isShown(raw.text.charAt(at)) ? at : 0
  return [{ score, message, evidence: raw.text.slice(Math.max(0, from - 24), from + 96) }]
}
