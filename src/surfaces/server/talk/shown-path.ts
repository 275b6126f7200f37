import { isAbsolute, relative, sep } from 'node:path'
import type { ShortenPath } from '../../facts/place-facts.ts'

/** Paths as a person in the folder writes them: relative within it, else with `~` for the home. */
export function shortenPath({ cwd, home }: { readonly cwd: string; readonly home: string }): ShortenPath {
  return (file) => {
    if (!isAbsolute(file)) return file
    const within = relative(cwd, file)
    if (within !== '' && !within.startsWith('..') && !isAbsolute(within)) return within
    return file === home || file.startsWith(`${home}${sep}`) ? `~${file.slice(home.length)}` : file
  }
}
