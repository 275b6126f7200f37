import type { Place } from '../../index.ts'

/** A message that begins with the line of its own place: the place gets the column instead. */
export function splitPlace(
  message: string,
  origin: Place | undefined,
): { readonly column: string; readonly rest: string } {
  const [start = '', line, column = ''] = /^line (\d+), column (\d+): /.exec(message) ?? []
  if (origin?.line === undefined || line !== String(origin.line)) return { column: '', rest: message }
  return { column: `:${column}`, rest: message.slice(start.length) }
}
