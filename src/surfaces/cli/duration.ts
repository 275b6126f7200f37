const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** `500ms`, `10s`, `1.5m`, `1h`, as milliseconds. Without a unit nobody knows what is meant. */
export function parseDuration(text: string): number {
  const [, digits = '', unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? []
  const ms = Math.round(Number(digits) * (units[unit] ?? 0))
  if (ms > 0 && ms <= longestMs) return ms
  throw new Error('a duration is a number and a unit, such as 500ms, 10s or 1m')
}

/** What a timer of Node can hold. */
const longestMs = 2 ** 31 - 1
