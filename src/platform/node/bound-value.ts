/**
 * A value that every driver stores alike. `libsql` ends the process at a boolean and cuts a text at NUL, PostgreSQL
 * refuses NUL, and `node:sqlite` takes a date for a list of names. NUL becomes its visible sign; JSON has none.
 */
export function toBound(value: unknown): string | number | bigint | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '␀') : value
  if (typeof value === 'number' || typeof value === 'bigint') return value
  throw new TypeError(`A ${typeof value} cannot be stored.`)
}
