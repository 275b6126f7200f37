/** A duration for people: `700 ms`, `1.5 s`, `30 s`, `3 min 10 s`. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  const seconds = ms / 1000
  if (seconds < 9.95) return `${seconds.toFixed(1).replace(/\.0$/, '')} s`
  if (seconds < 120) return `${Math.round(seconds)} s`
  const rest = Math.round(seconds % 60)
  return `${Math.floor(seconds / 60)} min${rest === 0 ? '' : ` ${rest} s`}`
}
