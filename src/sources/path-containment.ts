import { join } from 'node:path'
import type { Files } from '../platform/platform.ts'

/** Whether a path is in one of these folders once links are resolved. */
export async function isInside(
  path: string,
  folders: readonly string[],
  files: Pick<Files, 'realPath'>,
): Promise<boolean> {
  if (folders.length === 0) return false
  const [real, ...roots] = await Promise.all([path, ...folders].map((each) => files.realPath(each)))
  return isBelow(real ?? path, roots)
}

/** Like `isInside`, for paths that are already real. */
export function isBelow(real: string, roots: readonly string[]): boolean {
  return roots.some((root) => join(real, '/').startsWith(join(root, '/')))
}
