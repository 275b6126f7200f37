import type { ShortenPath } from '../../facts/place-facts.ts'
import { shortPath } from '../../terminal/terminal-output.ts'
import type { ServeContext } from '../serve-context.ts'

/** Shortens paths as a person in the folder of `serve` would write them. */
export function shortener({ cwd, home }: Pick<ServeContext, 'cwd' | 'home'>): ShortenPath {
  return (file) => shortPath(file, { cwd, home })
}
