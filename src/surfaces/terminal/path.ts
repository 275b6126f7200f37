import { join, relative, sep } from 'node:path'

/** Where the person stands. */
export interface Here {
  readonly cwd: string
  readonly home?: string | undefined
}

/** A path as a person writes it: from where they stand, or from their home. */
export function shortPath(file: string, { cwd, home }: Here): string {
  if (isInside(file, cwd)) return relative(cwd, file)
  return home && isInside(file, home) ? join('~', relative(home, file)) : file
}

function isInside(file: string, folder: string): boolean {
  return folder !== sep && file.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}
