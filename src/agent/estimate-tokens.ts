import { estimateTokenCount } from 'tokenx'

/** A longer text is estimated from its beginning: the exact count of an unknown model is not known anyway. */
const sampleLength = 50_000

/** About how many tokens a text has; tokenizers differ by more than a half among themselves. */
export function estimateTokens(text: string): number {
  if (text.length <= sampleLength) return estimateTokenCount(text)
  return Math.ceil((estimateTokenCount(text.slice(0, sampleLength)) * text.length) / sampleLength)
}
