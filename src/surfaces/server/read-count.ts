import { HostError } from '../../index.ts'

interface CountRange {
  readonly name: string
  readonly least?: number
  readonly most: number
}

/** A whole number of a query. Anything else is refused: a client that sent it would take the answer for another one. */
export function readCount(
  text: string | undefined,
  usual: number,
  { name, least = 0, most }: CountRange,
): number {
  if (text === undefined) return usual
  const value = /^\d{1,15}$/.test(text) ? Number(text) : -1
  return checkCount(value, { name, least, most })
}

/** A whole number of a body. */
export function checkCount(value: number, { name, least = 0, most }: CountRange): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value
  throw new HostError('usage', {}, `${name} is a whole number from ${least} to ${most}.`)
}
