/** `in 4:12`. */
export function leftText(ms: number): string {
  if (ms <= 0) return 'now'
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 60) return `in ${seconds} s`
  if (seconds < 3600) return `in ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  return `in ${Math.round(seconds / 3600)} h`
}
