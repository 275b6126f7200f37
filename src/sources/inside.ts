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
  return roots.some((root) => join(real ?? path, '/').startsWith(join(root, '/')))
}
