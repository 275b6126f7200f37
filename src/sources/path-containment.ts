import { join } from 'node:path'
import type { Files } from '../platform/platform.ts'

/** Whether a path really lies in one of these folders, whatever links lead there. */
export async function isInside(
  path: string,
  folders: readonly string[],
  files: Pick<Files, 'realPath'>,
): Promise<boolean> {
  if (folders.length === 0) return false
  const [real, ...roots] = await Promise.all([path, ...folders].map((each) => files.realPath(each)))
  return isBelow(real ?? path, roots)
}

/** The same of paths without links. */
export function isBelow(real: string, roots: readonly string[]): boolean {
  return roots.some((root) => join(real, '/').startsWith(join(root, '/')))
}
