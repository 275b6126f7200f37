import type { Usage } from '../../agent.ts'

const thousand = 1000
const million = 1_000_000
const kibi = 1024

/** `950`, `1.2k`, `34k`, `1.2M`. */
export function drawCount(count: number): string {
  if (count < thousand) return String(count)
  const [value, unit] = count < million - thousand / 2 ? [count / thousand, 'k'] : [count / million, 'M']
  return `${value < 9.95 ? value.toFixed(1).replace(/\.0$/, '') : Math.round(value)}${unit}`
}

export function drawBytes(bytes: number): string {
  if (bytes < kibi) return `${bytes} bytes`
  const [value, unit] = bytes < kibi * kibi ? [bytes / kibi, 'KB'] : [bytes / kibi / kibi, 'MB']
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${unit}`
}

export function drawDuration(ms: number): string {
  if (ms < thousand) return `${Math.round(ms)} ms`
  const seconds = ms / thousand
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`
  if (seconds < 120) return `${Math.round(seconds)} s`
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
}

/** Dollars with as many digits as a small amount needs. */
export function drawCost(cost: number): string {
  const digits = cost >= 1 || cost === 0 ? 2 : 4
  return `$${cost.toFixed(digits)}`
}

/** `3.1k tokens in (2k cached), 120 out · $0.0041`. */
export function drawUsage(usage: Usage): string {
  const { inputTokens, outputTokens, isEstimated } = usage
  const tokens = `${drawCount(inputTokens)} tokens in${drawCached(usage)}, ${drawCount(outputTokens)} out`
  return `${isEstimated ? 'about ' : ''}${tokens} · ${drawPrice(usage)}`
}

/** The same in few words, without what the width has no room for: `3.1k + 120 tokens (2k cached) · $0.0041`. */
export function drawShortUsage(usage: Usage, width: number): string {
  const tokens = `${usage.isEstimated ? 'about ' : ''}${drawCount(usage.inputTokens)} + ${drawCount(usage.outputTokens)} tokens`
  const whole = `${tokens}${drawCached(usage)} · ${drawPrice(usage)}`
  return whole.length <= width ? whole : `${tokens} · ${drawPrice(usage)}`
}

function drawCached({ cachedTokens }: Usage): string {
  return cachedTokens > 0 ? ` (${drawCount(cachedTokens)} cached)` : ''
}

function drawPrice({ cost }: Usage): string {
  return cost === undefined ? 'price unknown' : drawCost(cost)
}
