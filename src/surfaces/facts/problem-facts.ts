import type { Diagnostic, Place } from '../../index.ts'
import { redactWords } from '../../internal.ts'
import type { Problem } from '../api/shared-shapes.ts'
import { escapeLine } from '../terminal/escape.ts'
import { describePlace } from './place-facts.ts'
import type { ShortenPath } from './place-facts.ts'

/** A problem of the configuration as it is shown: its place apart from its message, and without secrets. */
export function describeProblem(found: Diagnostic, shorten: ShortenPath): Problem {
  const { code, severity, message, hint, server, origin, meant } = found
  const { column, rest } = splitPlace(message, origin)
  const place = origin && describePlace(origin, shorten)
  const shown = (text: string) => escapeLine(redactWords(text))
  return {
    code,
    severity,
    message: shown(rest),
    ...(hint !== undefined && { hint: shown(hint) }),
    ...(server !== undefined && { server }),
    ...(place && {
      place: column === undefined ? place : { ...place, column, shown: `${place.shown}:${column}` },
    }),
    about: code,
    ...(meant !== undefined && { meant }),
  }
}

/** A message that begins with the line of its own place: the place gets the column instead. */
function splitPlace(
  message: string,
  origin: Place | undefined,
): { readonly column?: number; readonly rest: string } {
  const [start = '', line, column] = /^line (\d+), column (\d+): /.exec(message) ?? []
  if (origin?.line === undefined || line !== String(origin.line)) return { rest: message }
  return { column: Number(column), rest: message.slice(start.length) }
}

/** The sentence of a problem: the server if the message does not name it, the message, and the next step. */
export function problemSentence({ message, hint, server }: Problem): string {
  const name = server === undefined ? undefined : escapeLine(server)
  const about = name === undefined || message.includes(`"${name}"`) ? '' : `"${name}": `
  return `${about}${message}${hint === undefined ? '' : ` ${hint}`}`
}
