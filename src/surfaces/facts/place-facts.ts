import type { Place } from '../../index.ts'
import type { ShownPlace } from '../api/shared-shapes.ts'
import { escapeLine } from '../terminal/escape.ts'

/** Shortens a path as a person in the working folder would write it. */
export type ShortenPath = (file: string) => string

/** A place with the text that a person reads: the short path and the line. */
export function describePlace({ file, line, column, pointer }: Place, shorten: ShortenPath): ShownPlace {
  const short = escapeLine(shorten(file))
  return {
    file,
    shown: line === undefined ? short : `${short}:${line}`,
    ...(line !== undefined && { line }),
    ...(column !== undefined && { column }),
    ...(pointer !== undefined && { pointer }),
  }
}

/** Shortens paths in the home directory only, for folders of several programs. */
export function shortenHome(home: string): ShortenPath {
  return (file) => {
    const below = home === '' || !file.startsWith(home) ? undefined : file.slice(home.length)
    return below !== undefined && /^(?:$|[\\/])/.test(below) ? `~${below}` : file
  }
}
