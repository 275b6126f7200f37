const units: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** Parses `90d`, `12w` or `36h` to milliseconds. */
export function parseAge(text: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,5})([hdw])$/.exec(text) ?? []
  const ms = Number(digits) * (units[unit] ?? 0)
  if (ms > 0) return ms
  throw new Error('expected a number and a unit, such as 90d, 12w or 36h')
}
